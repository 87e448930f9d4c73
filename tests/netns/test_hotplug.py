"""Interfaces that come late, go, come back and change: served whenever they can be."""
import re
import time

import check
import dhcp
import net
import tftp

BOTH_MODES = ("capture", "udp")


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
