"""Interfaces that come late, go, come back and change: served whenever they can be."""
import re
import time

import check
import dhcp
import dhcp6
import net
import tftp

BOTH_MODES = ("capture", "udp")
FILE = bytes(range(256)) * 200
ADDRESSES = ("10.88.0.1", "fd88::1")


class Site:
    """pxed and a client; eth1 leads to a second client and is the one that changes."""

    def __init__(self, network, listen="capture", late=False, **settings):
        self.network = network
        self.server, self.client = network.pair()
        self.other = network.namespace("oth")
        self.root = network.root()
        net.write_boot_files(self.root)
        if not late:
            self.make()
        interfaces = ["eth0", {"name": "eth1", "listen": listen}]
        self.pxed = network.pxed(self.server, dict(net.config(self.root, interfaces), **settings))
        self.near = dhcp.Client(self.client)

    def make(self, address="10.88.0.1/24"):
        self.network.link(self.server, "eth1", self.other, "eth0")
        self.other.addr("eth0", "10.88.0.100/24")
        if address:
            self.server.addr("eth1", address)

    def wait(self, pattern, start=0):
        self.pxed.wait_log(pattern, start=start)

    def serves(self, address="10.88.0.1"):
        """Proxy offers, port 4011 and files on eth1, as this address; and still on eth0."""
        message = dhcp.discover(7)
        reply = dhcp.Client(self.other).ask(message)
        dhcp.check_offer(reply, message, address, "x64.efi", self.server.mac("eth1"))
        tftp.fetch(self.other, address, "x64.efi", b"x64.efi" * 500)
        ask_4011(self.other, address)
        self.still_serves_eth0()

    def still_serves_eth0(self):
        message = dhcp.discover(7)
        dhcp.check_offer(self.near.ask(message), message, net.SERVER, "x64.efi",
                         self.server.mac("eth0"))

    def is_silent(self):
        client, message = dhcp.Client(self.other), dhcp.discover(7)
        client.send(message)
        self.still_serves_eth0()
        check.equal(len(client.replies(0.2, {message.xid})), 0, "offers")


def ask_4011(client, address):
    message = dhcp.request4011(7, ciaddr="10.88.0.100")
    message.chaddr = bytes.fromhex("525400bb0002").ljust(16, b"\0")
    with client.udp("10.88.0.100", 4011) as sock:
        sock.settimeout(2.0)
        sock.sendto(message.pack(), (address, 4011))
        check.equal(sock.recvfrom(2048)[1], (address, 4011), "source of the 4011 answer")


def test_interface_made_after_the_start():
    for listen in BOTH_MODES:
        with net.Net() as network:
            site = Site(network, listen, late=True)
            check.that(re.search(r'there is no interface "eth1"; there are: .*eth0.*it is waited for',
                                 site.pxed.log()), "the log does not say what is waited for")
            site.still_serves_eth0()
            site.make()
            site.wait("interface serves interface=eth1 address=10.88.0.1 .*listen=" + listen)
            site.serves()


def test_interface_deleted_and_made_again():
    for listen in BOTH_MODES:
        with net.Net() as network:
            site = Site(network, listen)
            site.serves()
            for _ in range(3):
                start = len(site.pxed.log())
                site.server.ip("link", "del", "eth1")
                site.wait('there is no interface "eth1"', start)
                site.still_serves_eth0()
                site.make()
                site.wait("interface serves interface=eth1", start)
                site.serves()


def test_descriptors_do_not_grow_when_an_interface_comes_and_goes():
    with net.Net() as network:
        site = Site(network)
        site.serves()
        before = len(site.pxed.open_files())
        for _ in range(10):
            start = len(site.pxed.log())
            site.server.ip("link", "del", "eth1")
            site.wait('there is no interface "eth1"', start)
            site.make()
            site.wait("interface serves interface=eth1", start)
        site.serves()
        check.at_most(len(site.pxed.open_files()), before + 1, "open descriptors")


def test_interface_that_returns_with_its_old_index():
    """Moved to another namespace and back: same index, but the old capture is deaf."""
    with net.Net() as network:
        site = Site(network)
        site.serves()
        index, start = site.server.index("eth1"), len(site.pxed.log())
        away = network.namespace("away")
        site.server.ip("link", "set", "eth1", "netns", away.name)
        site.wait('there is no interface "eth1"', start)
        away.ip("link", "set", "eth1", "netns", site.server.name)
        site.server.ip("link", "set", "eth1", "up")
        site.server.addr("eth1", "10.88.0.1/24")
        site.wait("interface serves interface=eth1", start)
        check.equal(site.server.index("eth1"), index, "index of the interface")
        site.serves()


def test_link_that_is_down_at_start():
    for listen in BOTH_MODES:
        with net.Net() as network:
            site = Site(network, listen, late=True)
            site.pxed.stop()
            site.make()
            site.server.ip("link", "set", "eth1", "down")
            site.pxed = network.pxed(site.server, net.config(
                site.root, ["eth0", {"name": "eth1", "listen": listen}]))
            site.wait("interface eth1 is down; it is waited for")
            site.still_serves_eth0()
            site.server.ip("link", "set", "eth1", "up")
            site.wait("interface serves interface=eth1")
            site.serves()


def test_link_that_goes_down_and_up():
    for listen in BOTH_MODES:
        with net.Net() as network:
            site = Site(network, listen)
            for _ in range(3):
                start = len(site.pxed.log())
                site.server.ip("link", "set", "eth1", "down")
                site.wait("interface eth1 is down; it is waited for", start)
                site.still_serves_eth0()
                site.server.ip("link", "set", "eth1", "up")
                site.wait("interface serves interface=eth1", start)
                site.serves()


def test_cable_pulled_and_plugged():
    """The other end goes down: no carrier, which needs no word and no new capture."""
    with net.Net() as network:
        site = Site(network)
        site.other.ip("link", "set", "eth0", "down")
        site.still_serves_eth0()
        site.other.ip("link", "set", "eth0", "up")
        for end, name in ((site.other, "eth0"), (site.server, "eth1")):
            check.until("the wire is there", lambda end=end, name=name: "state UP" in end.ip("link", "show", name))
        site.serves()


def test_address_added_later():
    for listen in BOTH_MODES:
        with net.Net() as network:
            site = Site(network, listen, late=True)
            site.make(address=None)
            site.wait("interface eth1 has no IPv4 address, so there is none to offer; it is waited for")
            site.is_silent()
            site.server.addr("eth1", "10.88.0.1/24")
            site.wait("interface serves interface=eth1 address=10.88.0.1")
            site.serves()


def test_address_changed():
    for listen in BOTH_MODES:
        with net.Net() as network:
            site = Site(network, listen)
            site.serves()
            site.server.ip("addr", "add", "10.88.0.9/24", "dev", "eth1")
            site.serves()
            site.server.ip("addr", "del", "10.88.0.1/24", "dev", "eth1")
            site.server.ip("addr", "replace", "10.88.0.9/24", "dev", "eth1")
            site.wait("interface serves interface=eth1 address=10.88.0.9")
            site.serves("10.88.0.9")


def test_address_lost():
    with net.Net() as network:
        site = Site(network)
        site.server.ip("addr", "flush", "dev", "eth1")
        site.wait("interface eth1 has no IPv4 address")
        site.is_silent()


def test_configured_address_is_waited_for():
    with net.Net() as network:
        site = Site(network)
        site.pxed.stop()
        site.pxed = network.pxed(site.server, net.config(
            site.root, ["eth0", {"name": "eth1", "address": "10.88.0.7"}]))
        site.wait("interface eth1 does not have the address 10.88.0.7; it is waited for")
        site.is_silent()
        site.server.addr("eth1", "10.88.0.7/24")
        site.wait("interface serves interface=eth1 address=10.88.0.7")
        site.serves("10.88.0.7")


def test_mac_changed():
    with net.Net() as network:
        site = Site(network)
        site.server.ip("link", "set", "eth1", "address", "02:00:00:00:00:99")
        site.wait("interface serves interface=eth1 .*mac=02:00:00:00:00:99")
        site.serves()


def test_interface_renamed_to_the_name_that_is_waited_for():
    with net.Net() as network:
        site = Site(network, late=True)
        network.link(site.server, "tmp1", site.other, "eth0")
        site.other.addr("eth0", "10.88.0.100/24")
        site.server.addr("tmp1", "10.88.0.1/24")
        site.server.ip("link", "set", "tmp1", "down")
        site.server.ip("link", "set", "tmp1", "name", "eth1")
        site.server.ip("link", "set", "eth1", "up")
        site.wait("interface serves interface=eth1")
        site.serves()


def test_storm_of_changes_is_borne():
    """A host that makes containers: what concerns others costs no line and no answer."""
    with net.Net() as network:
        site = Site(network)
        lines = len(site.pxed.log())
        for number in range(30):
            site.server.ip("link", "add", "veth%d" % number, "type", "bridge")
            site.server.ip("addr", "add", "10.99.%d.1/24" % number, "dev", "veth%d" % number)
        for number in range(30):
            site.server.ip("link", "del", "veth%d" % number)
        site.serves()
        check.lacks(site.pxed.log()[lines:], "interface serves", "log")


def test_without_hotplug_everything_must_be_there():
    """"hotplug": false: no capability is kept, and what is missing at start is a fault."""
    with net.Net() as network:
        site = Site(network, hotplug=False)
        check.equal(site.pxed.status("CapPrm"), "0" * 16, "CapPrm")
        site.serves()
        site.server.ip("link", "del", "eth1")
        site.wait("interface eth1 is gone")
        site.still_serves_eth0()
        time.sleep(0.1)
        check.equal(site.pxed.log().count("is gone"), 1, "times that the log says so")
        site.pxed.stop()
        again = network.pxed(site.server, dict(net.config(site.root, ["eth0", "eth1"]),
                                               hotplug=False), ready=False)
        again.stopped = True
        check.equal(again.process.wait(5), 1, "exit status without eth1")
        check.that('there is no interface "eth1"' in again.log(), "the interface is not named")


def test_port_of_a_bridge_is_warned_of():
    with net.Net() as network:
        site = Site(network, late=True)
        network.bridge(site.server)
        start = len(site.pxed.log())
        site.make()
        site.wait("interface serves interface=eth1", start)
        check.that("is a port of" not in site.pxed.log(), "warned of no bridge")
        site.pxed.stop()
        site.server.ip("link", "set", "eth1", "master", "br0")
        site.pxed = network.pxed(site.server, net.config(site.root, ["eth0", "eth1"]))
        site.wait("interface eth1 is a port of br0, .*name br0 under \"interfaces\" instead")


def test_what_is_not_ethernet_is_refused():
    with net.Net() as network:
        site = Site(network, late=True)
        site.pxed.stop()
        site.server.ip("tuntap", "add", "dev", "eth1", "mode", "tun")
        site.server.ip("link", "set", "eth1", "up")
        pxed = network.pxed(site.server, net.config(site.root, ["eth0", "eth1"]), ready=False)
        pxed.stopped = True
        check.equal(pxed.process.wait(5), 1, "exit status")
        check.that("interface eth1 is not an Ethernet interface" in pxed.log(),
                   "no reason in %r" % pxed.log())


# -- while a transfer is under way ----------------------------------------------------------------

class Changing(Site):
    """eth1 has an address of either family."""

    def make(self, address="10.88.0.1/24"):
        super().make(address)
        self.server.addr("eth1", "fd88::1/64")
        self.other.addr("eth0", "fd88::100/64")

    def on_eth1(self, *words):
        self.server.ip("link", "set", "eth1", *words)

    def readdress(self, verb, *addresses):
        for address in addresses:
            extra = ["nodad"] if ":" in address and verb == "add" else []
            self.server.ip("addr", verb, address, "dev", "eth1", *extra)

    def give_addresses(self):
        """Those that are missing: a link that goes down loses its IPv6 addresses."""
        there = self.server.ip("addr", "show", "dev", "eth1")
        self.readdress("add", *[one for one in ("10.88.0.1/24", "fd88::1/64") if one not in there])

    def serves_both(self):
        self.serves()
        tftp.fetch(self.other, "fd88::1", "x64.efi", b"x64.efi" * 500)
        client = dhcp6.Client(self.other)
        client.ask(dhcp6.solicit(7))
        client.sock.close()


def go_down(site):
    site.on_eth1("down")


def come_up(site):
    site.on_eth1("up")
    site.give_addresses()


def delete(site):
    site.server.ip("link", "del", "eth1")


def rename(site):
    site.on_eth1("down")
    site.on_eth1("name", "away")
    site.server.ip("link", "set", "away", "up")


def rename_back(site):
    site.server.ip("link", "set", "away", "down")
    site.server.ip("link", "set", "away", "name", "eth1")
    come_up(site)


def move(site):
    site.on_eth1("netns", site.client.name)


def move_back(site):
    site.client.ip("link", "set", "eth1", "netns", site.server.name)
    come_up(site)


def other_address(site):
    site.readdress("add", "10.88.0.9/24", "fd88::9/64")
    site.readdress("del", "10.88.0.1/24", "fd88::1/64")


def first_address(site):
    site.readdress("flush")
    site.give_addresses()


def small(site):
    site.on_eth1("mtu", "1280")
    site.other.ip("link", "set", "eth0", "mtu", "1280")


def large(site):
    site.on_eth1("mtu", "1500")
    site.other.ip("link", "set", "eth0", "mtu", "1500")


def lose_route(site):
    site.server.ip("route", "add", "default", "via", "10.88.0.200")
    site.server.ip("route", "del", "default")


def deaf(site):
    site.other.ip("link", "set", "eth0", "down")


def hears(site):
    site.other.ip("link", "set", "eth0", "up")
    site.other.ip("addr", "replace", "fd88::100/64", "dev", "eth0", "nodad")


CHANGES = {
    "down and up": (go_down, come_up),
    "deleted and made again": (delete, lambda site: site.make()),
    "renamed and back": (rename, rename_back),
    "moved to another namespace and back": (move, move_back),
    "other addresses and back": (other_address, first_address),
    "a smaller MTU and back": (small, large),
    "no default route": (lose_route, lambda site: None),
    "no cable for a while": (deaf, hears),
}


def go_on(transfers, seconds, until=lambda transfer: False):
    """All of them, for so long or until each is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not all(one.over or until(one) for one in transfers):
        for one in transfers:
            if one.over or until(one):
                continue
            try:
                packet = one.client.receive(0.05)
                one.on_packet(packet) if packet else one.on_timeout()
            except OSError:
                time.sleep(0.02)  # there is no way to the server


def all_changes(listen):
    """Two transfers, of either family, come to a stop with their link and go on with it."""
    with net.Net() as network:
        site = Changing(network, listen)
        site.root.write("file", FILE)
        site.serves_both()
        for title, (change, back) in CHANGES.items():
            start = len(site.pxed.log())
            transfers = [tftp.Download(tftp.Client(site.other, address), "file", options={"blksize": 1400})
                         for address in ADDRESSES]
            go_on(transfers, 2.0, lambda one: one.expected > 8)
            change(site)
            for one in transfers:
                one.repeats = -100
            go_on(transfers, 0.3, lambda one: one.expected > 16)
            back(site)
            go_on(transfers, 6.0)
            for one, address in zip(transfers, ADDRESSES):
                check.that(one.finished, "%s: the transfer from %s: %s, block %d" % (
                    title, address, one.fault, one.expected))
                check.same_bytes(one.data, FILE, "%s: file from %s" % (title, address))
                one.client.close()
            site.serves_both()
            check.lacks(site.pxed.log()[start:], "tftp failed", "%s: log" % title)


def test_whatever_happens_to_it_a_transfer_goes_on():
    all_changes("capture")


def test_so_it_does_beside_a_socket_on_port_67():
    all_changes("udp")
