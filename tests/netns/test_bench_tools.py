"""The measuring tools themselves: they see what they are there to see."""
import json
import os
import random
import socket
import subprocess
import time

import check
import net
from harness import fixture, timed

SIZE = 200 * 1468 + 77
CONTENT = random.Random(3).randbytes(SIZE)
SLOT_MS = (1000 + 42 + 24) * 8 / 10e6 * 1e3  # a datagram of 1000 octets at 10 Mbit/s


def tool(name):
    return os.path.join(os.path.dirname(os.path.abspath(net.binary())), name)


# -- the load generator ------------------------------------------------------------------
class Served:
    """pxed with one file, and the file as the load generator believes it to be."""

    def __init__(self, network, *environment, tftp=None):
        self.server, self.client = network.pair()
        self.root = network.root()
        self.root.write("file.bin", CONTENT)
        path = os.path.join(network.folder, "pxed.json")
        net.write_json(path, net.config(self.root, tftp=tftp))
        self.pxed = self.server.start(*environment, net.binary(), "run", "-c", path)
        self.pxed.wait_log("pxed ready")

    def load(self, *options, copy="file.bin"):
        done = subprocess.run(
            ["ip", "netns", "exec", self.client.name, tool("bench-load"), "--server",
             net.SERVER, "--file", "file.bin", "--as", self.root.at(copy), "--blksize", "1468",
             "--limit", "10"] + [str(option) for option in options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        check.that(done.stdout, "bench-load said: " + done.stderr)
        return done.returncode, json.loads(done.stdout)


@fixture
def served():
    with net.Net() as network:
        yield Served(network)


def test_every_kind_of_client_gets_the_file(served):
    for kind in ("plain", "lockstep", "edk2", "ipxe", "bootmgr"):
        status, result = served.load("--kind", kind, "--window", 16, "--clients", 20)
        check.equal((status, result["ok"], result["octets"]), (0, 20, 20 * SIZE), kind)
        check.equal(result["window"], 16 if kind in ("plain", "edk2", "bootmgr") else 1, kind)


@timed
def test_windows_boot_manager_grows_its_window():
    with net.Net() as network:
        served = Served(network, tftp={"msft_window": True})
        status, result = served.load("--kind", "bootmgr", "--window", 4)
        check.equal((status, result["ok"], result["octets"]), (0, 1, SIZE), "outcome")
        check.at_least(result["window"], 18, "blocks of the largest window")   # 4 + 5 + ... > 201


def test_a_wrong_octet_is_seen(served):
    wrong = bytearray(CONTENT)
    wrong[150 * 1468 + 5] ^= 1
    served.root.write("wrong.bin", bytes(wrong))
    status, result = served.load("--window", 16, copy="wrong.bin")
    check.equal((status, result["ok"], result["corrupted"]), (1, 0, 1), "one wrong octet")


def test_a_wrong_end_is_seen(served):
    served.root.write("longer.bin", CONTENT + b"x")
    status, _ = served.load("--no-tsize", copy="longer.bin")
    check.equal(status, 1, "status with a file that lacks its last octet")


def test_loss_is_what_was_asked_for(served):
    status, result = served.load("--data-loss", 0.05, "--ack-loss", 0.05, "--window", 4,
                                 "--clients", 20)
    check.equal((status, result["ok"]), (0, 20), "clients with loss")
    share = result["lost"] / (result["data"] + result["acks"] + result["lost"])
    check.that(0.03 < share < 0.07, "share lost: %.3f" % share)


def test_a_round_trip_takes_its_time(served):
    _, result = served.load("--round-trip", 2000)
    check.at_least(result["seconds"], 201 * 0.002, "seconds of 201 round trips of 2 ms")


def test_silence_is_a_failure():
    with net.Net() as network:
        served = Served(network)
        served.pxed.stop()
        status, result = served.load("--retry", 50, "--tries", 2)
        check.equal((status, result["failed"], result["retries"]), (1, 1, 3), "no server")


def test_segments_refused_means_datagrams_one_by_one():
    if net.has_sanitizer():
        check.skip("a sanitizer wants to be loaded first")
    with net.Net() as network:
        served = Served(network, "env", "LD_PRELOAD=" + tool("refuse-segments.so"))
        status, result = served.load("--window", 16)
        check.equal((status, result["ok"], result["window"]), (0, 1, 16), "the file")


# -- the link emulator -------------------------------------------------------------------
class Link:
    """Two namespaces with the emulator between them, and a socket at either end."""

    def __init__(self, network, *options):
        a, b, middle = (network.namespace(tag) for tag in ("a", "b", "wire"))
        for end, name, address in ((a, "xa", "10.78.0.1"), (b, "xb", "10.78.0.2")):
            for namespace in (end, middle):
                namespace.sysctl("net/ipv6/conf/default/disable_ipv6", 1)
            network.link(end, "eth0", middle, name)
            end.addr("eth0", address + "/24")
        for end, other, address in ((a, b, "10.78.0.2"), (b, a, "10.78.0.1")):
            end.ip("neigh", "add", address, "lladdr", other.mac("eth0").hex(":"), "dev", "eth0")
        self.program = middle.start(tool("bench-wire"), "--a", "xa", "--b", "xb",
                                    "--limit", "20", *options)
        self.program.wait_log("ready")
        self.a, self.b = a.udp("10.78.0.1", 1000), b.udp("10.78.0.2", 1000)
        self.b.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)

    def burst(self, count):
        """Sends so many datagrams; how many came, and how long the last took."""
        start = time.monotonic()
        for _ in range(count):
            self.a.sendto(bytes(1000), ("10.78.0.2", 1000))
        self.b.settimeout(0.3)
        came, last = 0, start
        try:
            while True:
                self.b.recv(2000)
                came, last = came + 1, time.monotonic()
        except TimeoutError:
            return came, last - start


@timed
def test_wire_delays_each_way():
    with net.Net() as network:
        link = Link(network, "--delay", "5000")
        trips = []
        for _ in range(10):
            start = time.monotonic()
            link.a.sendto(b"there", ("10.78.0.2", 1000))
            link.b.sendto(link.b.recv(100), ("10.78.0.1", 1000))
            link.a.recv(100)
            trips.append(time.monotonic() - start)
        check.at_least(min(trips), 0.010, "fastest round trip")
        check.at_most(min(trips), 0.020, "fastest round trip")


@timed
def test_wire_has_the_rate():
    with net.Net() as network:
        came, seconds = Link(network, "--rate", "10").burst(50)
        check.equal(came, 50, "datagrams through a queue without limit")
        check.at_least(seconds * 1e3, 50 * SLOT_MS, "ms for 50 datagrams")
        check.at_most(seconds * 1e3, 200 * SLOT_MS, "ms for 50 datagrams")


def test_wire_drops_the_tail_of_a_burst():
    """One datagram is on the wire, 16 wait; a few slots pass while the burst is sent."""
    with net.Net() as network:
        link = Link(network, "--rate", "10", "--queue", "16")
        came, _ = link.burst(100)
        check.that(17 <= came <= 30, "%d of a burst of 100 came" % came)
        link.program.stop()
        check.that('"dropped": %d,' % (100 - came) in link.program.log(), link.program.log())


def test_wire_loses_the_same_for_the_same_seed():
    came = []
    for seed in ("7", "7", "8"):
        with net.Net() as network:
            came.append(Link(network, "--loss", "0.1", "--seed", seed).burst(500)[0])
    check.equal(came[0], came[1], "datagrams that came, twice the same seed")
    check.that(420 < came[0] < 480 and 420 < came[2] < 480, "of 500 came %s" % came)
