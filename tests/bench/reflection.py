#!/usr/bin/env python3
"""What TFTP servers send to an address that never answers, and how long a client then waits.

    reflection.py BUILD [ROUNDS] [SECONDS]      needs root; three minutes

One request in the name of an address that stays mute: packets and octets that come of it within
SECONDS (150: dnsmasq repeats for 141).  Then 1,000 mute requests, and one of an honest client
behind them, all there before the server sees the first: the time until the client's first block, by
the kernel's clock; medians of ROUNDS.  Leaves reflection.md in BUILD/comparison.
"""
import contextlib
import os
import random
import socket
import statistics
import struct
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../netns"))

import net  # noqa: E402
import networks  # noqa: E402
import servers  # noqa: E402
import tftp  # noqa: E402
import wire  # noqa: E402

SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35
HEADERS = 20 + 8           # IPv4, UDP
NAME = "reflect"           # a bare request for it has 16 octets
OPTIONS = {"blksize": 1468, "windowsize": 64, "tsize": 0}
VICTIM, FIRST_PORT, MUTES = "10.77.1.9", 20000, 1000
HONEST_PORT = 5000
TARGET_MS = 50
DEAF = "table inet deaf {\nchain c {\ntype filter hook input priority 0;\n" \
       "udp dport 10000-29999 drop\n}\n}\n"


class Site:
    """A server's network; a client that is deaf on its mute ports."""

    def __init__(self, root):
        self.network = networks.Pair(root)
        self.place = self.network.place
        self.client = self.place.client
        self.client.run("nft", "-f", "-", stdin=DEAF)
        self.mac = self.client.mac("eth0"), self.place.namespace.mac("eth0")
        self.out = self.client.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.out.bind(("eth0", 0))

    def tap(self):
        """Sees every frame of the client from now on, with the kernel's time."""
        tap = self.client.socket(socket.AF_PACKET, socket.SOCK_RAW)
        tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        tap.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        tap.bind(("eth0", wire.ETH_P_ALL))
        tap.setblocking(False)
        return tap

    def frame(self, ip, port, payload):
        return wire.udp_frame(*self.mac, ip, self.place.address, port, 69, payload)

    def start(self, server, placement):
        running = servers.Running(server, self.place, placement)
        time.sleep(0.3)  # the transfer it was tried with has ended
        return running


def seen(tap):
    """(seconds, goes out, datagram) of all that was captured so far."""
    while True:
        try:
            data, extra, _, where = tap.recvmsg(4096, 64)
        except BlockingIOError:
            return
        datagram = wire.Datagram.of(data)
        if datagram:
            seconds, nanos = struct.unpack("qq", extra[0][2][:16])
            yield seconds + nanos / 1e9, where[2] == wire.PACKET_OUTGOING, datagram


# -- one request --------------------------------------------------------------------------
def reflected(found, seconds):
    """Both requests to every server at once; packets and octets by (server, request)."""
    requests = {"bare": tftp.rrq(NAME), "options": tftp.rrq(NAME, options=OPTIONS)}
    result = {}
    for site, server, _, tap in found:
        for number, payload in enumerate(requests.values()):
            site.out.send(site.frame(VICTIM, FIRST_PORT + number, payload))
    time.sleep(seconds)
    for site, server, _, tap in found:
        back = [d for _, out, d in seen(tap) if not out and d.dst == VICTIM]
        for number, (title, payload) in enumerate(requests.items()):
            sizes = [len(d.payload) for d in back if d.dport == FIRST_PORT + number]
            result[server.name, title] = {
                "request": len(payload), "packets": len(sizes), "octets": sum(sizes),
                "payload": sum(sizes) / len(payload),
                "headers": (sum(sizes) + HEADERS * len(sizes)) / (len(payload) + HEADERS)}
    return result


def reflect(root, available, placement, seconds):
    found = []
    try:
        for server in available:
            site = Site(root)
            found.append((site, server, site.start(server, placement), site.tap()))
        return reflected(found, seconds)
    finally:
        for site, _, running, _ in found:
            running.close()
            site.network.close()


@contextlib.contextmanager
def first_of_all(placement):
    """This process before the server, on its processor: all is there when that begins."""
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {placement.processor})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(servers.FIFO_PRIORITY + 1))
    except OSError:
        pass  # then it is as it comes
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(0, everywhere)


# -- an honest client behind a thousand mute ones -------------------------------------------
def wait_of(site, mutes, placement):
    """Milliseconds until the first block of an honest client; None: none within 5 s."""
    payload = tftp.rrq(NAME)
    frames = [site.frame(VICTIM, FIRST_PORT + number, payload) for number in range(mutes)]
    tap = site.tap()
    sock = site.client.udp("10.77.0.100", HONEST_PORT)
    with first_of_all(placement):
        for frame in frames:
            site.out.send(frame)
        sock.sendto(payload, (site.place.address, 69))
    sock.settimeout(5.0)
    try:
        data, where = sock.recvfrom(2048)
        sock.sendto(tftp.error(0), where)
    except TimeoutError:
        return None
    finally:
        sock.close()
    times = {out: at for at, out, d in reversed(list(seen(tap)))
             if HONEST_PORT in (d.sport, d.dport) and (out or d.payload[:4] == data[:4])}
    tap.close()
    return 1000 * (times[False] - times[True])


def waits(root, available, placement, rounds):
    """By (server, how many mute requests): the time of each round."""
    result = {(server.name, mutes): [] for server in available for mutes in (0, MUTES)}
    for _ in range(rounds):
        for server in available:
            site = Site(root)
            running = site.start(server, placement)
            try:
                for mutes in (0, MUTES):
                    result[server.name, mutes].append(wait_of(site, mutes, placement))
            finally:
                running.close()
                site.network.close()
    return result


# -- what is told ---------------------------------------------------------------------------
def milliseconds(times):
    came = sorted(t for t in times if t is not None)
    lost = len(times) - len(came)
    text = "%.2f ms (worst %.2f)" % (statistics.median(came), came[-1]) if came else "no answer"
    return text + (", %d unanswered" % lost if came and lost else "")


def report(names, octets, times):
    lines = ["| measure | %s | target |" % " | ".join(names), "| --- |" + " --- |" * (len(names) + 1)]
    for title, words, target in (
            ("bare", "a bare request of %d octets", "at most 3 packets"),
            ("options", "one with blksize, windowsize, tsize (%d octets)", "at most 3 packets, factor 3 each")):
        cells = ["%(packets)d packets, %(octets)d octets: factor %(payload).1f, with headers %(headers).1f" %
                 octets[name, title] for name in names]
        lines.append("| %s | %s | %s |" % (
            words % octets[names[0], title]["request"], " | ".join(cells), target))
    for mutes, words, target in ((0, "first block of a client, nothing else asked", ""),
                                 (MUTES, "the same behind 1,000 mute requests", "at most %d ms" % TARGET_MS)):
        lines.append("| %s | %s | %s |" % (
            words, " | ".join(milliseconds(times[name, mutes]) for name in names), target))
    return "\n".join(lines) + "\n"


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 150.0
    available = servers.available(build, os.path.join(net.TOP, "build/peers"))
    placement = servers.Placement(True)
    with tempfile.TemporaryDirectory(prefix="pxed-bench-") as root:
        os.chmod(root, 0o755)
        for name, size in (("ready", 100), (NAME, 100000)):
            with open(os.path.join(root, name), "wb") as file:
                file.write(random.Random(size).randbytes(size))
        times = waits(root, available, placement, rounds)
        octets = reflect(root, available, placement, seconds)
    text = report([server.name for server in available], octets, times)
    os.makedirs(os.path.join(build, "comparison"), exist_ok=True)
    with open(os.path.join(build, "comparison", "reflection.md"), "w") as file:
        file.write(text)
    print(text, end="")


if __name__ == "__main__":
    main()
