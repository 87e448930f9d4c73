"""DHCPv6 as boot clients speak it: messages built by hand, replies parsed."""
import random
import socket
import struct
import time

import check

SOLICIT, ADVERTISE, REQUEST, RENEW, REPLY, INFORMATION_REQUEST = 1, 2, 3, 5, 7, 11
RELAY_FORW, RELAY_REPL = 12, 13
CLIENT_ID, SERVER_ID, IA_NA, ORO, PREFERENCE, ELAPSED, RELAY_MESSAGE = 1, 2, 3, 6, 7, 8, 9
STATUS, USER_CLASS, VENDOR_CLASS, INTERFACE_ID, URL, ARCH, NII = 13, 15, 16, 18, 59, 61, 62
GROUP, SITE_GROUP = "ff02::1:2", "ff05::1:3"
UUID_DUID = bytes.fromhex("000433221100554477668899aabbccddee01")


def vendor_class(text):
    return struct.pack("!IH", 343, len(text)) + text.encode()


def option(code, value):
    return struct.pack("!HH", code, len(value)) + value


class Message:
    """A message; options is a list of (code, bytes) in the order of the wire."""

    def __init__(self, kind, options=(), xid=None):
        self.kind, self.options = kind, list(options)
        self.xid = random.randbytes(3) if xid is None else xid

    def pack(self):
        return bytes([self.kind]) + self.xid + b"".join(option(*pair) for pair in self.options)

    def option(self, code):
        return next((value for known, value in self.options if known == code), None)

    def codes(self):
        return [code for code, _ in self.options]

    def url(self):
        return (self.option(URL) or b"").decode()


def parse_options(data):
    options = []
    while data:
        code, length = struct.unpack("!HH", data[:4])
        check.that(len(data) >= 4 + length, "an option runs past the end")
        options.append((code, data[4:4 + length]))
        data = data[4 + length:]
    return options


def parse(data):
    return Message(data[0], parse_options(data[4:]), data[1:4])


def solicit(arch=7, duid=UUID_DUID, kind="PXEClient"):
    """What EDK2 sends, in its order."""
    return Message(SOLICIT, boot_options(arch, duid, kind, ia=True))


def boot_options(arch, duid, kind="PXEClient", ia=False):
    text = "%s:Arch:%05d:UNDI:003000" % (kind, arch)
    lease = [(IA_NA, struct.pack("!4sII", b"\xf7\xa7\x7f\xde", 0xffffffff, 0xffffffff))]
    return [(CLIENT_ID, duid), (ELAPSED, b"\0\0"), *(lease if ia else []),
            (ORO, struct.pack("!4H", 59, 60, 23, 16)), (NII, b"\x01\x03\0"),
            (ARCH, struct.pack("!H", arch)), (VENDOR_CLASS, vendor_class(text))]


def relayed(message, link, peer, interface=b"port 7", hops=0):
    """RELAY-FORW around a message."""
    return (bytes([RELAY_FORW, hops]) + socket.inet_pton(socket.AF_INET6, link) +
            socket.inet_pton(socket.AF_INET6, peer) + option(INTERFACE_ID, interface) +
            option(RELAY_MESSAGE, message))


class Client:
    """A socket of a client, a relay or port 4011."""

    def __init__(self, namespace, port=546, address=None, iface="eth0"):
        address = address or namespace.link_local(iface) + "%" + iface
        self.index = namespace.index(iface)
        self.sock = namespace.udp(address, port)
        self.sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, self.index)

    def send(self, data, to=GROUP, port=547):
        data = data if isinstance(data, bytes) else data.pack()
        scope = self.index if to.startswith(("ff", "fe80")) else 0
        self.sock.sendto(data, (to, port, 0, scope))

    def replies(self, seconds, count=100):
        """(data, source) of what comes, at most `count`."""
        end, got = time.monotonic() + seconds, []
        while len(got) < count:
            left = end - time.monotonic()
            if left <= 0:
                break
            self.sock.settimeout(left)
            try:
                got.append(self.sock.recvfrom(4096))
            except socket.timeout:
                break
        return got

    def ask(self, message, to=GROUP, port=547):
        """The one answer, parsed, and its source."""
        self.send(message, to, port)
        while True:
            got = self.replies(check.PATIENCE, 1)
            check.equal(len(got), 1, "answers")
            reply = parse(got[0][0])
            if reply.xid == message.xid:  # else it was late
                return reply, got[0][1]

    def silence(self, message, to=GROUP, port=547, seconds=0.4):
        self.send(message, to, port)
        check.equal(len(self.replies(seconds)), 0, "answers")
