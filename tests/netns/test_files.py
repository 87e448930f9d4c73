"""Files that change, fail or hang while they are served, by TFTP and by HTTP."""
import os
import random
import socket
import stat
import threading
import time
import urllib.parse

import check
import dhcp
import net
import slowdisk
import tftp
import web

CONTENT = random.Random(60).randbytes(40 * 512 + 10)
FAR = random.Random(61).randbytes(3 << 20)
OPTIONS = {"blksize": 1468, "windowsize": 16}


class Site:
    """Both doors, a control socket, and a file system in the root whose server hangs at will."""

    def __init__(self, network, whole_root=False, prepare=lambda site: None, **disk):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        if not whole_root:
            net.write_boot_files(self.root)
            self.root.write("file.bin", CONTENT)
        self.disk = slowdisk.SlowDisk(self.root.path if whole_root else self.root.at("disk"),
                                      "far.bin", FAR, **disk)
        prepare(self)
        configuration = net.config(self.root)
        configuration["http"] = {"listen": "0.0.0.0:8069", "boot_files": True}
        configuration["control"] = os.path.join(network.folder, "control.sock")
        self.pxed = network.pxed(self.server, configuration)

    def tftp(self):
        return tftp.Client(self.client, net.SERVER)

    def order(self, *words):
        return self.server.run(net.binary(), *words, "-c", self.pxed.config_path)

    def offered(self):
        """The boot file of an offer."""
        return dhcp.file_name(dhcp.Client(self.client).ask(dhcp.discover(7)).message)



def everybody_else_is_served(site):
    """What is held up by a disk that stands still comes never, not late."""
    fetched = tftp.download(site.client, net.SERVER, "file.bin", options=OPTIONS)
    check.same_bytes(fetched.data, CONTENT, "by TFTP")
    answer = web.get(site.client, net.SERVER, "/file.bin")
    check.same_bytes(answer.body, CONTENT, "by HTTP")
    name = site.offered()
    check.that(name.endswith("x64.efi"), "the offer names %s" % name)
    check.that("eth0" in site.order("status"), "the status")
    site.order("reload")


# -- a server that hangs -----------------------------------------------------------------------

def test_a_server_that_hangs_holds_up_nobody_else():
    """More clients ask for its file than there are threads; a cold file of this host is read."""
    with net.Net() as network, slow_site(network) as site:
        site.root.write("cold.bin", CONTENT)
        site.disk.freeze()
        askers = [site.tftp() for _ in range(20)]
        for asker in askers:
            asker.request("disk/far.bin", options=OPTIONS)
        waiting = [web.Connection(site.client, net.SERVER) for _ in range(8)]
        for connection in waiting:
            connection.ask("/disk/far.bin")
        start = time.monotonic()
        everybody_else_is_served(site)
        forget(site.root.at("cold.bin"))
        fetched = tftp.download(site.client, net.SERVER, "COLD.bin", options=OPTIONS)
        check.same_bytes(fetched.data, CONTENT, "a cold file in another case")
        for asker in askers:
            asker.expect_error(tftp.UNDEFINED, timeout=start + 30 - time.monotonic())
        everybody_else_is_served(site)
        site.disk.thaw()
        for connection in waiting:
            check.same_bytes(connection.read().body, FAR, "by HTTP, late")
            connection.close()
        tftp.fetch(site.client, net.SERVER, "disk/far.bin", FAR, options=OPTIONS)


def test_a_server_that_hangs_in_mid_transfer():
    """What was read already goes on; the rest waits, and comes when the server is back."""
    with net.Net() as network, slow_site(network) as site:
        client = site.tftp()
        client.request("disk/far.bin", options={"blksize": 1024})
        client.expect_oack({"blksize": 1024})
        with web.Connection(site.client, net.SERVER, buffer=4096) as connection:
            connection.ask("/disk/far.bin")
            connection.more()
            site.disk.freeze()
            for number in range(60):
                client.send(tftp.ack(number))
                client.expect_data(number + 1, FAR[1024 * number:1024 * (number + 1)])
            for number in range(60, 64):
                client.send(tftp.ack(number))
                client.drain(0.05)
            client.send(tftp.ack(64))
            everybody_else_is_served(site)
            other = site.tftp()
            other.request("disk/far.bin")
            site.disk.thaw()
            client.drain_to(tftp.DATA, 65)
            other.expect_data(1, FAR[:512])
            site.disk.freeze()
            for one in (client, other):  # closing asks the server, too
                one.send(tftp.error(0))
            everybody_else_is_served(site)
            site.disk.thaw()
            connection.sock.setsockopt(1, 8, 1 << 20)
            check.same_bytes(connection.read().body, FAR, "by HTTP")


def test_no_more_wait_than_may():
    with net.Net() as network, slow_site(network) as site:
        site.disk.freeze()
        askers = [site.tftp() for _ in range(300)]
        for asker in askers:
            asker.request("disk/far.bin")
        refused = sum(bool(asker.receive(0.02)) for asker in askers)
        check.equal(refused, 300 - 256, "refused at once")
        everybody_else_is_served(site)
        site.disk.thaw()
        answered = sum(asker.receive(5.0).op == tftp.DATA for asker in askers if not asker.peer)
        check.equal(answered, 256, "served once it answers")


def test_a_client_that_repeats_itself_is_served_once():
    """And one that asks for another file meanwhile gets that one."""
    with net.Net() as network, slow_site(network) as site:
        site.disk.freeze()
        same, other = site.tftp(), site.tftp()
        for _ in range(5):
            same.request("disk/far.bin")
            other.request("disk/far.bin")
        other.request("file.bin")
        other.expect_data(1, CONTENT[:512])
        site.disk.thaw()
        for number in range(1, 4):
            same.expect_data(number, FAR[512 * number - 512:512 * number])
            same.send(tftp.ack(number))
        same.send(tftp.error(0))
        other.send(tftp.ack(1))
        other.expect_data(2, CONTENT[512:1024])
        other.send(tftp.error(0))
        site.pxed.wait_log("file=disk/far.bin")
        check.equal(site.pxed.log().count("file=disk/far.bin"), 1, "transfers")


def test_a_root_that_hangs():
    """DHCP goes on: a boot file of which nobody knows is taken to be there."""
    with net.Net() as network, slow_site(network, whole_root=True) as site:
        site.disk.freeze()
        client = site.tftp()
        client.request("x64.efi")
        for _ in range(3):
            name = site.offered()
            check.that(name.endswith("x64.efi"), "the offer names %s" % name)
        check.that("eth0" in site.order("status"), "status")
        site.disk.thaw()
        client.expect_error(tftp.NOT_FOUND)


def test_it_stops_although_a_server_hangs():
    with net.Net() as network, slow_site(network) as site:
        site.disk.freeze()
        client = site.tftp()
        client.request("disk/far.bin")
        with web.Connection(site.client, net.SERVER) as connection:
            connection.ask("/disk/far.bin")
            time.sleep(0.3)
            check.equal(site.pxed.stop(), 0, "exit status")
            check.that("does not answer" in site.pxed.log(), "nothing is said of it")


# -- a server that fails, or whose file changes --------------------------------------------------

def test_a_disk_that_fails_in_mid_file():
    """Neither door gives a short file for a whole one."""
    with net.Net() as network, slow_site(network, bad_from=2 << 20) as site:
        transfer = failed_download(site, "disk/far.bin")
        check.that("ERROR" in transfer.fault, "TFTP ends with %s" % transfer.fault)
        check.at_most(len(transfer.data), 2 << 20, "octets that came by TFTP")
        answer = web.get(site.client, net.SERVER, "/disk/far.bin")
        check.that(not answer.whole, "an answer that claims to be whole")
        site.pxed.wait_log("http failed peer=.* file=disk/far.bin .* end=unreadable")
        everybody_else_is_served(site)


def test_a_file_that_another_host_changes():
    """The same size; only its server knows."""
    with net.Net() as network, slow_site(network, keeps=0) as site:
        client = site.tftp()
        transfer = tftp.Download(client, "disk/far.bin", options={"blksize": 1468})
        with web.Connection(site.client, net.SERVER, buffer=4096) as connection:
            connection.ask("/disk/far.bin")
            connection.more()
            while transfer.length < 1 << 20:
                transfer.on_packet(client.receive(check.PATIENCE))
            site.disk.content, site.disk.changed = bytes(len(FAR)), 2000
            transfer.run(2.0)
            check.that("ERROR" in (transfer.fault or ""), "TFTP ends with %s" % transfer.fault)
            connection.sock.setsockopt(1, 8, 1 << 20)
            check.that(not connection.read().whole, "HTTP gives a mixture")


# -- what is there -------------------------------------------------------------------------------

TERA = 1 << 40
SECRET = b"SECRET outside of the root"
SERVED = {  # by the name asked, with the name on disk
    "file.bin": "file.bin", "/file.bin": "file.bin", "//file.bin": "file.bin", "./file.bin": "file.bin",
    "\\file.bin": "file.bin", "FILE.BIN": "file.bin", "hard.bin": "file.bin", "in.bin": "file.bin",
    "dir/in.bin": "dir/in.bin", "dir//in.bin": "dir/in.bin", "file.bin/": "file.bin", "dir\\in.bin": "dir/in.bin",
    "mounted/m.bin": "mounted/m.bin", "MOUNTED/M.BIN": "mounted/m.bin",
    "with blank": "with blank", "m\u00fc\u4e2d.bin": "m\u00fc\u4e2d.bin", "tab\there": "tab\there",
    "100%.bin": "100%.bin", "%2e%2e": "%2e%2e", "dot.": "dot.", "..two": "..two", "C:x": "C:x",
    "a" * 255: "a" * 255, "zero": "zero",
}
REFUSED = (  # name, TFTP codes, HTTP statuses
    ("fifo", (tftp.NOT_FOUND,), (404,)), ("socket", (tftp.NOT_FOUND,), (404,)),
    ("null", (tftp.NOT_FOUND,), (404,)), ("zero-device", (tftp.NOT_FOUND,), (404,)),
    ("dir", (tftp.NOT_FOUND,), (404,)), ("dir/", (tftp.NOT_FOUND,), (404,)),
    ("out.bin", (tftp.ACCESS,), (403,)), ("absolute.bin", (tftp.ACCESS,), (403,)),
    ("outdir/secret", (tftp.ACCESS,), (403,)), ("loop", (tftp.ACCESS,), (403,)),
    ("dangling", (tftp.NOT_FOUND,), (404,)), ("secret.bin", (tftp.ACCESS,), (403,)),
    ("../secret", (tftp.ACCESS,), (403, 404)), ("dir/../../secret", (tftp.ACCESS,), (403, 404)),
    ("dir/../file.bin", (tftp.ACCESS,), (403, 404)), ("..\\secret", (tftp.ACCESS,), (403, 404)),
    ("../root-secret/secret", (tftp.ACCESS,), (403, 404)), ("/proc/self/environ", (tftp.NOT_FOUND,), (404,)),
    ("/etc/passwd", (tftp.NOT_FOUND,), (404,)), ("C:\\file.bin", (tftp.NOT_FOUND,), (404,)),
    ("file.bin.", (tftp.NOT_FOUND,), (404,)),
    ("file.bin/x", (tftp.NOT_FOUND,), (404,)), ("a" * 256, (tftp.NOT_FOUND,), (403, 404)),
    ("", (tftp.NOT_FOUND,), ()), ("..", (tftp.ACCESS,), (403, 404)), (".", (tftp.NOT_FOUND,), ()),
    ("$HOME", (tftp.NOT_FOUND,), (404,)), ("*", (tftp.NOT_FOUND,), (404,)), ("file.bin;ls", (tftp.NOT_FOUND,), (404,)),
)


def set_traps(site):
    root, folder = site.root, site.network.folder
    outside = os.path.join(folder, "secret")
    for path in (outside, root.path + "-secret/secret"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(SECRET)
    os.mkdir(root.at("mounted"))
    if slowdisk.LIBC.mount(b"tmpfs", root.at("mounted").encode(), b"tmpfs", 0, b""):
        check.fail("no tmpfs can be mounted")
    for name in set(SERVED.values()) - {"file.bin"}:
        root.write(name, b"" if name == "zero" else name.encode() * 100)
    root.write("secret.bin", SECRET, mode=0o600)
    root.sparse("tera.img", TERA)
    os.link(root.at("file.bin"), root.at("hard.bin"))
    for name, target in (("in.bin", "file.bin"), ("out.bin", "../secret"), ("absolute.bin", outside),
                         ("outdir", ".."), ("loop", "loop"), ("dangling", "nowhere")):
        os.symlink(target, root.at(name))
    os.mkfifo(root.at("fifo"), 0o666)
    os.mknod(root.at("null"), 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    os.mknod(root.at("zero-device"), 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(root.at("socket"))
    os.chmod(root.at("socket"), 0o666)


def test_what_is_served_and_what_is_not():
    with net.Net() as network, slow_site(network, prepare=set_traps) as site:
        try:
            writer = threading.Thread(target=write_to_fifo, args=(site.root.at("fifo"),), daemon=True)
            writer.start()
            for name, real in SERVED.items():
                with open(site.root.at(real), "rb") as file:
                    content = file.read()
                tftp.fetch(site.client, net.SERVER, name, content, options=OPTIONS)
                answer = web.get(site.client, net.SERVER, "/" + urllib.parse.quote(name, safe="/"))
                check.equal((answer.status, answer.body), (200, content), "GET " + check.show(name))
            for name, codes, statuses in REFUSED:
                refused_by_tftp(site, name, codes)
                if statuses:
                    refused_by_http(site, name, statuses)
            check.that(writer.is_alive(), "who writes to the FIFO has met a reader")
            a_tera_of_holes(site)
        finally:
            slowdisk.LIBC.umount2(site.root.at("mounted").encode(), slowdisk.MNT_DETACH)
            free_fifo(site.root.at("fifo"), writer)


def refused_by_tftp(site, name, codes):
    for mode in ("octet", "netascii"):
        client = site.tftp()
        client.request(name.encode(), mode)
        packet = client.expect("an answer to %s" % check.show(name))
        check.that(packet.op == tftp.ERROR and packet.code in codes, "%s is answered by %s" % (
            check.show(name), packet))
        for text in (b"/tmp", SECRET, site.root.path.encode()):
            check.lacks(packet.raw, text, "ERROR to %s" % check.show(name))
        client.close()


def refused_by_http(site, name, statuses):
    for quoted in {urllib.parse.quote(name, safe="/"), urllib.parse.quote(name, safe=""),
                   "".join("%%%02X" % octet for octet in name.encode())}:
        answer = web.get(site.client, net.SERVER, "/" + quoted)
        check.inside(answer.status, statuses, "GET " + quoted)
        check.lacks(answer.body, SECRET, "answer to " + quoted)


def a_tera_of_holes(site):
    client = site.tftp()
    client.request("tera.img", options={"tsize": 0, "blksize": 1468})
    client.expect_oack({"tsize": TERA, "blksize": 1468})
    client.send(tftp.ack(0))
    client.expect_data(1, bytes(1468))
    client.send(tftp.error(0))
    answer = web.get(site.client, net.SERVER, "/tera.img", Range="bytes=%d-" % (TERA - 1000))
    check.equal((answer.status, answer.body), (206, bytes(1000)), "its end")
    client = site.tftp()
    client.request("tera.img", "netascii")
    client.expect_error(tftp.UNDEFINED)


def write_to_fifo(path):
    try:
        with open(path, "wb") as fifo:
            fifo.write(b"for a reader of the owner's")
    except BrokenPipeError:
        pass


def free_fifo(path, writer):
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    writer.join(2)


# -- files of this host --------------------------------------------------------------------------

def test_no_client_ever_gets_a_mixture():
    """A file is written over in place, again and again; each copy that came whole is one version."""
    versions = [bytes([letter]) * 200000 for letter in b"AB"]
    with net.Net() as network, slow_site(network) as site:
        site.root.write("turns.img", versions[0])
        stop = threading.Event()
        writer = threading.Thread(target=take_turns, args=(site.root.at("turns.img"), versions, stop))
        writer.start()
        try:
            outcomes = {"whole": 0, "broken off": 0}
            end = time.monotonic() + 6.0
            while time.monotonic() < end:
                for data in (by_tftp(site, "turns.img"), by_http(site, "turns.img")):
                    check.that(data in (None, *versions), "a mixture of %s" % (
                        data and sorted(set(data))))
                    outcomes["whole" if data else "broken off"] += 1
        finally:
            stop.set()
            writer.join()
        check.at_least(outcomes["whole"], 10, "whole copies")
        check.at_least(outcomes["broken off"], 3, "copies broken off")


def test_what_waits_in_a_socket_does_not_change():
    """All of the file is in the kernel's hands, and has not arrived, when it is written over."""
    with net.Net() as network, slow_site(network) as site:
        old = b"A" * 300000
        site.root.write("queued.img", old)
        with web.Connection(site.client, net.SERVER, buffer=4096) as connection:
            connection.ask("/queued.img")
            connection.more()
            time.sleep(0.5)
            with open(site.root.at("queued.img"), "r+b") as file:
                file.write(b"B" * 300000)
            connection.sock.setsockopt(1, 8, 1 << 20)
            answer = connection.read()
            check.that(b"B" not in answer.body, "octets of two versions")


def test_what_happens_to_a_file_while_it_is_sent():
    for what, act, is_change in EVENTS:
        with net.Net() as network, slow_site(network) as site:
            site.root.write("big.img", FAR)
            time.sleep(0.03)
            client = site.tftp()
            transfer = tftp.Download(client, "big.img", options={"blksize": 1024})
            with web.Connection(site.client, net.SERVER, buffer=4096) as connection:
                connection.ask("/big.img")
                connection.more()
                while transfer.length < 1 << 20:
                    transfer.on_packet(client.receive(check.PATIENCE))
                act(site.root)
                transfer.run(2.0)
                connection.sock.setsockopt(1, 8, 1 << 20)
                answer = connection.read()
            check.equal("ERROR" in (transfer.fault or ""), is_change, "TFTP ends with an ERROR: " + what)
            check.equal(answer.whole, not is_change, "HTTP gives it whole: " + what)
            if not is_change:
                check.same_bytes(transfer.data, FAR, what)
                check.same_bytes(answer.body, FAR, what)
            check.that(site.pxed.alive(), "it has ended: " + what)


def rewrite(root):
    with open(root.at("big.img"), "r+b") as file:
        file.write(bytes(len(FAR)))


def rewrite_and_set_times_back(root):
    times = os.stat(root.at("big.img"))
    rewrite(root)
    os.utime(root.at("big.img"), ns=(times.st_atime_ns, times.st_mtime_ns))


def rename_over(root):
    root.write("new.img", bytes(1000))
    os.rename(root.at("new.img"), root.at("big.img"))


def move_the_root(root):
    """The file system in it cannot be taken away by its old name."""
    slowdisk.LIBC.umount2(root.at("disk").encode(), slowdisk.MNT_DETACH)
    os.rename(root.path, root.path + "-old")
    os.mkdir(root.path)


def grow(root):
    with open(root.at("big.img"), "ab") as file:
        file.write(b"more")


EVENTS = (
    ("written over", rewrite, True),
    ("written over, its time set back", rewrite_and_set_times_back, True),
    ("grown", grow, True),
    ("cut to nothing", lambda root: os.truncate(root.at("big.img"), 0), True),
    ("cut at a block's border", lambda root: os.truncate(root.at("big.img"), 2 << 20), True),
    ("cut within a block", lambda root: os.truncate(root.at("big.img"), (2 << 20) + 7), True),
    ("replaced by rename", rename_over, False),
    ("unlinked", lambda root: os.remove(root.at("big.img")), False),
    ("renamed", lambda root: os.rename(root.at("big.img"), root.at("old.img")), False),
    ("forbidden", lambda root: os.chmod(root.at("big.img"), 0), False),
    ("linked", lambda root: os.link(root.at("big.img"), root.at("second.img")), False),
    ("its root renamed, another one made", move_the_root, False),
)


# -- helpers -------------------------------------------------------------------------------------

class slow_site:
    """A Site whose disk is taken away whatever happens; before the folder is."""

    def __init__(self, network, **more):
        self.site = Site(network, **more)

    def __enter__(self):
        return self.site

    def __exit__(self, *exc):
        self.site.disk.close()


def take_turns(path, versions, stop):
    source = random.Random(62)
    turn = 0
    with open(path, "r+b", buffering=0) as file:
        while not stop.is_set():
            turn += 1
            file.seek(0)
            file.write(versions[turn % 2])
            stop.wait(source.choice((0.0, 0.02, 0.05, 0.1)))


def by_tftp(site, name):
    """Its content, or None when the transfer ended with an ERROR."""
    client = site.tftp()
    transfer = tftp.Download(client, name, options=OPTIONS)
    transfer.run(1.0)
    client.close()
    return transfer.data if transfer.finished else None


def by_http(site, name):
    try:
        with web.Connection(site.client, net.SERVER, buffer=16384) as connection:
            answer = connection.get("/" + name)
            return answer.body if answer.status == 200 and answer.whole else None
    except ConnectionResetError:
        return None


def failed_download(site, name):
    client = site.tftp()
    transfer = tftp.Download(client, name, options=OPTIONS)
    transfer.run(2.0)
    client.close()
    return transfer


def forget(path):
    """Out of the page cache, where the file system allows."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
