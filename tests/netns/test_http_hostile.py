"""HTTP clients that mean harm, or are broken: bounded, answered, told once, and nobody else's
trouble."""
import os
import re
import socket
import struct
import time

import check
import net
import tftp
import web
from harness import fixture
from test_http import Site

TIMEOUT = 2


class Limited(Site):
    """With limits that a test reaches."""

    def __init__(self, network, timeout=TIMEOUT):
        super().__init__(network, http={"timeout": timeout, "max_per_address": 8,
                                        "max_connections": 20})
        for i in range(10, 16):
            self.client.addr("eth0", "10.77.0.%d/24" % i)

    def connect(self, source=None, **more):
        return web.Connection(self.client, net.SERVER, source=source, **more)

    def serves(self, source=None):
        with self.connect(source) as connection:
            check.equal(connection.get("/boot.ipxe").status, 200, "a good client")


@fixture
def site():
    with net.Net() as network:
        yield Limited(network)


@fixture
def patient():
    with net.Net() as network:
        yield Limited(network, timeout=600)


def lines(site, pattern, start):
    return re.findall(pattern, site.pxed.log()[start:])


def refused(sock):
    """Was this connection closed without a word?"""
    try:
        sock.sock.settimeout(2)
        return sock.sock.recv(1) == b""
    except (ConnectionResetError, BrokenPipeError):
        return True
    except socket.timeout:
        return False


def is_closed(one):
    """Has the server closed it?  What it has sent is left to be read."""
    try:
        return one.sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def test_connections_that_say_nothing(site):
    start = len(site.pxed.log())
    quiet = [site.connect("10.77.0.10") for _ in range(8)]
    check.that(refused(site.connect("10.77.0.10")), "the ninth of one address is let in")
    site.serves("10.77.0.11")
    check.that(all(refused(one) or refused(one) for one in quiet), "silence is put up with")
    site.pxed.wait_log("http refused peer=10.77.0.10 reason=.*max_per_address", start=start)
    site.serves("10.77.0.10")


def test_headers_that_never_end(site):
    """Slowloris: an octet now and then.  Whoever sends so is closed after the time-out."""
    start = len(site.pxed.log())
    slow = [site.connect("10.77.0.12") for _ in range(6)]
    begun = time.monotonic()
    alive = set(slow)
    while alive and time.monotonic() < begun + TIMEOUT + 4:
        for one in list(alive):
            try:
                one.send(b"GET /boot.ipxe HTTP/1.1\r\nX: " if one.data == b"" else b"a")
                one.data = b"begun"
            except OSError:
                alive.discard(one)
        site.serves("10.77.0.13")
        time.sleep(0.1)
    check.equal(len(alive), 0, "connections that are still open")
    check.at_least(time.monotonic() - begun, TIMEOUT - 0.5, "seconds until they were closed")
    site.pxed.wait_log("http refused peer=10.77.0.12 reason=.*http.timeout", start=start)
    check.at_most(len(lines(site, "http refused peer=10.77.0.12", start)), 1, "lines of it")


def test_a_reader_that_stands_still(site):
    start = len(site.pxed.log())
    with site.connect("10.77.0.10", buffer=4096) as connection:
        connection.ask("/images/big.img")
        connection.more()
        begun = time.monotonic()
        site.pxed.wait_log(r"http failed peer=10.77.0.10:\d+ file=images/big.img .* end=stalled", timeout=TIMEOUT + 6,
                           start=start)
        check.at_least(time.monotonic() - begun, TIMEOUT - 0.5, "seconds it was waited for")
    site.serves()


def crowd(site):
    """As many connections as there may be."""
    return [site.connect("10.77.0.%d" % (10 + i // 7), buffer=4096) for i in range(20)]


def test_all_connections_taken(patient):
    """By who loads files: they go on, and nobody else is let in."""
    start = len(patient.pxed.log())
    many = crowd(patient)
    for one in many:
        one.ask("/images/big.img")
        one.more()
    check.that(refused(patient.connect("10.77.0.15")), "one more than there may be")
    patient.pxed.wait_log("http refused peer=10.77.0.15 reason=.*max_connections", start=start)
    check.equal(tftp.download(patient.client, net.SERVER, "boot.ipxe").data, b"boot.ipxe" * 500,
                "TFTP meanwhile")
    for one in many:
        check.that(one.more(), "one of them goes on")
        reset(one)
    check.until("there is room again", lambda: not refused_now(patient))


def test_all_connections_taken_by_who_wants_nothing(patient):
    """Who has waited longest makes room, however many come, and however long each may wait."""
    start = len(patient.pxed.log())
    many = crowd(patient)
    for i, one in enumerate(many[:10]):  # beginning with a request, or behind one
        if i % 2:
            check.equal(one.get("/boot.ipxe").status, 200, "the first")
        else:
            one.send(b"GET /boot.ipxe HTTP/1.1\r\nX: ")
    check.until("somebody else is served", lambda: not refused_now(patient, "10.77.0.14"))
    patient.pxed.wait_log("http refused peer=10.77.0.1[0-2] reason=.*max_connections", start=start)
    check.until("one of those that waited is gone", lambda: any(is_closed(one) for one in many))
    for one in many:
        one.close()
    check.until("there is room again", lambda: not refused_now(patient))


def refused_now(site, source=None):
    try:
        site.serves(source)
        return False
    except (check.Failed, OSError):
        return True


def test_large_heads(site):
    for head, statuses in (
            (b"GET /" + b"a" * 3000 + b" HTTP/1.1\r\n\r\n", (414,)),
            (b"GET /" + b"a" * 40000 + b" HTTP/1.1\r\n\r\n", (413, 414, 431)),
            (b"GET / HTTP/1.1\r\nX: " + b"a" * 40000 + b"\r\n\r\n", (413, 431)),
            (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 10000 + b"\r\n", (413, 431)),
            (b"G" * 40000, (400, 413, 414, 431)),
            (b"\r\n" * 20000 + b"GET /boot.ipxe HTTP/1.0\r\n\r\n", (200, 400, 413, 414, 431))):
        with site.connect() as connection:
            try:
                connection.send(head)
            except OSError:
                pass
            try:
                check.inside(connection.read().status, statuses, "answer to %r" % head[:30])
            except (ConnectionResetError, check.Failed) as end:
                check.that(not isinstance(end, check.Failed) or "no answer" in str(end), str(end))
    site.serves()


def say_no_more(connection):
    """Ends what is sent, and reads whatever comes until the server ends it, too."""
    connection.sock.shutdown(socket.SHUT_WR)
    try:
        while connection.more():
            pass
    except ConnectionResetError:
        pass


def test_requests_that_are_none(site):
    for octets in (b"\0" * 100 + b"\r\n\r\n", b"GET\r\n\r\n", b"GET /x64.efi\r\n\r\n",
                   b"GET  /x64.efi  HTTP/1.1\r\n\r\n", b"GET /x64.efi HTTP/9.9\r\n\r\n",
                   b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(200) + b"\r\n\r\n",
                   b"GET /x64.efi HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
                   b"GET /x64.efi HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
                   b"GET /x64.efi HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
                   os.urandom(3000) + b"\r\n\r\n"):
        with site.connect() as connection:
            connection.send(octets)
            say_no_more(connection)
    site.serves()


def test_a_get_with_a_body(site):
    with site.connect() as connection:
        connection.ask("/boot.ipxe", Content_Length="5")
        connection.send(b"hello")
        check.equal(connection.read().body, b"boot.ipxe" * 500, "the file")
    begun = time.monotonic()
    with site.connect("10.77.0.14") as connection:
        connection.ask("/boot.ipxe", Content_Length="100000000")
        while time.monotonic() < begun + TIMEOUT + 4:
            try:
                connection.send(b"a")
                time.sleep(0.05)
            except OSError:
                break
        check.at_most(time.monotonic() - begun, TIMEOUT + 3, "seconds until it was closed")


def test_a_request_that_says_it_has_a_body_is_the_last(site):
    """What follows could be its body, or a request that a proxy has not seen as one."""
    behind = b"GET /x64.efi HTTP/1.1\r\nHost: a\r\n\r\n"
    for fields, body in (
            (b"Content-Length: 0\r\n", b""), (b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(behind), b""),
            (b"Content-Length: %d\r\nContent-Length: 0\r\n" % len(behind), b""), (b"Content-Length: +0\r\n", b""),
            (b"Content-Length : %d\r\n" % len(behind), b""), (b"content-length\t: %d\r\n" % len(behind), b""),
            (b"Content-Length: 0, %d\r\n" % len(behind), b""), (b"Content-Length: 0x0\r\n", b""),
            (b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n" % (len(behind) + 5), b"0\r\n\r\n"),
            (b"Transfer-Encoding: chunked\r\n", b"0;a=b\r\n\r\n"), (b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n"),
            (b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"), (b"Transfer-Encoding: identity\r\n", b"")):
        for method in (b"GET", b"HEAD", b"POST"):
            with site.connect("10.77.0.15") as connection:
                connection.send(method + b" /boot.ipxe HTTP/1.1\r\nHost: a\r\n" + fields + b"\r\n" + body + behind)
                say_no_more(connection)
                check.lacks(connection.data.decode(), "x64.efi" * 10, "%s with %r" % (method.decode(), fields))
    with site.connect("10.77.0.15") as connection:
        for _ in range(3):
            check.equal(connection.get("/boot.ipxe").status, 200, "others go on")


def test_pipelined_requests(site):
    with site.connect() as connection:
        connection.send(b"".join(b"GET /boot.ipxe?%d HTTP/1.1\r\nHost: a\r\n\r\n" % i
                                 for i in range(50)))
        for _ in range(50):
            check.equal(connection.read().body, b"boot.ipxe" * 500, "one of them")


def test_a_file_that_becomes_shorter(site):
    """Content-Length has been promised: the connection breaks off, and nothing stands in."""
    for cut in (0, 100000):
        start = len(site.pxed.log())
        site.root.write("shrinks.img", site.big)
        before = cpu_seconds(site.pxed)
        with site.connect(buffer=4096) as connection:
            connection.ask("/shrinks.img")
            connection.more()
            os.truncate(site.root.at("shrinks.img"), cut)
            connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            try:
                answer = connection.read()
            except ConnectionResetError:
                answer = None
            check.that(answer is None or not answer.whole, "an answer that claims to be whole")
        site.pxed.wait_log("http failed peer=.* file=shrinks.img .* end=file-changed", timeout=TIMEOUT + 5, start=start)
        check.at_most(cpu_seconds(site.pxed) - before, 0.5, "processor seconds")
    site.serves()


def cpu_seconds(program):
    with open("/proc/%d/stat" % program.pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_refusals_are_told_once(site):
    start = len(site.pxed.log())
    with site.connect() as connection:
        for i in range(200):
            check.equal(connection.get("/missing%d\x01" % i).status, 404, "a missing file")
    site.pxed.wait_log(r"http refused peer=10.77.0.100 request=.404 /missing0\\\\?x01", timeout=15,
                       start=start)
    check.at_most(len(lines(site, "http refused", start)), 2, "lines")


def test_clients_that_reset(site):
    before = len(site.pxed.open_files())
    for _ in range(30):
        connection = site.connect()
        connection.ask("/images/big.img")
        connection.more()
        reset(connection)
    site.serves()
    check.until("their files are closed", lambda: len(site.pxed.open_files()) <= before)


def reset(connection):
    """Ends it so that the server finds nothing of it."""
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def test_connections_that_are_gone_before_they_begin(site):
    """Of a pxed that was held up: they count for nothing, at that address or another."""
    for _ in range(5):
        with site.pxed.held_up():
            for i in range(30):
                reset(site.connect("10.77.0.%d" % (10 + i % 5)))
    site.serves("10.77.0.10")
    site.serves("10.77.0.15")


def test_threads_and_memory_come_back(site):
    def tasks():
        return len(os.listdir("/proc/%d/task" % site.pxed.pid))
    check.until("the others are gone", lambda: tasks() < 12)
    few, memory = tasks(), site.pxed.held_kib()
    for _ in range(15):
        many = [site.connect("10.77.0.%d" % (10 + i % 5)) for i in range(18)]
        for one in many:
            one.ask("/boot.ipxe")
        for one in many:
            check.equal(one.read().status, 200, "one of many")
            one.close()
        check.until("their connections are gone", lambda: tasks() <= few + 1)
    check.at_most(site.pxed.held_kib() - memory, 4096, "KiB more than before")
