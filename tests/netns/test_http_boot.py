"""Boots by HTTP: offers of our own server, the host table, virtual files, boots that end."""
import socket

import check
import dhcp
import dhcp6
import net
import web
import wire
from harness import fixture
from test_control import ask

KNOWN, DENIED, ONCE, FREE = ("52:54:00:0d:00:0%d" % i for i in range(1, 5))
X64_HTTP = 16
TEMPLATE = "#!ipxe\nset mac ${mac}\nkernel ${http}/vmlinuz\n"


class Site:
    """One pxed with boot files by HTTP, and a client that plays several machines."""

    def __init__(self, network):
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.root.write("x64/loader.efi", b"loader" * 20000)
        self.root.write("vmlinuz", b"k" * 3000)
        self.template = network.folder + "/boot.ipxe.in"
        with open(self.template, "w") as file:
            file.write(TEMPLATE)
        profiles = {"default": dict(net.BOOT_FILES, **{"x64-uefi-http": "x64/loader.efi",
                                                       "arm64-uefi-http": "gone.efi"}),
                    "plain": {"x64-uefi-http": "x64/loader.efi"},
                    "when": {"extends": "plain", "done_when": "vmlinuz"}}
        hosts = [{"name": "known", "mac": KNOWN},
                 {"mac": DENIED, "action": "ignore"},
                 {"mac": ONCE, "profile": "plain", "once": True},
                 {"mac": "52:54:00:0d:00:09", "profile": "when", "once": True}]
        self.configuration = dict(
            net.config(self.root, profiles=profiles, hosts=hosts),
            http={"listen": ":8069", "boot_files": True}, control=network.folder + "/control",
            files={"boot.ipxe": {"template": self.template},
                   "by-mac/${mac}": {"file": "vmlinuz"}})
        self.pxed = network.pxed(self.server, self.configuration)
        self.pxe = dhcp.Client(self.client)

    def discover(self, mac, arch=X64_HTTP):
        message = dhcp.discover(arch, chaddr=wire.mac_bytes(mac).ljust(16, b"\0"))
        word = "HTTPClient" if arch in (16, 19) else "PXEClient"
        return message.set(60, dhcp.class_text(arch, word))

    def url(self, mac, arch=X64_HTTP):
        reply = self.pxe.ask(self.discover(mac, arch)).message
        check.equal(reply.option(60), b"HTTPClient", "class of the offer")
        return reply.option(67).decode()

    def take_lease(self, mac, arch=X64_HTTP):
        request = self.discover(mac, arch).set(53, b"\3").set(54, wire.ip_bytes("10.77.0.254"))
        self.pxe.send(request.set(50, wire.ip_bytes(net.CLIENT)))
        self.pxe.ask(self.discover(FREE))  # behind it, so that the REQUEST was read

    def get(self, path, method="GET", **fields):
        return web.get(self.client, net.SERVER, path, method, **fields)

    def tell(self, question):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(5)
            sock.connect(self.configuration["control"])
            return ask(sock, question)[0]


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def test_the_offer_names_our_own_server(site):
    url = site.url(FREE)
    check.equal(url, "http://10.77.0.1:8069/x64/loader.efi", "URL")
    check.equal(site.get(url).body, b"loader" * 20000, "what is there")
    site.pxe.silent(site.discover(FREE, 19))  # its file is missing


def test_the_offer_over_ipv6(site):
    solicit = dhcp6.solicit(X64_HTTP, kind="HTTPClient")
    client = dhcp6.Client(site.client)
    reply, _ = client.ask(solicit)
    url = reply.url()
    check.equal(url, "http://[fd77::1]:8069/x64/loader.efi", "URL")
    check.equal(web.get(site.client, "fd77::1", "/x64/loader.efi").status, 200, "what is there")


def test_the_host_table_rules_over_http(site):
    site.take_lease(DENIED)
    check.equal(site.get("/vmlinuz").status, 403, "a denied machine")
    site.take_lease(KNOWN)
    check.equal(site.get("/vmlinuz").status, 200, "another one")


def test_virtual_files(site):
    site.take_lease(KNOWN)
    answer = site.get("/boot.ipxe")
    check.equal(answer.body.decode(),
                "#!ipxe\nset mac %s\nkernel http://10.77.0.1:8069/vmlinuz\n" % KNOWN, "rendered")
    check.equal(answer.fields["cache-control"], "no-store", "nobody is to keep it")
    check.equal(site.get("/boot.ipxe", "HEAD").fields["content-length"], str(len(answer.body)),
                "length that HEAD tells")
    check.equal(site.get("/by-mac/" + KNOWN).body, b"k" * 3000, "another file's name")
    check.equal(site.get("/by-mac/" + FREE).status, 404, "another machine's name")
    check.equal(site.get("/auto").body, b"loader" * 20000, "auto")
    check.equal(site.get("/autoexec.ipxe").body.decode(),
                "#!ipxe\nchain --autofree http://10.77.0.1:8069/boot.ipxe\n", "autoexec.ipxe")
    site.take_lease(FREE)


def test_a_boot_by_http_is_done_when_its_last_file_came(site):
    site.take_lease(ONCE)
    site.get("/x64/loader.efi", "HEAD")
    site.get("/x64/loader.efi", Range="bytes=0-9")
    site.url(ONCE)
    with web.Connection(site.client, net.SERVER, buffer=4096) as connection:
        connection.ask("/x64/loader.efi")
        connection.more()
    check.until("the broken one is told", lambda: "http failed" in site.pxed.log())
    site.url(ONCE)
    check.equal(site.get("/x64/loader.efi").status, 200, "the file of the offer")
    check.until("it is done", lambda: any(m["mac"] == ONCE and m["done"] for m in
                                    site.tell({"verb": "known"})["machines"]))
    site.pxe.silent(site.discover(ONCE))
    check.equal(site.get("/vmlinuz").status, 200, "what its boot goes on with")


def test_done_when_may_be_fetched_by_http(site):
    mac = "52:54:00:0d:00:09"
    site.take_lease(mac)
    site.get("/x64/loader.efi")
    site.url(mac)
    site.get("/vmlinuz")
    check.until("it is done", lambda: any(m["mac"] == mac and m["done"] for m in
                                    site.tell({"verb": "known"})["machines"]))
    site.pxe.silent(site.discover(mac))


def test_a_machine_of_which_only_the_kernel_knows():
    """No DHCP was heard: the neighbour table tells the MAC, by the interface it came in."""
    with net.Net() as network:
        site = Site(network)
        site.client.ip("link", "set", "eth0", "address", DENIED)
        for address in (net.SERVER, "fd77::1", site.server.link_local("eth0") + "%eth0"):
            check.equal(web.get(site.client, address, "/vmlinuz").status, 403, address)
        site.client.ip("link", "set", "eth0", "address", KNOWN)
        site.server.ip("neigh", "flush", "all")
        for address in (net.SERVER, "fd77::1"):
            check.equal(web.get(site.client, address, "/vmlinuz").status, 200, address)


def test_a_reload_opens_and_closes_the_door():
    with net.Net() as network:
        site = Site(network)
        for boot_files, status in ((False, 404), (True, 200)):
            site.configuration["http"]["boot_files"] = boot_files
            profile = site.configuration["profiles"]["default"]
            profile["x64-uefi-http"] = "x64/loader.efi" if boot_files else "http://10.0.0.1/x"
            for name in ("plain", "when"):
                site.configuration["profiles"][name]["x64-uefi-http"] = profile["x64-uefi-http"]
            profile["arm64-uefi-http"] = profile["x64-uefi-http"]
            with open(site.template, "w") as file:
                file.write(TEMPLATE if boot_files else "#!ipxe\n")
            net.write_json(site.pxed.config_path, site.configuration)
            check.that(site.tell({"verb": "reload"})["ok"], "the reload")
            check.equal(site.get("/vmlinuz").status, status, "boot_files %s" % boot_files)
        site.configuration["http"].update(listen=":8070", timeout=7)
        net.write_json(site.pxed.config_path, site.configuration)
        start = len(site.pxed.log())
        check.that(site.tell({"verb": "reload"})["ok"], "the reload")
        for key in ("http.listen", "http.timeout"):
            site.pxed.wait_log('"%s" has changed: it takes effect at the next start' % key,
                               start=start)


def test_files_by_http_alone():
    """No DHCP, no TFTP: a file server for a DHCP server that names it."""
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        root.write("a.efi", b"a" * 100)
        configuration = net.config(root, tftp={"enabled": False}, dhcp=False,
                                   profiles={"default": {"x64-uefi": "a.efi"}})
        configuration["http"] = {"listen": "10.77.0.1:80", "boot_files": True}
        pxed = network.pxed(server, configuration)
        check.equal(web.get(client, net.SERVER, "/a.efi", port=80).body, b"a" * 100, "the file")
        check.equal(pxed.status("CapEff"), "0000000000000000", "capabilities after port 80")


def test_a_port_that_is_taken():
    with net.Net() as network:
        server, _ = network.pair()
        root = network.root()
        net.write_boot_files(root)
        taken = server.socket(socket.AF_INET, socket.SOCK_STREAM)
        taken.bind(("127.0.0.1", 8069))
        taken.listen()
        pxed = network.pxed(server, net.config(root))
        pxed.wait_log(r"cannot listen on 127.0.0.1:8069 \(HTTP\): Address already in use.*going on")
        check.equal(pxed.stop(), 0, "exit status")
        configuration = dict(net.config(root), http={"listen": "127.0.0.1:8069"})
        pxed = network.pxed(server, configuration, ready=False)
        check.until("it ends", lambda: not pxed.alive())
        check.equal(pxed.stop(), 1, "exit status when it was asked for")
        check.inside("cannot listen on 127.0.0.1:8069", pxed.log(), "message")


def test_the_timeline_has_files_by_http():
    with net.Net() as network:
        site = Site(network)
        site.url(KNOWN)
        site.take_lease(KNOWN)
        site.root.write("large.img", bytes(30 << 20))
        site.get("/none.efi", "HEAD")
        site.get("/x64/loader.efi")
        with web.Connection(site.client, net.SERVER, buffer=4096) as connection:
            connection.ask("/large.img")
            connection.more()
            check.until("some of it has come", lambda: under_way(site)["sent"] > 0)
            now = under_way(site)
            check.equal((now["door"], now["size"], now["end"]), ("http", 30 << 20, None), "FILE")
        check.until("nothing is under way", lambda: not site.tell({"verb": "status"})["transfers"])
        boot = site.tell({"verb": "boots", "mac": KNOWN})["boots"][0]
        files = {file["name"]: file for file in boot["files"]}
        loader = files["x64/loader.efi"]
        check.equal((loader["door"], loader["end"], loader["sent"], loader["size"]),
                    ("http", "done", 120000, 120000), "the loader")
        check.equal(files["large.img"]["end"], "aborted", "the one that was broken off")
        check.equal((files["none.efi"]["end"], files["none.efi"]["reason"]),
                    ("refused", "file not found"), "the one that is not there")
        check.equal(boot["client"], "uefi-http", "client")


def under_way(site):
    transfers = site.tell({"verb": "status"})["transfers"]
    return transfers[0] if transfers else {"sent": 0}
