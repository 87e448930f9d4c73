"""Boot files by HTTP: what every client gets, whatever it asks."""
import os
import random
import time

import check
import net
import web
from harness import fixture

BIG = 40 << 20


class Site:
    """One pxed with boot files by HTTP."""

    def __init__(self, network, **settings):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.big = self.root.write("images/big.img", random.Random(7).randbytes(BIG))
        self.root.write("EFI/Boot/BootX64.efi", b"efi" * 1000)
        self.root.write("empty.txt")
        self.root.write("a name % of #1?.txt", b"odd")
        self.root.write("secret.txt", b"s", mode=0o600)
        os.symlink("/etc/passwd", self.root.at("way-out"))
        os.mkfifo(self.root.at("pipe"))
        http = {"listen": ":8069", "boot_files": True}
        http.update(settings.pop("http", {}))
        self.configuration = dict(net.config(self.root, **settings), http=http)
        self.pxed = network.pxed(self.server, self.configuration)

    def get(self, path, method="GET", address=net.SERVER, **fields):
        return web.get(self.client, address, path, method, **fields)


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def test_get_head_and_what_they_say(site):
    answer = site.get("/images/big.img")
    check.equal(answer.status, 200, "status")
    check.same_bytes(answer.body, site.big, "the body")
    check.equal(answer.fields["content-type"], "application/vnd.efi-img", "type")
    head = site.get("/images/big.img", "HEAD")
    check.equal(head.status, 200, "status of HEAD")
    for name in ("content-length", "etag", "last-modified", "accept-ranges", "content-type"):
        check.equal(head.fields[name], answer.fields[name], "HEAD and GET: " + name)
    site.pxed.wait_log(r"http done peer=\S+ file=images/big.img size=%d sent=%d seconds=" % (BIG, BIG))


def test_ipv6(site):
    for address in ("fd77::1", site.server.link_local("eth0") + "%eth0"):
        check.equal(site.get("/x64.efi", address=address).body, b"x64.efi" * 500, address)


def test_types(site):
    for name, kind in (("x64.efi", "application/efi"), ("boot.ipxe", "text/plain"),
                       ("bios.0", "application/octet-stream"), ("empty.txt", "text/plain")):
        site.root.write(name, b"" if name == "empty.txt" else name.encode())
        answer = site.get("/" + name)
        check.equal(answer.status, 200, name)
        check.equal(answer.fields["content-type"], kind, name)
        check.equal(answer.fields["content-length"], str(len(answer.body)), name)


def test_one_connection_serves_many(site):
    with web.Connection(site.client, net.SERVER) as connection:
        for _ in range(20):
            check.equal(connection.get("/boot.ipxe").status, 200, "a file")
            check.equal(connection.get("/boot.ipxe", "HEAD").status, 200, "its head")
            check.equal(connection.get("/nothing").status, 404, "no file")


def test_ranges(site):
    size, path = BIG, "/images/big.img"
    for field, status, first, last in (
            ("bytes=0-0", 206, 0, 0), ("bytes=0-99", 206, 0, 99),
            ("bytes=%d-" % (size - 5), 206, size - 5, size - 1),
            ("bytes=-7", 206, size - 7, size - 1),
            ("bytes=%d-%d" % (size - 3, size + 100), 206, size - 3, size - 1),
            ("bytes=-%d" % (size + 1), 206, 0, size - 1),
            ("bytes=%d-" % size, 416, None, None), ("bytes=-0", 416, None, None),
            ("bytes=99999999999999999999-", 200, 0, size - 1),
            ("bytes=0-1,5-6", 200, 0, size - 1), ("bytes=5-1", 200, 0, size - 1),
            ("octets=0-1", 200, 0, size - 1), ("bytes=", 200, 0, size - 1),
            ("bytes=-", 200, 0, size - 1), ("bytes= 0-1", 200, 0, size - 1)):
        answer = site.get(path, Range=field)
        check.equal(answer.status, status, field)
        if status == 416:
            check.equal(answer.fields["content-range"], "bytes */%d" % size, field)
            continue
        check.that(answer.whole, field + " came whole")
        check.same_bytes(answer.body, site.big[first:last + 1], field)
        if status == 206:
            check.equal(answer.fields["content-range"], "bytes %d-%d/%d" % (first, last, size),
                        field)
    check.equal(site.get("/empty.txt", Range="bytes=0-").status, 416, "of an empty file")


def test_conditions(site):
    first = site.get("/x64.efi")
    etag, date = first.fields["etag"], first.fields["last-modified"]
    for fields, status in (
            ({"If-None-Match": etag}, 304), ({"If-None-Match": '"x", ' + etag}, 304),
            ({"If-None-Match": "*"}, 304), ({"If-None-Match": '"x"'}, 200),
            ({"If-Modified-Since": date}, 304),
            ({"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"}, 200),
            ({"If-None-Match": '"x"', "If-Modified-Since": date}, 200),
            ({"Range": "bytes=0-1", "If-Range": etag}, 206),
            ({"Range": "bytes=0-1", "If-Range": date}, 206),
            ({"Range": "bytes=0-1", "If-Range": '"x"'}, 200)):
        with web.Connection(site.client, net.SERVER) as connection:
            check.equal(connection.get("/x64.efi", **fields).status, status, str(fields))
            check.equal(connection.get("/boot.ipxe").status, 200, "what follows %s" % fields)


def test_another_version_is_no_part_of_the_first(site):
    """Of the same size and time, put in place by rename: a client that goes on begins anew."""
    site.root.write("image", b"A" * 1000)
    os.utime(site.root.at("image"), ns=(10 ** 18, 10 ** 18))
    first = site.get("/image", Range="bytes=0-499")
    time.sleep(0.02)
    site.root.write("image.new", b"B" * 1000)
    os.utime(site.root.at("image.new"), ns=(10 ** 18, 10 ** 18))
    os.rename(site.root.at("image.new"), site.root.at("image"))
    second = site.get("/image", Range="bytes=500-", If_Range=first.fields["etag"])
    check.equal((first.status, second.status, second.body), (206, 200, b"B" * 1000), "the second")


def test_names_are_repaired_as_by_tftp(site):
    for path in ("/EFI/Boot/BootX64.efi", "/efi/boot/bootx64.efi", "//EFI//Boot/./BootX64.efi",
                 "/EFI%5CBoot%5Cbootx64.efi", "/EFI\\Boot\\BootX64.efi",
                 "http://10.77.0.1:8069/EFI/Boot/BootX64.efi", "/EFI/Boot/BootX64.efi?a=b"):
        check.equal(site.get(path).body, b"efi" * 1000, path)
    check.equal(site.get("/a%20name%20%25%20of%20%231%3f.txt").body, b"odd", "an odd name")
    site.pxed.wait_log(r"http done \S+ file=\S+ repaired=case")


def test_no_way_out_and_no_listing(site):
    for path, status in (
            ("/../etc/passwd", 403), ("/images/../../etc/passwd", 403),
            ("/%2e%2e/etc/passwd", 403), ("/..%2fetc/passwd", 403), ("/..%5cetc%5cpasswd", 403),
            ("/way-out", 403), ("/secret.txt", 403), ("/images", 404), ("/images/", 404),
            ("/pipe", 404), ("/x64.efi%00.txt", 400), ("/x64%2", 400), ("/x64%zz", 400),
            ("/" + "a" * 300, 404), ("/" + "a/" * 600, 400), ("x64.efi", 400), ("*", 400)):
        answer = site.get(path)
        check.equal(answer.status, status, path[:40])
        check.lacks(answer.body.decode(), site.root.path, "what is said of " + path[:40])


def test_other_methods(site):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"):
        with web.Connection(site.client, net.SERVER) as connection:
            answer = connection.get("/x64.efi", method, Content_Length="0")
            check.equal(answer.status, 405, method)
            check.equal(answer.fields["allow"], "GET, HEAD", method)
    with web.Connection(site.client, net.SERVER) as connection:
        connection.ask("/x64.efi", "POST", Content_Length="1000000000")
        check.equal(connection.read().status, 405, "a large upload")


def test_pages_are_not_files(site):
    site.root.write("metrics", b"a file")
    for path in ("/", "/metrics", "/api/status", "/evidence/1.pcap"):
        answer = site.get(path)
        check.equal(answer.status, 403, path + " from an address that may not")
