"""The TFTP servers that are compared: how each is started, and what it uses."""
import contextlib
import glob
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import time

import net

FILES = 16384  # descriptors a server may have
READY_SECONDS = 5.0
FIFO_PRIORITY = 1


class Placement:
    """Where programs run.  Both ends of a transfer share one processor, in turn and before
    all else: on a busy machine nothing else gives figures that repeat.  Without the right to
    do so they run as they come."""

    def __init__(self, pinned):
        self.processor = max(os.sched_getaffinity(0)) if pinned else None

    def enter(self):
        """In a child."""
        if self.processor is None:
            return
        os.sched_setaffinity(0, {self.processor})
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(FIFO_PRIORITY))
        except OSError:
            os.nice(-10)


def spawn(argv, namespace, placement, prepare=lambda: None, **how):
    """A program in a namespace; it ends with us."""
    fd = os.open("/run/netns/" + namespace.name, os.O_RDONLY | os.O_CLOEXEC)

    def enter():
        net.die_with_parent()
        if net.libc.setns(fd, net.CLONE_NEWNET):
            raise OSError("setns")
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
        prepare()
        placement.enter()

    try:
        return subprocess.Popen(argv, preexec_fn=enter, stdin=subprocess.DEVNULL, **how)
    finally:
        os.close(fd)


# -- what a server uses ------------------------------------------------------------------
def cpu_clock(pid):
    """Seconds of processor time of a process, ended threads included."""
    return time.clock_gettime((~pid << 3) | 2)


def children(pid):
    found = []
    for path in glob.glob("/proc/%d/task/*/children" % pid):
        with contextlib.suppress(FileNotFoundError):  # a thread that has ended meanwhile
            with open(path) as file:
                found += [int(word) for word in file.read().split()]
    return found


def cpu_of_tree(pid):
    """A process, its running children, and those it has waited for."""
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rpartition(")")[2].split()
    total = cpu_clock(pid) + (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    for child in children(pid):
        try:
            total += cpu_clock(child)
        except OSError:
            pass  # it has just ended
    return total


class Group:
    """A control group (version 1 or 2) for a server and all its children: their processor
    time and the peak of their memory, with what the kernel holds for them.  Without one the
    children that a server does not wait for are not counted, and the peak is not known."""

    CPU = (("/sys/fs/cgroup/cpuacct", "cpuacct.usage", r"(\d+)", 1e9),
           ("/sys/fs/cgroup", "cpu.stat", r"usage_usec (\d+)", 1e6))
    MEMORY = (("/sys/fs/cgroup/memory", "memory.max_usage_in_bytes", r"(\d+)", 1e6),
              ("/sys/fs/cgroup", "memory.peak", r"(\d+)", 1e6))

    def __init__(self):
        self.name = "pxed-bench-%d" % os.getpid()
        self.paths = []
        self.cpu_file, self.memory_file = self.make(self.CPU), self.make(self.MEMORY)

    def make(self, kinds):
        """Our group below the first root that has this file; (path, pattern, divisor)."""
        for base, name, pattern, divisor in kinds:
            path = os.path.join(base, self.name)
            try:
                os.makedirs(path, exist_ok=True)
            except OSError:
                continue
            if os.path.exists(os.path.join(path, name)):
                self.paths.append(path)
                return os.path.join(path, name), pattern, divisor
            if path not in self.paths:
                os.rmdir(path)
        return None

    def enter(self):
        """In a child."""
        for path in self.paths:
            with open(os.path.join(path, "cgroup.procs"), "w") as file:
                file.write("0")

    @staticmethod
    def read(where):
        if not where:
            return None
        path, pattern, divisor = where
        with open(path) as file:
            return int(re.search(pattern, file.read()).group(1)) / divisor

    def cpu(self):
        """Seconds, or None."""
        return self.read(self.cpu_file)

    def memory_mb(self):
        return self.read(self.memory_file)

    def close(self):
        for path in dict.fromkeys(self.paths):
            for _ in range(50):
                try:
                    os.rmdir(path)
                    break
                except OSError:
                    time.sleep(0.02)  # its last process is still on its way out


# -- how each is started -----------------------------------------------------------------
class Pxed:
    name, windows = "pxed", True

    def __init__(self, build):
        self.program = os.path.join(build, "pxed")
        self.refuser = os.path.join(build, "refuse-segments.so")

    def argv(self, place):
        path = os.path.join(place.folder, "pxed.json")
        net.write_json(path, {
            "interfaces": [place.interface], "user": "nobody", "dhcp": {"enabled": False},
            "tftp": {"root": place.root, "max_window_size": 64, "first_window_size": 64,
                     "msft_window": True},
            "profiles": {"default": {"x64-uefi": "ready"}},
            "unknown_hosts": {"profile": "default"}})
        return [self.program, "run", "-c", path]


class Atftpd:
    name, windows = "atftpd", True

    def __init__(self, folder):
        self.program = os.path.join(folder, "usr/sbin/atftpd")

    def argv(self, place):
        return [self.program, "--daemon", "--no-fork", "--port", "69", "--maxthread", "4000",
                "--user", "root", "--group", "root", "--logfile", "/dev/null", place.root]


class Dnsmasq:
    name, windows = "dnsmasq", False  # windows from version 2.92 on

    def __init__(self, _folder):
        self.program = shutil.which("dnsmasq", path=os.environ["PATH"] + ":/usr/sbin") or ""

    def argv(self, place):
        return [self.program, "--conf-file=/dev/null", "--keep-in-foreground", "--port=0",
                "--user=root", "--pid-file=", "--enable-tftp", "--tftp-root=" + place.root,
                "--tftp-max=4000", "--log-facility=/dev/null"]


class TftpdHpa:
    name, windows = "tftpd-hpa", False

    def __init__(self, folder):
        self.program = os.path.join(folder, "usr/sbin/in.tftpd")

    def argv(self, place):
        return [self.program, "--foreground", "--user", "root", "--secure", place.root]


PEERS = (Atftpd, Dnsmasq, TftpdHpa)


def available(build, peers):
    """pxed and the peers that run on this machine."""
    found = [Pxed(build)]
    for kind in PEERS:
        server = kind(peers)
        if os.access(server.program, os.X_OK):
            found.append(server)
    return found


class Place:
    """What a server is told: its namespace, interface, address, and files."""

    def __init__(self, namespace, client, interface, address, root, folder):
        self.namespace, self.client = namespace, client
        self.interface, self.address = interface, address
        self.root, self.folder = root, folder


class Running:
    """A started server."""

    def __init__(self, server, place, placement, refuse_segments=False):
        self.name = server.name
        self.group = Group()
        environment = dict(os.environ)
        if refuse_segments and server.name == "pxed":
            environment["LD_PRELOAD"] = server.refuser
        self.log = open(os.path.join(place.folder, server.name + ".log"), "wb")
        self.process = spawn(server.argv(place), place.namespace, placement, self.group.enter,
                             stdout=self.log, stderr=self.log, env=environment)
        try:
            self.wait_ready(place)
        except BaseException:
            self.close()
            raise
        self.cpu_before = self.cpu_so_far()

    def wait_ready(self, place):
        """Until it has sent a small file."""
        sock = net.in_namespace(place.client.name,
                                lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        with sock:
            sock.settimeout(0.05)
            end = time.monotonic() + READY_SECONDS
            while time.monotonic() < end:
                if self.process.poll() is not None:
                    break
                try:
                    sock.sendto(b"\0\1ready\0octet\0", (place.address, 69))
                    data, where = sock.recvfrom(2048)
                    if data[:4] == struct.pack("!HH", 3, 1):
                        sock.sendto(struct.pack("!HH", 4, 1), where)
                        return
                except OSError:
                    time.sleep(0.01)
        with open(self.log.name, errors="replace") as log:
            raise net.NetError("%s does not serve: %s" % (self.name, log.read()[-500:]))

    def alive(self):
        return self.process.poll() is None

    def cpu_so_far(self):
        seconds = self.group.cpu()
        return cpu_of_tree(self.process.pid) if seconds is None else seconds

    def cpu(self):
        """Seconds since it was ready; None when it has died."""
        return self.cpu_so_far() - self.cpu_before if self.alive() else None

    def memory_mb(self):
        return self.group.memory_mb()

    def close(self):
        for pid in children(self.process.pid) if self.alive() else []:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.alive():
            self.process.kill()
        self.process.wait()
        self.log.close()
        self.group.close()
