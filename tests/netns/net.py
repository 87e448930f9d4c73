"""Private networks for tests: namespaces, links, and the programs that run in them.

    with Net() as net:
        server, client = net.pair()                  two namespaces, one veth, both named eth0
        pxed = net.pxed(server, config(root))        started, ready, its log kept
        sock = client.udp("10.77.0.100", 4011)       a socket of that namespace

Everything is taken down when the block ends.  Names begin with "pxn<pid>-"; what a run that
was killed has left behind is removed by clean_leftovers().  Needs root.
"""
import contextlib
import ctypes
import fcntl
import functools
import itertools
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

import check

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(os.path.dirname(HERE), "data")

SERVER, SERVER_NET = "10.77.0.1", "10.77.0.1/24"
CLIENT, CLIENT_NET = "10.77.0.100", "10.77.0.100/24"

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
SIOCETHTOOL, ETHTOOL_STXCSUM = 0x8946, 0x17

libc = ctypes.CDLL(None, use_errno=True)
numbers = itertools.count(1)


class NetError(Exception):
    """A network could not be built or a program could not be started."""


def binary():
    """The pxed under test."""
    return os.environ.get("PXED", os.path.join(TOP, "build", "pxed"))


@functools.cache
def has_sanitizer():
    """Its allocator is then another one, and nothing can be loaded before it."""
    with open(binary(), "rb") as file:
        return b"__asan_init" in file.read()


def sh(*argv, stdin=None):
    """Run a command and return what it printed; NetError when it fails."""
    done = subprocess.run(argv, input=stdin, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        raise NetError("%s: %s" % (" ".join(argv), done.stdout.strip()))
    return done.stdout


def in_namespace(name, call):
    """call() in a thread that has entered the namespace; sockets made there stay there."""
    box = {}

    def work():
        try:
            fd = os.open("/run/netns/" + name, os.O_RDONLY | os.O_CLOEXEC)
            try:
                if libc.setns(fd, CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns " + name)
            finally:
                os.close(fd)
            box["result"] = call()
        except BaseException as fault:
            box["fault"] = fault

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if "fault" in box:
        raise box["fault"]
    return box["result"]


def clean_leftovers():
    """Remove namespaces and folders of runs that are no longer there."""
    names = os.listdir("/run/netns") if os.path.isdir("/run/netns") else []
    for name in names:
        if is_leftover(name):
            remove_namespace(name)
    for name in os.listdir(tempfile.gettempdir()):
        if is_leftover(name):
            shutil.rmtree(os.path.join(tempfile.gettempdir(), name), ignore_errors=True)


def remove_namespace(name):
    """With what still runs in it: a program that another one started outlives that one."""
    for pid in sh("ip", "netns", "pids", name).split():
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
    sh("ip", "netns", "del", name)


def is_leftover(name):
    """True for a name of ours whose run has ended."""
    match = re.match(r"pxn(\d+)-", name)
    if not match:
        return False
    try:
        with open("/proc/%s/cmdline" % match.group(1), "rb") as file:
            command = file.read()
            return not any(name in command for name in (b"run.py", b"offers.py", b"observing.py", b"asking.py",
                                                b"reflection.py"))
    except OSError:
        return True


class Program:
    """A started program with its log (stdout and stderr) in a file."""

    all = []  # every one of this process, in order of start; harness.py reports from here

    def __init__(self, title, argv, folder):
        self.title = "%s %d" % (title, next(numbers))
        self.path = os.path.join(folder, self.title.replace(" ", "-") + ".log")
        self.kept = None
        self.stopped = False
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, preexec_fn=die_with_parent)
        self.pid = self.process.pid
        Program.all.append(self)

    def log(self):
        """All it has written so far."""
        if self.kept is not None:
            return self.kept
        with open(self.path, errors="backslashreplace") as file:
            return file.read()

    def wait_log(self, pattern, timeout=check.PATIENCE, start=0):
        """Wait until the log holds the pattern (beyond offset start); return the match."""
        end = time.monotonic() + timeout
        while True:
            match = re.compile(pattern).search(self.log(), start)
            if match:
                return match
            if self.process.poll() is not None:
                raise NetError("%s ended with status %d, before its log had %r:\n%s" % (
                    self.title, self.process.returncode, pattern, self.log()[-2000:]))
            if time.monotonic() > end:
                raise NetError("%s: no %r in its log within %.1f s:\n%s" % (
                    self.title, pattern, timeout, self.log()[-2000:]))
            time.sleep(0.005)

    def alive(self):
        return self.process.poll() is None

    def status(self, field):
        """A line of /proc/PID/status, without its name."""
        with open("/proc/%d/status" % self.pid) as file:
            return re.search(r"^%s:\s*(.*)$" % field, file.read(), re.M).group(1)

    def tasks(self):
        """The status of each of its threads."""
        folder = "/proc/%d/task" % self.pid
        texts = []
        for name in os.listdir(folder):
            with open(os.path.join(folder, name, "status")) as file:
                texts.append(file.read())
        return texts

    def memory_kib(self):
        return int(self.status("VmRSS").split()[0])

    def held_kib(self):
        """Memory that may be compared; 0: a sanitizer keeps what was freed, and looks for leaks itself."""
        return 0 if has_sanitizer() else self.memory_kib()

    def open_files(self):
        return sorted(int(name) for name in os.listdir("/proc/%d/fd" % self.pid))

    def signal(self, number):
        self.process.send_signal(number)

    @contextlib.contextmanager
    def held_up(self):
        """It does not run meanwhile."""
        self.signal(signal.SIGSTOP)
        check.until("it is held up", lambda: all(
            re.search(r"^State:\s*T", text, re.M) for text in self.tasks()))
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)

    def stop(self, timeout=check.PATIENCE):
        """End it with SIGTERM and return its exit status."""
        self.stopped = True
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise NetError("%s did not end within %.1f s of SIGTERM" % (self.title, timeout))

    def close(self):
        """End it whatever state it is in, and keep its log."""
        self.stopped = True
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.kept = self.log()


def die_with_parent(number=signal.SIGKILL):
    """In a child: do not outlive the parent.  A program that changes its user loses this."""
    libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)


class Namespace:
    """One network namespace."""

    def __init__(self, net, tag):
        self.net = net
        self.name = "pxn%d-%d-%s" % (os.getpid(), next(numbers), tag)
        sh("ip", "netns", "add", self.name)
        self.sysctl("net/ipv6/conf/default/accept_dad", 0)
        self.ip("link", "set", "lo", "up")

    def ip(self, *args):
        return sh("ip", "-n", self.name, *args)

    def run(self, *argv, stdin=None):
        return sh("ip", "netns", "exec", self.name, *argv, stdin=stdin)

    def addr(self, iface, *addresses):
        for address in addresses:
            extra = ["nodad"] if ":" in address else []
            self.ip("addr", "add", address, "dev", iface, *extra)

    def sysctl(self, path, value):
        def write():
            with open("/proc/sys/" + path, "w") as file:
                file.write(str(value))
        in_namespace(self.name, write)

    def read_proc(self, path):
        """A file below /proc/net of this namespace."""
        def read():
            with open("/proc/thread-self/net/" + path) as file:
                return file.read()
        return in_namespace(self.name, read)

    def wait_for_port_67(self, timeout=check.PATIENCE):
        """Until a DHCP server is bound to it; pxed's own socket is not meant."""
        end = time.monotonic() + timeout
        while not re.search(r"(?<!FFFFFFFF):0043 00000000:0000", self.read_proc("udp")):
            if time.monotonic() > end:
                raise NetError("nobody is bound to UDP port 67 within %.1f s" % timeout)
            time.sleep(0.01)

    def socket(self, family, kind, protocol=0):
        sock = in_namespace(self.name, lambda: socket.socket(family, kind, protocol))
        self.net.sockets.append(sock)
        return sock

    def udp(self, address="0.0.0.0", port=0):
        """A bound UDP socket; the family follows from the address (which may carry %iface)."""
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        sock = self.socket(family, socket.SOCK_DGRAM)
        if port:  # with it the kernel may give one free port to two sockets
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        address, _, scope = address.partition("%")
        where = (address, port)
        if family == socket.AF_INET6:
            where = (address, port, 0, self.index(scope) if scope else 0)
        sock.bind(where)
        return sock

    def index(self, iface):
        return in_namespace(self.name, lambda: socket.if_nametoindex(iface))

    def mac(self, iface):
        text = re.search(r"link/ether ([0-9a-f:]{17})", self.ip("link", "show", "dev", iface))
        return bytes.fromhex(text.group(1).replace(":", ""))

    def link_local(self, iface):
        return re.search(r"inet6 (fe80:[0-9a-f:]+)/", self.ip("addr", "show", "dev", iface)).group(1)

    def no_checksum_offload(self, iface):
        """Make the kernel finish every checksum itself, so that frames can be verified."""
        value = ctypes.create_string_buffer(struct.pack("=II", ETHTOOL_STXCSUM, 0))
        request = struct.pack("16sP8x", iface.encode(), ctypes.addressof(value))
        with self.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            fcntl.ioctl(sock, SIOCETHTOOL, request)

    def start(self, *argv):
        """Start a program in this namespace."""
        title = next(os.path.basename(word) for word in argv if word not in ("prlimit", "env") and
                     "=" not in word and not word.startswith("-"))
        program = Program(title, ("ip", "netns", "exec", self.name) + argv, self.net.folder)
        self.net.programs.append(program)
        return program


class Net:
    """A set of namespaces and programs that live and die together."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="pxn%d-" % os.getpid())
        os.chmod(self.folder, 0o755)
        self.namespaces, self.programs, self.sockets = [], [], []

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        for program in reversed(self.programs):
            program.close()
        for sock in self.sockets:
            sock.close()
        for namespace in self.namespaces:
            remove_namespace(namespace.name)
        shutil.rmtree(self.folder)
        self.namespaces, self.programs, self.sockets = [], [], []

    def namespace(self, tag):
        namespace = Namespace(self, tag)
        self.namespaces.append(namespace)
        return namespace

    def link(self, a, iface_a, b, iface_b, mtu=1500, up=True):
        """A veth pair between two namespaces."""
        sh("ip", "link", "add", "name", iface_a, "netns", a.name, "mtu", str(mtu), "type", "veth",
           "peer", "name", iface_b, "netns", b.name, "mtu", str(mtu))
        for namespace, iface in ((a, iface_a), (b, iface_b)):
            namespace.no_checksum_offload(iface)
            if up:
                namespace.ip("link", "set", iface, "up")

    def bridge(self, namespace, name="br0"):
        namespace.ip("link", "add", "name", name, "type", "bridge")
        namespace.ip("link", "set", name, "up")

    def pair(self, mtu=1500):
        """The usual network: a server 10.77.0.1 and a client 10.77.0.100, both on eth0."""
        server, client = self.namespace("srv"), self.namespace("cli")
        self.link(server, "eth0", client, "eth0", mtu)
        server.addr("eth0", SERVER_NET, "fd77::1/64")
        client.addr("eth0", CLIENT_NET, "fd77::100/64")
        return server, client

    def root(self):
        """An empty boot root that any user may read."""
        return Root(os.path.join(self.folder, "root%d" % next(numbers)))

    def pxed(self, namespace, configuration, ready=True, descriptors=None, under=()):
        """Start pxed with this configuration and wait until it serves.

        descriptors: how many it may have, None for as many as this process; under: the words
        of a command that starts it.
        """
        path = os.path.join(self.folder, "pxed%d.json" % next(numbers))
        write_json(path, configuration)
        limit = ("prlimit", "--nofile=%d:%d" % (descriptors, descriptors)) if descriptors else ()
        program = namespace.start(*limit, *under, binary(), "run", "-c", path)
        program.config_path = path
        if ready:
            program.wait_log("pxed ready")
        return program

    def pxed_with(self, namespace, configuration, rights, ready=True):
        """pxed started by an ordinary user who holds these capabilities and no others."""
        path = os.path.join(self.folder, "pxed%d.json" % next(numbers))
        write_json(path, configuration)
        os.chmod(path, 0o644)
        program = namespace.start(
            "setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups",
            "--inh-caps=-all,+" + rights, "--ambient-caps=-all,+" + rights,
            "--bounding-set=-all,+" + rights, binary(), "run", "-c", path)
        if ready:
            program.wait_log("pxed ready")
        return program

    def dnsmasq(self, namespace, *extra, first="10.77.0.150", last="10.77.0.199"):
        """A DHCP server that gives addresses and knows nothing of PXE."""
        program = namespace.start(
            "dnsmasq", "--conf-file=/dev/null", "--keep-in-foreground", "--port=0",
            "--log-facility=-", "--log-dhcp", "--user=root", "--pid-file=", "--leasefile-ro",
            "--no-ping", "--dhcp-authoritative",
            "--dhcp-range=%s,%s,255.255.255.0,1h" % (first, last), *extra)
        program.wait_log("dnsmasq-dhcp.*IP range")
        namespace.wait_for_port_67()  # the line is written before the socket is bound
        return program


class Root:
    """A boot root on disk."""

    def __init__(self, path):
        self.path = path
        os.mkdir(path, 0o755)

    def at(self, name):
        return os.path.join(self.path, name)

    def write(self, name, content=b"", mode=0o644):
        path = self.at(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return content

    def sparse(self, name, size):
        with open(self.at(name), "wb") as file:
            file.truncate(size)


BOOT_FILES = {"x86-bios": "bios.0", "x64-uefi": "x64.efi", "arm64-uefi": "aa64.efi",
              "x86-uefi": "ia32.efi", "ipxe": "boot.ipxe"}


def write_json(path, value):
    with open(path, "w") as file:
        json.dump(value, file, indent=2)


def config(root, interfaces=("eth0",), tftp=None, dhcp=True, profiles=None, hosts=(),
           unknown=None):
    """A configuration of pxed; tftp: settings that differ from the usual ones."""
    settings = {"root": root.path, "max_block_size": 1468, "max_window_size": 64,
                "data_ports": "40000-40003", "max_transfers": 4096}
    settings.update(tftp or {})
    return {"interfaces": list(interfaces), "user": "nobody", "tftp": settings,
            "dhcp": {"enabled": dhcp}, "profiles": profiles or {"default": BOOT_FILES},
            "hosts": list(hosts), "unknown_hosts": unknown or {"profile": "default"},
            "control": "off", "state_dir": "off"}


def write_boot_files(root):
    """Every file the default profile names; the content is the name, repeated."""
    for name in BOOT_FILES.values():
        root.write(name, name.encode() * 500)
