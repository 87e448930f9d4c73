"""The lab's network, inside a sandbox.

    the sandbox itself     bridge br0, one tap for each virtual machine; QEMU and tcpdump
    namespace dhcp         10.77.0.1, fd77::1   an ordinary DHCP server
    namespace pxe          10.77.0.2, fd77::2   pxed (and the DHCP server, when they share a host)
"""
import os
import re
import subprocess
import time

DHCP, PXE = ("dhcp", "10.77.0.1", "fd77::1"), ("pxe", "10.77.0.2", "fd77::2")


class LabError(Exception):
    """The lab itself failed; the text says what."""


def sh(*argv):
    """Runs a command that must succeed; its output."""
    try:
        r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except FileNotFoundError as e:
        raise LabError("%s is not installed" % e.filename) from e
    if r.returncode:
        raise LabError("%s: %s" % (" ".join(argv), r.stdout.strip()))
    return r.stdout


def write(path, text):
    """Writes a file; its absolute path."""
    with open(path, "w") as f:
        f.write(text)
    return os.path.abspath(path)


def make_bridge(taps):
    """br0, at once forwarding, with taps tap0, tap1 ... on it."""
    sh("sh", "-c", "cd /proc/sys/net/ipv6/conf;"       # the bridge itself says nothing
       "echo 1 >all/disable_ipv6; echo 1 >default/disable_ipv6")
    sh("ip", "link", "set", "lo", "up")
    sh("ip", "link", "add", "br0", "type", "bridge", "stp_state", "0", "forward_delay", "0",
       "mcast_snooping", "0")
    sh("ip", "link", "set", "br0", "up")
    for i in range(taps):
        sh("ip", "tuntap", "add", "tap%d" % i, "mode", "tap")
        sh("ip", "link", "set", "tap%d" % i, "master", "br0", "up")


def make_host(host):
    """A namespace with one card, eth0, on the bridge; its port there has the host's name."""
    name, address4, address6 = host
    sh("ip", "netns", "add", name)
    sh("ip", "netns", "exec", name, "sh", "-c",
       "cd /proc/sys/net/ipv6/conf/default;"
       "echo 0 >router_solicitations; echo 0 >accept_ra; echo 0 >accept_dad")
    sh("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
    sh("ip", "link", "set", name, "master", "br0", "up")
    sh("ip", "-n", name, "link", "set", "lo", "up")
    sh("ip", "-n", name, "addr", "add", address4 + "/24", "brd", "+", "dev", "eth0")
    sh("ip", "-n", name, "addr", "add", address6 + "/64", "dev", "eth0", "nodad")
    sh("ip", "-n", name, "link", "set", "eth0", "up")


def spawn(argv, log, host=None, env=None):
    """Starts a program, on a host or in the sandbox itself; its output goes to a file."""
    if host:
        argv = ["ip", "netns", "exec", host[0], *argv]
    try:
        with open(log, "ab", buffering=0) as out:
            return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=subprocess.STDOUT, env=dict(os.environ, **(env or {})))
    except FileNotFoundError as e:
        raise LabError("%s is not installed" % e.filename) from e


def wait_until(ready, proc, log, seconds=10.0):
    """Waits until ready() holds, as long as the program runs."""
    deadline = time.monotonic() + seconds
    while not ready():
        if proc.poll() is not None:
            raise LabError("%s ended at once, status %d: %s" % (
                log.removesuffix(".log"), proc.returncode, tail(log, 3)))
        if time.monotonic() > deadline:
            raise LabError("%s is not ready after %d s: %s" % (
                log.removesuffix(".log"), seconds, tail(log, 3)))
        time.sleep(0.02)


def wait_bound(proc, port, log, table="udp"):
    """Waits until a socket on the program's host is bound to the port; table: udp, udp6, tcp6."""
    def bound():
        with open("/proc/%d/net/%s" % (proc.pid, table)) as f:
            return re.search(r":%04X 0" % port, f.read())
    wait_until(bound, proc, log)


def clean(text):
    """A terminal's text as plain lines: no escape sequences, no returns."""
    return re.sub(r"\x1b\[[0-9;=?]*[A-Za-z]", "", text).replace("\r", "\n")


def tail(path, lines):
    """The last lines of a log that are not blank."""
    try:
        with open(path, encoding="latin-1", newline="") as f:
            said = [x.rstrip() for x in clean(f.read()).split("\n") if x.strip()]
    except OSError:
        return ""
    return "\n".join(said[-lines:])


def wait_for_log(path, pattern, seconds):
    """What the pattern's group finds in a log within this time, or None."""
    end = time.monotonic() + seconds
    while True:
        with open(path, errors="replace") as f:
            found = re.search(pattern, f.read())
        if found or time.monotonic() > end:
            return found and found.group(1)
        time.sleep(0.2)


def lose(percent):
    """Random loss of what the host pxe sends and receives by TFTP.

    On the bridge: a drop in the host's own output hook would make send() fail, as no wire does.
    """
    rule = ("udp sport != {67,68,4011} udp dport != {67,68,4011} "
            "numgen random mod 1000 < %d counter drop" % round(percent * 10))
    sh("nft", "-f", write("loss.nft",
       "table bridge loss {\n chain forward {\n  type filter hook forward priority 0;\n"
       "  iifname pxe %s\n  oifname pxe %s\n }\n}\n" % (rule, rule)))


def lost():
    """How many packets lose() has dropped."""
    return sum(map(int, re.findall(r"packets (\d+)", sh("nft", "list", "table", "bridge", "loss"))))


def record(path):
    """Records what the first virtual machine sends and receives; of long packets the start."""
    proc = spawn(["tcpdump", "-i", "tap0", "-n", "-s", "700", "-U", "--immediate-mode",
                  "-Z", "root", "-w", path], "tcpdump.log")
    wait_until(lambda: os.path.exists(path) and os.path.getsize(path) >= 24, proc, "tcpdump.log")
