"""TFTP clients: one that sends what it is told, and one that downloads as real clients do."""
import selectors
import socket
import struct
import time

import check

RRQ, WRQ, DATA, ACK, ERROR, OACK = 1, 2, 3, 4, 5, 6
NOT_FOUND, ACCESS, ILLEGAL, UNKNOWN_TID = 1, 2, 4, 5
UNDEFINED = 0
MAX_DATAGRAM = 65536


def raw(value):
    return value if isinstance(value, bytes) else str(value).encode()


def rrq(name, mode="octet", options=(), op=RRQ):
    """A request; options: pairs, or a dictionary."""
    pairs = options.items() if isinstance(options, dict) else options
    parts = [raw(name), raw(mode)] + [raw(part) for pair in pairs for part in pair]
    return struct.pack("!H", op) + b"".join(part + b"\0" for part in parts)


def ack(block, extra=b""):
    return struct.pack("!HH", ACK, block & 0xffff) + extra


def error(code, text=""):
    return struct.pack("!HH", ERROR, code) + raw(text) + b"\0"


class Packet:
    """What came from the server."""

    def __init__(self, data, source):
        self.raw, self.source = data, source
        check.at_least(len(data), 4, "length of a packet from the server")
        self.op, self.block = struct.unpack("!HH", data[:4])
        self.code = self.block
        self.data = data[4:]
        self.options = None
        if self.op == OACK:
            self.parse_oack(data)
        if self.op == ERROR:
            check.equal(data[-1:], b"\0", "last byte of an ERROR")
            self.text = data[4:-1].decode("latin-1")

    def parse_oack(self, data):
        """Pairs in their order; exact to the last byte (B-14)."""
        check.equal(data[-1:], b"\0", "last byte of an OACK")
        parts = data[2:-1].split(b"\0")
        check.equal(len(parts) % 2, 0, "an OACK is made of pairs: %r" % data)
        self.options = [(parts[i].decode(), parts[i + 1].decode())
                        for i in range(0, len(parts), 2)]

    def __str__(self):
        if self.op == DATA:
            return "DATA %d (%d bytes)" % (self.block, len(self.data))
        if self.op == ERROR:
            return "ERROR %d %r" % (self.code, self.text)
        return "OACK %r" % (self.options,) if self.op == OACK else "opcode %d" % self.op


def is_repeat(packet, block):
    """True for a block that lies before this one."""
    return packet.op == DATA and 1 <= (block - packet.block) & 0xffff <= 128


class Client:
    """A socket of its own; sends by hand, remembers the server's port once it has answered."""

    def __init__(self, namespace, server, port=69, local=None, local_port=0):
        any_address = "::" if ":" in server else "0.0.0.0"
        self.sock = namespace.udp(local or any_address, local_port)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        address, _, scope = server.partition("%")
        tail = (0, namespace.index(scope) if scope else 0) if ":" in server else ()
        self.listening = (address, port) + tail
        self.peer = None

    def send(self, data, to=None):
        self.sock.sendto(data, to or self.peer or self.listening)

    def request(self, name, mode="octet", options=(), op=RRQ):
        """Send a request to the listening port and forget the transfer before."""
        self.peer = None
        self.send(rrq(name, mode, options, op))

    def receive(self, timeout=2.0):
        """The next packet, None when there is none in time."""
        self.sock.settimeout(max(timeout, 0.0001))
        try:
            data, source = self.sock.recvfrom(MAX_DATAGRAM)
        except (TimeoutError, BlockingIOError):
            return None
        if self.peer is None:
            self.peer = source
        return Packet(data, source)

    def expect(self, what, timeout=check.PATIENCE):
        packet = self.receive(timeout)
        check.that(packet, "no answer within %.1f s, expected %s" % (timeout, what))
        return packet

    def expect_data(self, block, content=None, timeout=check.PATIENCE):
        """This block next; repeats of earlier ones do not count.

        A server whose timer follows the round trip repeats a block when this machine is busy
        for some milliseconds.
        """
        packet = self.drain_until(lambda packet: not is_repeat(packet, block),
                                  "DATA %d" % block, timeout)
        check.that(packet.op == DATA and packet.block == block & 0xffff,
                   "got %s, want DATA %d" % (packet, block & 0xffff))
        if content is not None:
            check.same_bytes(packet.data, content, "DATA %d" % block)
        return packet

    def expect_oack(self, options, timeout=check.PATIENCE):
        """An OACK with exactly these pairs, in this order."""
        packet = self.expect("an OACK", timeout)
        check.equal(packet.op, OACK, "opcode of %s" % packet)
        wanted = [(name, str(value)) for name, value in dict(options).items()]
        check.equal(packet.options, wanted, "options of the OACK")
        return packet

    def expect_error(self, *codes, timeout=check.PATIENCE):
        packet = self.expect("an ERROR", timeout)
        check.equal(packet.op, ERROR, "opcode of %s" % packet)
        check.inside(packet.code, codes, "code of %s" % packet)
        return packet

    def silence(self, seconds=0.2, what="nothing"):
        packet = self.receive(seconds)
        check.that(packet is None, "got %s, want %s" % (packet, what))

    def drain(self, seconds=0.0):
        """Everything that comes within this time."""
        end = time.monotonic() + seconds
        found = []
        while True:
            packet = self.receive(end - time.monotonic())
            if packet is None:
                return found
            found.append(packet)

    def drain_until(self, wanted, what, seconds=check.PATIENCE):
        """Skip packets until the wanted one; repeats of older ones may be under way."""
        end = time.monotonic() + seconds
        while True:
            packet = self.expect(what, end - time.monotonic())
            if wanted(packet):
                return packet

    def drain_to(self, op, block):
        return self.drain_until(lambda packet: packet.op == op and packet.block == block,
                                "opcode %d, block %d" % (op, block))

    def close(self):
        self.sock.close()


class Download:
    """A transfer as a real client does it: acknowledges windows, repeats its last packet.

    Feed it by on_packet() and on_timeout(); finished, data and fault tell the outcome.
    """

    def __init__(self, client, name, mode="octet", options=(), keep=True):
        self.client, self.keep = client, keep
        self.options = dict(options)
        self.blksize, self.window = 512, 1
        self.oack = None
        self.expected, self.length, self.since_ack = 1, 0, 0
        self.parts = []
        self.finished, self.fault = False, None
        self.again, self.repeats = 0, 0
        self.gap = False
        client.peer = None
        self.last_sent = rrq(name, mode, options)
        client.send(self.last_sent)

    def send(self, data):
        self.last_sent = data
        self.client.send(data)

    def on_packet(self, packet):
        if packet.source != self.client.peer:
            self.fault = "packet from %s, the transfer is with %s" % (packet.source, self.client.peer)
        elif packet.op == ERROR:
            self.fault = str(packet)
        elif packet.op == OACK:
            self.on_oack(packet)
        elif packet.op == DATA:
            self.on_data(packet)
        else:
            self.fault = "unexpected %s" % packet

    def on_oack(self, packet):
        if self.oack is None:
            self.oack = dict(packet.options)
            self.blksize = int(self.oack.get("blksize", 512))
            self.window = int(self.oack.get("windowsize", 1))
        if self.expected == 1:
            self.send(ack(0))

    def on_data(self, packet):
        if packet.block != self.expected & 0xffff:
            self.on_stray(packet)
            return
        if len(packet.data) > self.blksize:
            self.fault = "%s is longer than a block of %d" % (packet, self.blksize)
            return
        if self.keep:
            self.parts.append(packet.data)
        self.length += len(packet.data)
        self.expected += 1
        self.since_ack += 1
        self.gap, self.repeats = False, 0
        self.finished = len(packet.data) < self.blksize
        if self.finished or self.since_ack == self.window:
            self.acknowledge()

    def on_stray(self, packet):
        """A gap is told once; what was seen before is ignored."""
        ahead = (packet.block - self.expected) & 0xffff < 0x8000
        if ahead and not self.gap:
            self.gap = True
            self.acknowledge()
        self.again += not ahead

    def acknowledge(self):
        self.since_ack = 0
        self.send(ack(self.expected - 1))

    def on_timeout(self):
        self.repeats += 1
        if self.repeats > 12:
            self.fault = "nothing came after block %d" % (self.expected - 1)
        self.client.send(self.last_sent)
        self.since_ack = 0

    def run(self, timeout=0.5):
        """To its end, whichever; timeout: of each packet, in seconds."""
        while not self.over:
            packet = self.client.receive(timeout)
            if packet:
                self.on_packet(packet)
            else:
                self.on_timeout()

    @property
    def over(self):
        return self.finished or self.fault

    @property
    def data(self):
        return b"".join(self.parts)


def download(namespace, server, name, mode="octet", options=(), keep=True, timeout=0.5, **where):
    """Fetch a file and return the Download; an unfinished one ends the test."""
    client = Client(namespace, server, **where)
    transfer = Download(client, name, mode, options, keep)
    transfer.run(timeout)
    client.close()
    check.equal(transfer.fault, None, "download of %s" % check.show(name))
    return transfer


def download_many(namespace, server, jobs, seconds=30.0, on_progress=lambda: None):
    """Run many at once; jobs: (name, options) each.  Returns the Downloads in order."""
    selector = selectors.DefaultSelector()
    transfers = []
    for name, options in jobs:
        client = Client(namespace, server)
        client.sock.setblocking(False)
        transfers.append(Download(client, name, "octet", options))
        transfers[-1].heard = time.monotonic()
        selector.register(client.sock, selectors.EVENT_READ, transfers[-1])
    end = time.monotonic() + seconds
    while selector.get_map() and time.monotonic() < end:
        for key, _ in selector.select(0.1):
            read_some(key.data)
            if key.data.over:
                selector.unregister(key.fileobj)
        repeat_overdue(selector)
        on_progress()
    for transfer in transfers:
        transfer.client.close()
    selector.close()
    return transfers


def read_some(transfer):
    """Take what lies ready for one transfer, within reason: others wait, too."""
    for _ in range(64):
        try:
            data, source = transfer.client.sock.recvfrom(MAX_DATAGRAM)
        except BlockingIOError:
            return
        transfer.client.peer = transfer.client.peer or source
        transfer.heard = time.monotonic()
        transfer.on_packet(Packet(data, source))
        if transfer.over:
            return


def repeat_overdue(selector):
    now = time.monotonic()
    for key in list(selector.get_map().values()):
        if now - key.data.heard > 1.0:
            key.data.heard = now
            key.data.on_timeout()
            if key.data.over:
                selector.unregister(key.fileobj)


def fetch(namespace, server, name, content, mode="octet", options=(), **where):
    """Download a file and compare every byte."""
    transfer = download(namespace, server, name, mode, options, **where)
    check.same_bytes(transfer.data, content, "content of %s" % check.show(name))
    return transfer
