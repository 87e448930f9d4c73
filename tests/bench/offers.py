#!/usr/bin/env python3
"""Offers on a wire: how many a second, and how long one takes in a storm.

    offers.py [BINARY]        needs root; about ten seconds

pxed and dnsmasq (which gives the addresses) serve one interface; both are asked by the same
DISCOVERs and measured in the same run.  Times are the kernel's, of the frame that leaves the
client and of the one that comes back, so that the pace of this program does not count.
"""
import os
import random
import socket
import struct
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "netns"))
import dhcp  # noqa: E402
import net  # noqa: E402
import wire  # noqa: E402

STORM_PER_SECOND, STORM_SECONDS = 2000, 3.0
FLOOD = 20000
SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35
XID_AT = 14 + 20 + 8 + 4


class Meter:
    """A client's interface: sends frames, and notes when each left and was answered."""

    def __init__(self, namespace):
        self.mac = namespace.mac("eth0")
        self.out = namespace.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.out.bind(("eth0", 0))
        self.tap = namespace.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        self.tap.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.tap.bind(("eth0", wire.ETH_P_ALL))
        self.tap.setblocking(False)
        self.sent, self.proxy, self.lease = {}, {}, {}

    def frame(self):
        """The DISCOVER of a machine never seen before."""
        message = dhcp.discover(7, chaddr=(b"\x02" + random.randbytes(5)).ljust(16, b"\0"))
        return wire.udp_frame(self.mac, wire.BROADCAST_MAC, "0.0.0.0", "255.255.255.255", 68, 67,
                              message.pack())

    def take(self):
        """Read what has come so far."""
        while True:
            try:
                data, extra, _, where = self.tap.recvmsg(600, 64)
            except BlockingIOError:
                return
            if len(data) < 282 or data[23] != socket.IPPROTO_UDP:
                continue
            seconds, nanos = struct.unpack("qq", extra[0][2][:16])
            at, xid = seconds * 10**9 + nanos, data[XID_AT:XID_AT + 4]
            if where[2] == wire.PACKET_OUTGOING:
                self.sent[xid] = at
            else:
                kind = self.lease if any(data[58:62]) else self.proxy
                kind.setdefault(xid, at)

    def wait(self, count, seconds):
        """Until everything is answered, or so many seconds have brought nothing new."""
        last, end = -1, time.monotonic() + seconds
        while len(self.proxy) < count and time.monotonic() < end:
            self.take()
            if len(self.proxy) != last:
                last, end = len(self.proxy), time.monotonic() + seconds
            time.sleep(0.001)


def storm(meter):
    """At a steady pace, leaving the processor to the servers in between."""
    frames = [meter.frame() for _ in range(int(STORM_PER_SECOND * STORM_SECONDS))]
    start = time.monotonic()
    for number, frame in enumerate(frames):
        wait = start + number / STORM_PER_SECOND - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        meter.out.send(frame)
    meter.wait(len(frames), 1.0)


def flood(meter):
    """As fast as frames can be sent."""
    frames = [meter.frame() for _ in range(FLOOD)]
    for frame in frames:
        meter.out.send(frame)
    meter.wait(FLOOD, 1.0)


def milliseconds(meter, answers):
    return sorted((at - meter.sent[xid]) / 1e6 for xid, at in answers.items() if xid in meter.sent)


def report_storm(title, meter, answers):
    times = milliseconds(meter, answers)
    if not times:
        print("%-34s no answer" % title)
        return
    rank = lambda part: times[min(len(times) - 1, int(len(times) * part))]  # noqa: E731
    print("%-34s %5d of %d answered, p50 %.3f ms, p99 %.3f ms, worst %.3f ms" % (
        title, len(times), len(meter.sent), rank(0.5), rank(0.99), times[-1]))


def report_flood(title, meter, answers):
    span = (max(answers.values(), default=0) - min(meter.sent.values())) / 1e9
    rate = len(answers) / span if answers else 0
    print("%-34s %5d of %d answered, %.0f offers/s" % (title, len(answers), len(meter.sent), rate))


def start_dnsmasq(server, *binding):
    server.start("dnsmasq", "--conf-file=/dev/null", "--keep-in-foreground", "--port=0",
                 "--log-facility=/dev/null", "--user=root", "--pid-file=", "--leasefile-ro",
                 "--no-ping", "--dhcp-lease-max=50000",
                 "--dhcp-range=10.77.1.0,10.77.250.250,255.255.0.0,1h", *binding)
    server.wait_for_port_67()


def measure(listen, binding, run, report):
    with net.Net() as network:
        server, client = network.namespace("srv"), network.namespace("cli")
        network.link(server, "eth0", client, "eth0")
        server.addr("eth0", "10.77.0.1/16")
        root = network.root()
        net.write_boot_files(root)
        start_dnsmasq(server, *binding)
        network.pxed(server, net.config(root, [{"name": "eth0", "listen": listen}]))
        meter = Meter(client)
        run(meter)
        report("%s: pxed (%s)" % (run.__name__, listen), meter, meter.proxy)
        report("%s: dnsmasq beside it" % run.__name__, meter, meter.lease)


def main():
    os.environ["PXED"] = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else net.binary())
    for listen, binding in (("capture", ()), ("udp", ("--bind-interfaces", "--interface=eth0"))):
        measure(listen, binding, storm, report_storm)
        measure(listen, binding, flood, report_flood)


if __name__ == "__main__":
    main()
