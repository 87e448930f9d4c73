"""What an operator sees by HTTP: the page, the documents, and what a browser is told of them."""
import os
import socket
import time

import check
import dhcp
import net
import web
from harness import fixture

CROWD, SIZE = 1000, 8000000
KEPT = 0.2  # seconds: one status document serves all who ask meanwhile


class Site:
    def __init__(self, network):
        self.server, self.client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        self.image = root.write("image", os.urandom(SIZE))
        self.pxed = network.pxed(self.server, dict(net.config(root), http={
            "listen": ":8069", "boot_files": True, "page_names": ["boot.example.org"]}))
        self.pxe = dhcp.Client(self.client)

    def get(self, path, **fields):
        return web.get(self.server, "127.0.0.1", path, **fields)


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def test_the_page_comes_with_a_strict_policy(site):
    answer = site.get("/")
    check.equal((answer.status, answer.fields["content-type"]), (200, "text/html; charset=utf-8"), "the page")
    with open(net.TOP + "/app/page/index.html", "rb") as page:
        check.same_bytes(answer.body, page.read(), "the page")
    policy = dict(rule.split(" ", 1) for rule in answer.fields["content-security-policy"].split("; "))
    check.equal((policy["default-src"], policy["frame-ancestors"], policy["connect-src"]),
                ("'none'", "'none'", "'self'"), "policy")
    check.that("unsafe" not in answer.fields["content-security-policy"], "policy: %s" % policy)
    for name, value in (("x-frame-options", "DENY"), ("x-content-type-options", "nosniff"),
                        ("referrer-policy", "no-referrer"), ("cache-control", "no-store"),
                        ("cross-origin-resource-policy", "same-origin")):
        check.equal(answer.fields[name], value, name)


def test_documents_tell_of_boots_and_refuse_nonsense(site):
    site.pxe.ask(dhcp.discover(7))
    mac = ":".join("%02x" % octet for octet in site.pxe.mac)
    status = web.document(site.server, "/api/status")
    found = [boot for boot in status["boots"] if boot["mac"] == mac]
    check.equal((len(found), "events" in found[0]), (1, False), "the boot in the status")
    for query in ("id=%d" % found[0]["id"], "mac=" + mac, "mac=" + mac.replace(":", "%3A")):
        boots = web.document(site.server, "/api/boots?" + query)["boots"]
        check.equal([boot["id"] for boot in boots], [found[0]["id"]], query)
        check.that(any(event["kind"] == "offer" for event in boots[0]["events"]), query)
    check.equal(web.document(site.server, "/api/boots?id=4711"), {"boots": []}, "a boot that is none")
    for path, status in (("/api/boots?id=x", 400), ("/api/boots?mac=x", 400), ("/api/boots?id=" + "9" * 80, 400),
                         ("/api/", 404), ("/api/status/", 404), ("/api/../etc/passwd", 404), ("/api/reload", 404)):
        check.equal(site.get(path).status, status, path)
    check.equal(site.get("/api/status", method="POST").status, 405, "nothing can be changed")


def test_files_by_http_are_part_of_the_boot(site):
    site.pxe.ask(dhcp.discover(7))
    with web.Connection(site.client, net.SERVER, buffer=65536) as connection:
        check.equal(connection.get("/nothing%0ahere").status, 404, "a file that is not there")
        connection.ask("/image")
        end = time.monotonic() + 3
        running = None
        while not running or running["sent"] == 0:
            check.that(time.monotonic() < end, "no transfer in the status that gets on: %s" % running)
            time.sleep(KEPT)
            running = next(iter(web.document(site.server, "/api/status")["transfers"]), None)
        check.equal((running["door"], running["name"], running["size"], running["end"]),
                    ("http", "image", SIZE, None), "while it runs")
        check.that(0 < running["sent"] < SIZE, "octets sent: %d" % running["sent"])
        check.same_bytes(connection.read().body, site.image, "the image")
    mac = ":".join("%02x" % octet for octet in site.client.mac("eth0"))
    end = time.monotonic() + 3
    while True:
        files = {file["name"]: file for boot in web.document(site.server, "/api/boots?mac=" + mac)["boots"] for file in boot["files"]}
        if files["image"]["end"]:
            break
        check.that(time.monotonic() < end, "it does not end")
        time.sleep(0.05)
    check.equal((files["image"]["end"], files["image"]["sent"]), ("done", SIZE), "the image")
    refused = files["nothing\\x0ahere"]
    check.equal((refused["end"], refused["reason"], refused["door"]), ("refused", "file not found", "http"), "the other")


def test_a_thousand_machines_are_told_of(site):
    """How long that takes is measured by tests/bench/asking.py."""
    macs = ["02:cd:00:00:%02x:%02x" % divmod(i, 256) for i in range(CROWD)]
    for i, mac in enumerate(macs):
        site.pxe.send(dhcp.discover(7, chaddr=bytes.fromhex(mac.replace(":", "")).ljust(16, b"\0")))
        if i % 20 == 19:  # no faster than it is read
            site.pxed.wait_log("mac=" + mac)
    end, told = time.monotonic() + 10, []
    while not set(macs) <= set(told):
        check.that(time.monotonic() < end, "told of %d only" % len(told))
        time.sleep(KEPT)
        told = [boot["mac"] for boot in web.document(site.server, "/api/status")["boots"]]
    check.equal(len(told), len(set(told)), "none is told of twice")
    one = web.document(site.server, "/api/boots?mac=" + macs[7])["boots"]
    check.equal([(boot["mac"], boot["arch"]) for boot in one], [(macs[7], "x64-uefi")], "one of them")
    check.equal(site.get("/metrics").status, 200, "metrics")


def test_many_who_look_share_one_document(site):
    start = time.monotonic()
    times = [web.document(site.server, "/api/status")["time"] for _ in range(6)]
    made = 2 + int((time.monotonic() - start) / KEPT)
    check.that(len(set(times)) <= made, "documents made within moments: %s" % times)
    time.sleep(KEPT)
    check.that(web.document(site.server, "/api/status")["time"] not in times, "it is made anew")


def test_no_page_by_a_name_of_somebody_else(site):
    """DNS rebinding: a script of evil.example, whose name leads here now, asks in the browser of
    who may see the page; an address, this host's name and those of http.page_names are good."""
    ours = ("127.0.0.1", "127.0.0.1:8069", "[::1]:8069", "localhost", "LocalHost:8069", "a.localhost",
            socket.gethostname(), "boot.example.org", "Boot.Example.Org.:8069")
    evil = ("evil.example", "evil.example:8069", "127.0.0.1.evil.example", "localhost.evil.example", "evil-localhost",
            "boot.example.org.evil.example", "boot.example", "", ".", "127.0.0.1@evil.example", "a" * 5000, "2130706433")
    for path in ("/", "/api/status", "/api/boots", "/metrics", "/evidence/"):
        good = 404 if path == "/evidence/" else 200
        for host, status in [(one, good) for one in ours] + [(one, 403) for one in evil]:
            check.equal(site.get(path, Host=host).status, status, "%s at %r" % (path, host[:60]))
    check.inside("page_names", site.get("/", Host="evil.example").body.decode(), "the reason")
    check.equal(site.get("/x64.efi", Host="evil.example").status, 200, "a boot file has no names")
