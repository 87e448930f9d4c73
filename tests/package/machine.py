"""A Debian that boots: a fresh root, and its own systemd in namespaces of this machine.

Root is made by mmdebstrap from the mirror that this machine's own apt uses, and kept beneath
build/package for the next run.  The machine lives in a network namespace of the caller's.
"""
import glob
import hashlib
import os
import shutil
import subprocess
import time

BOOTABLE = ("systemd", "systemd-sysv", "dbus", "procps", "iproute2", "init-system-helpers")

# $1: the root.  What systemd expects to find, then systemd itself, in the new root.
BOOT = r"""
set -e
cd "$1"
mount --make-rprivate /
umount -R /sys/fs/cgroup 2>/dev/null || true
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
mkdir dev/pts dev/shm old
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
pivot_root . old
umount -l /old
rmdir /old
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
"""


class MachineError(Exception):
    pass


def run(*argv, **how):
    done = subprocess.run(argv, capture_output=True, text=True, check=False, **how)
    if done.returncode != 0:
        raise MachineError("%s: status %d\n%s%s" % (" ".join(map(str, argv)), done.returncode,
                                                    done.stdout, done.stderr))
    return done.stdout


def apt_sources():
    return [path for path in glob.glob("/etc/apt/sources.list*") + glob.glob("/etc/apt/sources.list.d/*")
            if path.endswith((".list", ".sources")) and os.path.getsize(path)]


def base_root(place, packages):
    """A tar of a minimal Debian 12 with these packages; made once."""
    names = sorted(packages)
    key = hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]
    tar = os.path.join(place, "root-%s.tar" % key)
    if not os.path.exists(tar):
        half = os.path.join(place, "new-%s.tar" % key)
        run("mmdebstrap", "--quiet", "--variant=minbase", "--mode=root", "--include=" + ",".join(names),
            "bookworm", half, *apt_sources())
        os.rename(half, tar)
    return tar


def dependencies(deb):
    """The names of the packages it depends on."""
    words = run("dpkg-deb", "-f", deb, "Depends").strip()
    return [one.split("|")[0].split("(")[0].strip() for one in words.split(",") if one.strip()]


class Machine:
    """Booted from the tar in this network namespace; gone with close()."""

    def __init__(self, tar, namespace, folder):
        self.root = os.path.join(folder, "machine")
        os.mkdir(self.root)
        run("tar", "-C", self.root, "-xf", tar)
        with open(os.path.join(self.root, "etc/hostname"), "w", encoding="ascii") as file:
            file.write("pxetest\n")
        self.log = open(os.path.join(folder, "console"), "wb")
        self.outer = subprocess.Popen(
            ("ip", "netns", "exec", namespace, "unshare", "--fork", "--pid", "--mount", "--uts",
             "--ipc", "--cgroup", "--kill-child", "sh", "-c", BOOT, "boot", self.root),
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.init = None
        self.wait("systemd runs", self.find_init, 30)
        self.wait("the machine is up", self.is_up, 90)

    def find_init(self):
        """The process that is 1 in there."""
        if self.outer.poll() is not None:
            raise MachineError("the machine ended at once; see its console")
        path = "/proc/%d/task/%d/children" % (self.outer.pid, self.outer.pid)
        with open(path, encoding="ascii") as file:
            children = file.read().split()
        if not children:
            return False
        with open("/proc/%s/comm" % children[0], encoding="ascii") as file:
            self.init = int(children[0])
            return file.read().strip() == "systemd"

    def is_up(self):
        done = self.try_run("systemctl", "is-system-running")
        return done.stdout.strip() in ("running", "degraded")

    @staticmethod
    def wait(what, condition, seconds):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise MachineError("not within %d s: %s" % (seconds, what))
            time.sleep(0.1)

    def try_run(self, *argv):
        return subprocess.run(("nsenter", "-t", str(self.init), "-a", *argv), capture_output=True,
                              text=True, check=False, timeout=120, stdin=subprocess.DEVNULL)

    def run(self, *argv):
        done = self.try_run(*argv)
        if done.returncode != 0:
            raise MachineError("in the machine, %s: status %d\n%s%s" % (
                " ".join(argv), done.returncode, done.stdout, done.stderr))
        return done.stdout

    def show(self, unit, field):
        return self.run("systemctl", "show", "-P", field, unit).strip()

    def path(self, name):
        return os.path.join(self.root, name.lstrip("/"))

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(self.path(name), mode)

    def close(self):
        self.outer.kill()  # unshare takes systemd with it
        self.outer.wait()
        self.log.close()
        time.sleep(0.2)
        shutil.rmtree(self.root, ignore_errors=True)
