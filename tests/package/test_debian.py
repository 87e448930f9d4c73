"""The Debian package: built the same twice, clean for lintian, and used on a machine that boots."""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile

import check
import dhcp
import machine
import net
import tftp

VERSION = re.search(r'#define PXED_VERSION +"([^"]+)"',
                    open(os.path.join(net.TOP, "app/commands.h"), encoding="ascii").read()).group(1)
PLACE = os.path.join(net.TOP, "build", "package")
BOOT_FILE = b"\xeb\x3c" + bytes(998)


def build(folder):
    """The package of what is checked out, built in this folder."""
    source = os.path.join(folder, "pxed-" + VERSION)
    os.makedirs(source)
    files = machine.run("git", "-C", net.TOP, "ls-files", "-z").split("\0")
    for name in filter(None, files):
        os.makedirs(os.path.dirname(os.path.join(source, name)) or ".", exist_ok=True)
        shutil.copy2(os.path.join(net.TOP, name), os.path.join(source, name))
    shutil.copytree(os.path.join(source, "packaging/debian"), os.path.join(source, "debian"))
    environment = dict(os.environ, DEB_BUILD_OPTIONS="nocheck parallel=2")
    machine.run("dpkg-buildpackage", "-us", "-uc", "-b", cwd=source, env=environment)
    return glob.glob(os.path.join(folder, "pxed_*.deb"))[0]


def sum_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def the_package():
    """Built once, kept for the other tests."""
    have = glob.glob(os.path.join(PLACE, "deb", "pxed_*.deb"))
    return have[0] if have else build(os.path.join(PLACE, "deb"))


def test_it_is_built_the_same_twice():
    shutil.rmtree(os.path.join(PLACE, "deb"), ignore_errors=True)
    first = the_package()
    with tempfile.TemporaryDirectory(prefix="pxed-deb-") as folder:
        second = build(os.path.join(folder, "elsewhere"))
        check.equal(sum_of(second), sum_of(first), "SHA-256 of the second build")


def test_lintian_has_nothing_to_say():
    the_package()
    changes = glob.glob(os.path.join(PLACE, "deb", "*.changes"))[0]
    done = subprocess.run(["lintian", "--allow-root", "-EviI", "--pedantic", changes],
                          capture_output=True, text=True, check=False)
    tags = [line for line in done.stdout.splitlines() if re.match(r"[EWIP]: ", line)]
    check.equal((done.returncode, tags), (0, []), "lintian")


def test_the_program_is_hardened():
    the_package()
    program = os.path.join(PLACE, "deb", "pxed-" + VERSION, "debian/pxed/usr/sbin/pxed")
    said = subprocess.run(["hardening-check", program], capture_output=True, text=True,
                          check=False).stdout
    for line in ("Position Independent Executable: yes", "Stack protected: yes",
                 "Fortify Source functions: yes", "Read-only relocations: yes",
                 "Immediate binding: yes"):
        check.inside(line, [one.strip().split(" (")[0] for one in said.splitlines()],
                     "hardening-check")


def test_the_apparmor_profile_is_sound():
    profile = os.path.join(net.TOP, "packaging/apparmor/usr.sbin.pxed")
    machine.run("apparmor_parser", "-Q", "-K", "-T", profile)


class Installed:
    """A machine with the package on it, and a PXE client on the same wire."""

    def __init__(self, network):
        self.server, self.client = network.pair()
        os.makedirs(PLACE, exist_ok=True)
        deb = the_package()
        tar = machine.base_root(PLACE, {*machine.BOOTABLE, *machine.dependencies(deb)})
        self.machine = machine.Machine(tar, self.server.name, network.folder)
        shutil.copy(deb, self.machine.path("/root/pxed.deb"))
        self.machine.run("dpkg", "-i", "/root/pxed.deb")

    def configure(self, boot_file="undionly.kpxe", **more):
        self.machine.write("/etc/pxed/pxed.json", json.dumps({
            "interfaces": ["eth0"], "tftp": {"root": "/srv/tftp"},
            "profiles": {"default": {"x86-bios": boot_file}}, **more}))

    def serve(self):
        self.machine.write("/srv/tftp/undionly.kpxe", BOOT_FILE)
        self.machine.write("/srv/tftp/other.0", BOOT_FILE[::-1])
        self.configure()
        self.machine.run("systemctl", "restart", "pxed")

    def boot(self, name="undionly.kpxe", content=BOOT_FILE):
        reply = dhcp.Client(self.client).ask(dhcp.discover(0))
        check.equal(dhcp.file_name(reply.message), name, "boot file")
        tftp.fetch(self.client, net.SERVER, name, content)


def begins_idle(site):
    """As installed: it runs, serves nothing and says why."""
    unit = site.machine
    unit.wait("the service is up", lambda: unit.show("pxed", "ActiveState") != "activating", 20)
    check.equal((unit.show("pxed", "ActiveState"), unit.show("pxed", "UnitFileState")),
                ("active", "enabled"), "the unit after installation")
    check.inside("serves nothing", unit.show("pxed", "StatusText"), "its status")
    check.that(site.server.read_proc("udp").count(":0045 ") == 0, "port 69 is open")
    check.equal(unit.run("pxed", "check").splitlines()[-1].split(": ")[1], "0 faults, 2 warnings",
                "the configuration it came with")


def serves_a_client(site):
    site.serve()
    check.inside("serves proxy-DHCP and TFTP", site.machine.show("pxed", "StatusText"), "status")
    site.boot()


def is_confined(site):
    pid = site.machine.show("pxed", "MainPID")
    status = dict(line.split(":\t", 1) for line in
                  site.machine.run("cat", "/proc/%s/status" % pid).splitlines() if ":\t" in line)
    user = site.machine.run("id", "-u", "pxed").strip()
    check.equal(status["Uid"].split()[0], user, "its user")
    check.equal((status["CapEff"], status["NoNewPrivs"], status["Seccomp"]),
                ("0" * 16, "1", "2"), "effective capabilities, no_new_privs, seccomp")
    told = json.loads(site.machine.run("pxed", "status", "--json"))["confinement"]
    check.equal((told["user"], told["seccomp"], told.get("seccomp_why")), ("pxed", True, None),
                "its own filter, loaded under the unit's")
    check.that(told["landlock"] or "kernel" in told["landlock_why"],
               "the unit keeps it from Landlock: %s" % told)
    for words in ("pxed",), ("--offline=true", "/lib/systemd/system/pxed.service"):
        score = re.search(r"Overall exposure level for pxed.service: ([0-9.]+)",
                          site.machine.run("systemd-analyze", "security", *words))
        check.at_most(float(score.group(1)), 1.7, "exposure as systemd counts it")


def reloads(site):
    site.configure("other.0")
    site.machine.run("systemctl", "reload", "pxed")
    site.boot("other.0", BOOT_FILE[::-1])
    site.configure("other.0", nonsense=1)
    bad = site.machine.try_run("systemctl", "reload", "pxed")
    check.that(bad.returncode != 0, "a bad configuration was taken")
    check.inside("nonsense", site.machine.run("journalctl", "-u", "pxed", "-o", "cat"), "journal")
    site.boot("other.0", BOOT_FILE[::-1])
    site.configure()
    site.machine.run("systemctl", "reload", "pxed")


def writes_journal_fields(site):
    mac = ":".join("%02x" % octet for octet in site.client.mac("eth0"))
    lines = [json.loads(line) for line in site.machine.run(
        "journalctl", "PXE_FILE=undionly.kpxe", "-o", "json").splitlines()]
    check.at_least(len(lines), 2, "journal entries of the file")
    check.that(all(line["MESSAGE_ID"] and line["SYSLOG_IDENTIFIER"] == "pxed" for line in lines),
               "an entry without MESSAGE_ID")
    check.that(any(line.get("PXE_MAC") for line in lines), "no entry names the machine (%s)" % mac)


def status_is_asked(site):
    check.equal(site.machine.run("pxed", "status", "--quiet"), "", "pxed status --quiet")
    site.machine.run("useradd", "--groups", "pxed", "someone")
    site.machine.run("setpriv", "--reuid=someone", "--regid=someone", "--init-groups",
                     "pxed", "status", "--quiet")


def is_watched(site):
    """A process that hangs is ended and started again."""
    site.machine.write("/etc/systemd/system/pxed.service.d/test.conf",
                       "[Service]\nWatchdogSec=2s\n")
    site.machine.run("systemctl", "daemon-reload")
    site.machine.run("systemctl", "restart", "pxed")
    before = site.machine.show("pxed", "MainPID")
    site.machine.run("kill", "-STOP", before)
    site.machine.wait("systemd has started it again", lambda: (
        site.machine.show("pxed", "MainPID") not in (before, "0") and
        site.machine.show("pxed", "ActiveState") == "active"), 20)
    check.inside("Watchdog timeout", site.machine.run("journalctl", "-u", "pxed"), "journal")
    site.boot()


def is_upgraded(site):
    """What the administrator wrote stays, and the new process serves by it."""
    before = site.machine.show("pxed", "MainPID")
    site.machine.run("dpkg", "-i", "/root/pxed.deb")
    check.that(site.machine.show("pxed", "MainPID") != before, "the old process still serves")
    site.boot()


def stops(site):
    site.machine.run("systemctl", "stop", "pxed")
    check.equal((site.machine.show("pxed", "ActiveState"), site.machine.show("pxed", "Result")),
                ("inactive", "success"), "after stop")


def goes(site):
    """Removed, it leaves the configuration; purged, nothing but the boot files."""
    site.machine.run("dpkg", "-r", "pxed")
    check.that(os.path.exists(site.machine.path("/etc/pxed/pxed.json")), "configuration is gone")
    site.machine.run("dpkg", "-P", "pxed")
    for name in ("/etc/pxed", "/var/lib/pxed", "/lib/systemd/system/pxed.service"):
        check.that(not os.path.exists(site.machine.path(name)), name + " is still there")
    check.that(os.path.exists(site.machine.path("/srv/tftp/undionly.kpxe")), "boot files are gone")


def test_it_lives_on_a_machine_with_systemd():
    with net.Net() as network:
        site = Installed(network)
        try:
            for step in (begins_idle, serves_a_client, is_confined, reloads, writes_journal_fields,
                         status_is_asked, is_watched, is_upgraded, stops, goes):
                try:
                    step(site)
                except Exception as fault:
                    said = site.machine.try_run("journalctl", "-u", "pxed", "-o", "cat").stdout
                    raise AssertionError("%s: %s\n%s" % (step.__name__, fault, said)) from fault
        finally:
            site.machine.close()
