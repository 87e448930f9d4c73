"""Recordings of boots that failed: what is in them, where they are, how many."""
import json
import os
import re
import socket
import struct
import time

import check
import dhcp
import dhcp6
import net
import tftp
import web
import wire
from crowd import OTHER, lease_request
from test_control import ask


class Site:
    """A pxed that keeps recordings, and a client."""

    def __init__(self, network, state=True, mkdir=True, **settings):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        state_dir = os.path.join(network.folder, "state")
        self.directory = os.path.join(state_dir, "evidence")
        self.configuration = dict(
            net.config(self.root), state_dir=state_dir if state else "off",
            http={"listen": net.SERVER + ":8069", "page_from": ["10.77.0.0/24"]},
            control=os.path.join(network.folder, "control.sock"), **settings)
        self.pxed = network.pxed(self.server, self.configuration)
        self.pxe = dhcp.Client(self.client)

    def boots(self, **words):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(70)
            sock.connect(self.configuration["control"])
            return ask(sock, dict(words, verb="log"))[0]["boots"]

    def download(self, name):
        return web.Connection(self.client, net.SERVER).get("/evidence/" + name)

    def fail(self, mac=None):
        """A machine that only pxed answers: its DISCOVER, and the answer."""
        message = dhcp.discover(7)
        if mac:
            message = dhcp.discover(7, chaddr=mac.ljust(16, b"\0"))
        offer = self.pxe.ask(message)
        return message, offer


def packets(octets):
    """Times, frames as far as they were kept, and how long they were: of a pcap."""
    magic, major, minor, _, _, _, link = struct.unpack("<IHHiIII", octets[:24])
    check.equal((magic, major, minor, link), (0xa1b2c3d4, 2, 4, 1), "head of the recording")
    found, at = [], 24
    while at < len(octets):
        seconds, micros, kept, whole = struct.unpack("<4I", octets[at:at + 16])
        check.at_least(whole, kept, "octets of a packet")
        found.append((seconds + micros / 1e6, octets[at + 16:at + 16 + kept], whole))
        at += 16 + kept
    return found


def checksums(frame):
    """Both must be right when the frame is whole."""
    def total(data):
        data += b"\0" * (len(data) % 2)
        number = sum(struct.unpack("!%dH" % (len(data) // 2), data))
        while number >> 16:
            number = (number & 0xffff) + (number >> 16)
        return number

    check.equal(total(frame[14:34]), 0xffff, "checksum of the IP header")
    udp = frame[34:]
    pseudo = frame[26:34] + struct.pack("!HH", 17, len(udp))
    if udp[6:8] != b"\0\0":
        check.equal(total(pseudo + udp), 0xffff, "checksum of the datagram")


def ports(frame):
    return struct.unpack("!HH", frame[34:38])


def test_a_boot_that_fails_leaves_what_was_said():
    """DHCP of both sides and of another server, the request for a file, and the refusal."""
    with net.Net() as network:
        site = Site(network)
        discover, offer = site.fail()
        theirs = dhcp.Message([(53, bytes([dhcp.OFFER])), (54, wire.ip_bytes(OTHER))], op=2,
                              xid=discover.xid, yiaddr=net.CLIENT, chaddr=discover.chaddr)
        site.pxe.wire.send(wire.udp_frame(wire.mac_bytes("02:00:00:00:00:fe"), wire.BROADCAST_MAC, OTHER,
                                          "255.255.255.255", 67, 68, theirs.pack()))
        site.pxe.send(lease_request(7))
        before = time.time()
        client = tftp.Client(site.client, net.SERVER)
        client.request("gone.efi", options={"tsize": 0})
        client.expect_error(1)
        tftp.fetch(site.client, net.SERVER, "x64.efi", b"x64.efi" * 500, options={"blksize": 1024})
        boot = site.boots(wait=60)[0]
        check.equal(boot["state"], "stopped", "the boot")
        name = boot["evidence"]
        check.that(re.fullmatch(r"\d{8}-\d{6}-%s\.pcap" % site.pxe.mac.hex(), name), name)
        site.pxed.wait_log("boot stopped .*evidence=" + name)
        check.until("it is written", lambda: os.path.exists(os.path.join(site.directory, name)))
        check.equal(os.stat(os.path.join(site.directory, name)).st_mode & 0o777, 0o640, "mode")
        with open(os.path.join(site.directory, name), "rb") as file:
            octets = file.read()
        got = site.download(name)
        check.equal((got.status, got.fields["content-type"]),
                    (200, "application/vnd.tcpdump.pcap"), "answer")
        check.same_bytes(got.body, octets, "the download")
        found = packets(octets)
        check.at_most(abs(found[0][0] - before), 30, "seconds between its clock and ours")
        check.that(all(a[0] <= b[0] for a, b in zip(found, found[1:])), "in their order")
        for _, frame, whole in found:
            if len(frame) == whole:
                checksums(frame)
        check.equal([(ports(frame), wire.ip_bytes(OTHER) == frame[26:30]) for _, frame, _ in found][:4],
                    [((68, 67), False), ((67, 68), False), ((67, 68), True), ((68, 67), False)],
                    "DISCOVER, our OFFER, theirs, REQUEST")
        payload = found[1][1][42:]
        check.equal(payload, offer.datagram.payload, "our offer")
        words = [frame[42:] for _, frame, _ in found if 69 in ports(frame)]
        check.that(words[0].startswith(b"\0\1gone.efi\0octet\0tsize"), "request: %s" % words[0])
        check.that(words[1].startswith(b"\0\5\0\1file not found"), "refusal: %s" % words[1])
        data = [f for f in found if f[1][42:44] == b"\0\3"]
        check.equal(data[0][2], 42 + 4 + 1024, "length of a packet of data on the wire")
        check.at_most(len(data[0][1]), 128, "octets kept of it")
        told = site.server.run(net.binary(), "explain", "-c", site.pxed.config_path, "--json", "--pcap",
                               os.path.join(site.directory, name))
        requests = json.loads(told)["requests"]
        check.equal([(one["message"], one["verdict"]) for one in requests][:2],
                    [("DISCOVER", "answered"), ("REQUEST", "other-server")], "explained")
        check.equal(requests[0]["replies"][0]["hex"], payload.hex(), "octets of our offer")


def test_names_are_checked():
    with net.Net() as network:
        site = Site(network)
        os.makedirs(site.directory, exist_ok=True)
        os.symlink("/etc/passwd", os.path.join(site.directory, "20261130-100000-525400000001.pcap"))
        os.mkdir(os.path.join(site.directory, "20261130-100000-525400000002.pcap"))
        os.mkfifo(os.path.join(site.directory, "20261130-100000-525400000003.pcap"))
        for name in ("", "..", "../state.db", "%2e%2e/state.db", "20261130-100000-525400000001.pcap",
                     "20261130-100000-525400000002.pcap", "20261130-100000-525400000003.pcap",
                     "20261130-100000-525400000004.pcap", "x" * 900,
                     "20261130-100000-525400000001.pcap/", "20261130-100000-525400000001.pcap%00"):
            check.that(site.download(name).status in (400, 404), "status of " + name)


def test_a_flood_of_strangers_takes_no_more_than_its_room():
    """A machine that loads files keeps its packets, whatever others pretend to be."""
    with net.Net() as network:
        site = Site(network)
        site.fail()
        site.pxe.send(lease_request(7))
        tftp.fetch(site.client, net.SERVER, "x64.efi", b"x64.efi" * 500)
        before = site.pxed.held_kib()
        for number in range(4000):
            site.pxe.send(dhcp.discover(7, chaddr=struct.pack("!HI", 0x0200, number).ljust(16, b"\0")))
            if number % 50 == 0:
                time.sleep(0.02)
        site.pxe.wire.drain()
        check.at_most(site.pxed.held_kib() - before, 30 << 10, "KiB more")


def test_so_it_is_over_ipv6():
    with net.Net() as network:
        site = Site(network)
        message = dhcp6.solicit(7)
        advertise, _ = dhcp6.Client(site.client).ask(message)
        boot = site.boots(wait=60)[0]
        octets = site.download(boot["evidence"]).body
        found = packets(octets)
        check.equal([frame[62:] for _, frame, _ in found], [message.pack(), advertise.pack()],
                    "SOLICIT and ADVERTISE")
        for _, frame, whole in found:
            check.equal(len(frame), whole, "octets kept")
            words = frame[22:54] + struct.pack("!II", len(frame) - 54, 17) + frame[54:]
            words += b"\0" * (len(words) % 2)
            number = sum(struct.unpack("!%dH" % (len(words) // 2), words))
            check.equal(number % 0xffff, 0, "checksum of the datagram")
        site.root.write("boot.pcap", octets)
        told = site.server.run(net.binary(), "explain", "-c", site.pxed.config_path, "--json", "--pcap",
                               site.root.at("boot.pcap"))
        one, = json.loads(told)["requests"]
        check.equal((one["message"], one["verdict"], one["replies"][0]["hex"]),
                    ("SOLICIT", "answered", advertise.pack().hex()), "explained")
