"""DHCP as PXE clients speak it: requests built by hand or taken from captures, replies parsed."""
import json
import os
import random
import struct
import time

import check
import net
import wire

COOKIE = bytes.fromhex("63825363")
DISCOVER, OFFER, REQUEST, DECLINE, ACK, NAK, RELEASE, INFORM = 1, 2, 3, 4, 5, 6, 7, 8
PXE_MODE = bytes.fromhex("060108ff")
UUID = bytes.fromhex("00443322116655887799aabbccddeeff00")
PARAMETERS = bytes([1, 2, 3, 12, 15, 43, 54, 60, 66, 67, *range(128, 136)])
REQUESTS = os.path.join(net.DATA, "requests")


class Message:
    """A DHCP message; options is a list of (code, bytes) in the order of the wire."""

    def __init__(self, options=(), **fields):
        self.op, self.htype, self.hlen, self.hops = 1, 1, 6, 0
        self.xid, self.secs, self.flags = random.randbytes(4), 0, 0
        self.ciaddr = self.yiaddr = self.siaddr = self.giaddr = "0.0.0.0"
        self.chaddr, self.sname, self.file = bytes(16), bytes(64), bytes(128)
        self.options = list(options)
        self.ended, self.tail = True, b""
        self.size = 0
        self.change(**fields)

    def change(self, **fields):
        for name, value in fields.items():
            check.that(hasattr(self, name), "no field " + name)
            setattr(self, name, value)
        return self

    def option(self, code):
        """The value of an option, None when it is not there."""
        return next((value for known, value in self.options if known == code), None)

    def codes(self):
        return [code for code, _ in self.options]

    def set(self, code, value):
        """Replace an option, or add it at the end."""
        places = [i for i, known in enumerate(self.codes()) if known == code]
        if places:
            self.options[places[0]] = (code, value)
        else:
            self.options.append((code, value))
        return self

    def drop(self, code):
        self.options = [(known, value) for known, value in self.options if known != code]
        return self

    def pack(self, pad_to=300):
        addresses = b"".join(wire.ip_bytes(a) for a in (self.ciaddr, self.yiaddr, self.siaddr,
                                                        self.giaddr))
        head = struct.pack("!BBBB4sHH", self.op, self.htype, self.hlen, self.hops, self.xid,
                           self.secs, self.flags)
        body = b"".join(bytes([code, len(value)]) + value for code, value in self.options)
        data = head + addresses + self.chaddr + self.sname + self.file + COOKIE + body + b"\xff"
        return data.ljust(pad_to, b"\0")

    def copy(self):
        return parse(self.pack())


def parse(data):
    """A message from its bytes; what is malformed ends the test."""
    check.at_least(len(data), 240, "length of a DHCP message")
    check.equal(data[236:240], COOKIE, "magic cookie")
    message = Message(size=len(data))
    message.op, message.htype, message.hlen, message.hops = data[0:4]
    message.xid, message.secs, message.flags = struct.unpack("!4sHH", data[4:12])
    texts = [".".join(map(str, data[i:i + 4])) for i in (12, 16, 20, 24)]
    message.ciaddr, message.yiaddr, message.siaddr, message.giaddr = texts
    message.chaddr, message.sname, message.file = data[28:44], data[44:108], data[108:236]
    parse_options(message, data[240:])
    return message


def parse_options(message, data):
    at, message.ended = 0, False
    while at < len(data):
        code = data[at]
        if code == 255:
            message.ended, message.tail = True, data[at + 1:]
            return
        if code == 0:
            at += 1
            continue
        check.that(at + 1 < len(data) and at + 2 + data[at + 1] <= len(data),
                   "option %d runs past the end of the message" % code)
        message.options.append((code, data[at + 2:at + 2 + data[at + 1]]))
        at += 2 + data[at + 1]


def class_text(arch, word="PXEClient"):
    return b"%s:Arch:%05d:UNDI:003016" % (word.encode(), arch)


def discover(arch, **fields):
    """The DISCOVER of a PXE client of this architecture."""
    options = [(53, bytes([DISCOVER])), (57, struct.pack("!H", 1472)), (55, PARAMETERS),
               (97, UUID), (94, b"\x01\x03\x10"), (93, struct.pack("!H", arch)),
               (60, class_text(arch))]
    return Message(options, secs=4, flags=0x8000).change(**fields)


def request4011(arch, ciaddr=net.CLIENT, **fields):
    """The REQUEST of a PXE client to port 4011."""
    message = discover(arch, secs=0, flags=0, ciaddr=ciaddr).set(53, bytes([REQUEST]))
    return message.change(**fields)


def captured(name):
    """A request of real firmware, as a message with the capture's own bytes kept."""
    with open(os.path.join(REQUESTS, name + ".hex")) as file:
        return parse(bytes.fromhex(file.read()))


def captured_index():
    with open(os.path.join(REQUESTS, "index.json")) as file:
        return {entry["file"][:-4]: entry for entry in json.load(file)}


def file_name(message):
    """The boot file of the header, up to its NUL."""
    return message.file.split(b"\0")[0].decode("latin-1")


class Reply:
    """A DHCP message together with the datagram that carried it."""

    def __init__(self, datagram):
        self.datagram = datagram
        self.message = parse(datagram.payload)


class Client:
    """A PXE client on one interface, speaking raw Ethernet."""

    def __init__(self, namespace, iface="eth0", mac=None):
        self.wire = wire.Wire(namespace, iface)
        self.mac = mac or self.wire.mac

    def prepare(self, message):
        """The message with this client's MAC, unless it has one of its own."""
        if message.chaddr == bytes(16):
            message.chaddr = self.mac.ljust(16, b"\0")
        return message

    def send(self, message, src="0.0.0.0", dst="255.255.255.255", dst_mac=wire.BROADCAST_MAC,
             sport=68, dport=67, vlan=None):
        self.prepare(message)
        self.wire.send(wire.udp_frame(self.wire.mac, dst_mac, src, dst, sport, dport,
                                      message.pack(), vlan))

    def replies(self, seconds, xids=None, stop=lambda reply: False):
        """Replies seen within this time, those to xids only; stop(reply) ends it early."""
        end = time.monotonic() + seconds
        found = []
        while time.monotonic() < end:
            datagram = self.wire.receive(end - time.monotonic())
            if not is_reply(datagram) or (xids and datagram.payload[4:8] not in xids):
                continue
            found.append(Reply(datagram))
            if stop(found[-1]):
                break
        return found

    def ask(self, message, where=None, seconds=check.PATIENCE, more=0.1):
        """Send, and return the one reply to it; a second one is a fault."""
        self.send(message, **(where or {}))
        found = self.replies(seconds, {message.xid}, stop=lambda reply: True)
        check.that(found, "no answer to %s within %.1f s" % (describe(message), seconds))
        again = self.replies(more, {message.xid})
        check.equal(len(again), 0, "further answers to one request")
        return found[0]

    def silent(self, message, where=None, grace=0.15):
        """Send, and make sure that it is not answered: a good DISCOVER sent after it is."""
        self.send(message, **(where or {}))
        fence = discover(7, chaddr=bytes.fromhex("02fe00000001").ljust(16, b"\0"))
        self.send(fence)
        xids = {message.xid, fence.xid}
        found = self.replies(check.PATIENCE, xids, stop=lambda reply: reply.message.xid == fence.xid)
        check.that(any(reply.message.xid == fence.xid for reply in found),
                   "the DISCOVER sent behind was not answered")
        found += self.replies(grace, xids)
        wrong = [reply for reply in found if reply.message.xid == message.xid]
        if wrong:
            check.fail("%s was answered: %s to %s:%d" % (
                describe(message), wrong[0].message.options, wrong[0].datagram.dst,
                wrong[0].datagram.dport))


def is_reply(datagram):
    """True for a BOOTREPLY, whatever its port."""
    return datagram and len(datagram.payload) >= 240 and datagram.payload[0] == 2 and \
        datagram.payload[236:240] == COOKIE


def describe(message):
    kind = message.option(53)
    return "message type %s, class %s, arch %s" % (
        kind.hex() if kind else None, message.option(60), message.option(93))


def check_offer(reply, request, server, boot_file, mac, message_type=OFFER):
    """Everything a good offer to a broadcast request must be, byte by byte."""
    datagram, message = reply.datagram, reply.message
    check.equal(datagram.dst_mac, wire.BROADCAST_MAC, "Ethernet destination")
    check.equal(datagram.src_mac, mac, "Ethernet source, the interface's own")
    check.equal((datagram.src, datagram.sport), (server, 67), "source")
    check.equal((datagram.dst, datagram.dport), ("255.255.255.255", 68), "destination")
    check.that(datagram.ip_ok, "the IP checksum is wrong")
    check.that(datagram.udp_ok, "the UDP checksum is wrong or missing")
    check.that(not datagram.fragmented, "the reply is a fragment")
    check_fields(message, request, server, boot_file, message_type)


def check_fields(message, request, server, boot_file, message_type):
    """The DHCP part of a good answer."""
    check.equal(message.op, 2, "op")
    check.equal((message.htype, message.hlen), (request.htype, request.hlen), "htype, hlen")
    check.equal(message.xid, request.xid, "xid")
    check.equal(message.chaddr, request.chaddr, "chaddr, all 16 bytes")
    check.equal(message.flags, request.flags, "flags")
    check.equal(message.giaddr, request.giaddr, "giaddr")
    check.equal(message.ciaddr, request.ciaddr, "ciaddr")
    check.equal(message.yiaddr, "0.0.0.0", "yiaddr")
    check.equal(message.siaddr, server, "siaddr")
    check_boot_file(message, server, boot_file)
    check_options(message, request, server, message_type)
    check_size(message, request)


def check_boot_file(message, server, boot_file):
    """The header's file; option 67, when there is one, says the same and is NUL-ended (B37)."""
    name = file_name(message)
    check.inside(name, (boot_file, "tftp://%s/%s" % (server, boot_file)), "boot file in the header")
    other = message.option(67)
    if other is not None:
        check.equal(other, name.encode() + b"\0", "option 67")


def check_options(message, request, server, message_type):
    check.equal(message.option(53), bytes([message_type]), "option 53")
    check.equal(message.option(54), wire.ip_bytes(server), "option 54")
    check.equal(message.option(60), b"PXEClient", "option 60")
    check.equal(message.option(97), request.option(97), "option 97")
    wanted = PXE_MODE
    asked = request.option(43)
    if asked and asked[:2] == b"\x47\x04":
        wanted = asked[:6] + b"\xff"
    if message_type == OFFER or asked:
        check.equal(message.option(43), wanted, "option 43")
    for code in (1, 3, 13, 50, 51, 52, 58, 59):
        check.equal(message.option(code), None, "option %d, which a proxy must not send" % code)
    check.equal(len(set(message.codes())), len(message.codes()), "options sent once only")
    check.that(all(value for _, value in message.options), "an option has no value")


def check_size(message, request):
    check.that(message.ended, "no END option")
    check.equal(message.tail.strip(b"\0"), b"", "bytes behind END")
    check.at_least(message.size, 300, "length of the message")
    limit = request.option(57)
    limit = struct.unpack("!H", limit)[0] if limit else 576
    check.at_most(message.size, min(max(limit, 576) - 28, 1472), "length of the message")
