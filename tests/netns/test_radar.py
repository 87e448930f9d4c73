"""What other servers break is said: who it is, once, and for which clients."""
import re
import time

import check
import dhcp
import net
import wire

ELSEWHERE = "10.77.0.254"


class Site:
    """A client, pxed and another DHCP server on one bridge, or both servers on one host."""

    def __init__(self, network, *settings, same_host=False):
        self.network = network
        switch = network.namespace("sw")
        network.bridge(switch)
        self.machines = {}
        for number, tag in enumerate(("cli", "srv", "dhc")):
            self.machines[tag] = network.namespace(tag)
            network.link(switch, "port%d" % number, self.machines[tag], "eth0")
            switch.ip("link", "set", "port%d" % number, "master", "br0")
        self.machines["srv"].addr("eth0", net.SERVER_NET)
        self.machines["dhc"].addr("eth0", ELSEWHERE + "/24")
        self.root = network.root()
        net.write_boot_files(self.root)
        self.pxed = network.pxed(self.machines["srv"], net.config(self.root))
        self.other = self.machines["srv" if same_host else "dhc"]
        self.address = net.SERVER if same_host else ELSEWHERE
        if settings:
            network.dnsmasq(self.other, *settings)
        self.client = dhcp.Client(self.machines["cli"])

    def ask(self, message):
        self.client.send(message)
        self.client.replies(check.PATIENCE, {message.xid}, both_seen())
        time.sleep(0.05)

    def lines(self):
        return re.findall("(?m)^.*dhcp conflict.*$", self.pxed.log())

    def kinds(self):
        return sorted(re.search("kind=([a-z0-9-]+)", line).group(1) for line in self.lines())

    def line(self, kind):
        line = next(line for line in self.lines() if "kind=%s " % kind in line)
        check.that("server=%s " % self.address in line, "not the server: %s" % line)
        mac = ":".join("%02x" % octet for octet in self.other.mac("eth0"))
        check.that("server_mac=%s " % mac in line, "not its MAC: %s" % line)
        check.that("interface=eth0 " in line, "not the interface: %s" % line)
        return line


def both_seen():
    """A stop for replies(): an address offer and a proxy offer have come."""
    seen = set()

    def stop(reply):
        seen.add(reply.message.yiaddr == "0.0.0.0")
        return len(seen) == 2

    return stop


def test_b18_option_60_of_another_server():
    """Seen on the wire and on this very host; said once, counted from then on."""
    for same_host in (False, True):
        with net.Net() as network:
            site = Site(network, "--dhcp-option-force=60,PXEClient", same_host=same_host)
            message = dhcp.discover(7)
            for _ in range(3):
                site.ask(message)
            check.equal(site.kinds().count("foreign-option60"), 1, "lines")
            line = site.line("foreign-option60")
            check.that("warning: " in line and "PXE-E16" in line, "no harm told: %s" % line)


def test_boot_file_of_another_server():
    with net.Net() as network:
        site = Site(network, "--dhcp-boot=other/x.efi,boothost,10.77.0.253")
        site.ask(dhcp.discover(7))
        check.equal(site.kinds(), ["foreign-boot-file"], "conflicts")
        check.that("other/x.efi" in site.line("foreign-boot-file"), "the file is not named")


def test_no_pxedhcp():
    with net.Net() as network:
        site = Site(network, "--dhcp-option-force=encap:175,176,1b")
        site.ask(dhcp.discover(0).set(77, b"iPXE").set(175, b"\x13\x01\x01"))
        check.that("ipxe-no-proxy" in site.kinds(), "not seen: %s" % site.kinds())
        check.that("no-pxedhcp" in site.line("ipxe-no-proxy"), "not named")


def test_b35_second_proxy():
    with net.Net() as network:
        site = Site(network)
        network.pxed(site.machines["dhc"], net.config(site.root))
        message = dhcp.discover(7)
        site.client.send(message)
        check.equal(len(site.client.replies(0.5, {message.xid})), 2, "proxy offers")
        check.equal(site.kinds(), ["second-proxy"], "conflicts")
        check.that("another PXE server" in site.line("second-proxy"), "not told")


def test_b67_second_stage_asked_of_another_server():
    """A client that follows the DHCP server's siaddr, seen by a server that is its gateway."""
    with net.Net() as network:
        site = Site(network)
        message = dhcp.discover(7)
        site.client.ask(message)
        request = b"\0\1grubx64.efi\0octet\0"
        site.other = site.machines["srv"]  # the next hop
        for dst, sport in ((net.SERVER, 2000), ("192.0.2.9", 2001), ("192.0.2.9", 2002)):
            site.client.wire.send(wire.udp_frame(
                site.client.wire.mac, site.machines["srv"].mac("eth0"), net.CLIENT, dst, sport, 69,
                request))
        site.pxed.wait_log("kind=second-stage-elsewhere server=192.0.2.9")
        site.client.ask(dhcp.discover(7))
        site.address = "192.0.2.9"
        check.equal(site.kinds(), ["second-stage-elsewhere"], "conflicts")
        check.that("grubx64.efi" in site.line("second-stage-elsewhere"), "the file is not named")


def test_plain_server_is_no_conflict():
    """A server that names itself as next server, as most do, is worth a hint and no warning."""
    for same_host in (False, True):
        with net.Net() as network:
            site = Site(network, "--dhcp-option=3", same_host=same_host)
            for number in range(3):
                site.ask(dhcp.discover(7))
            check.equal(site.kinds(), [] if same_host else ["foreign-next-server"], "conflicts")
            check.that(not any("warning" in line for line in site.lines()), "a warning")


def test_files_for_machines_that_are_not_ours_are_no_conflict():
    with net.Net() as network:
        site = Site(network, "--dhcp-boot=phone.cfg")
        telephone = dhcp.discover(7).set(60, b"phone")
        site.client.send(telephone)
        check.that(site.client.replies(check.PATIENCE, {telephone.xid}, stop=lambda reply: True), "no offer")
        site.ask(dhcp.discover(7, chaddr=bytes.fromhex("525400000007").ljust(16, b"\0")))
        check.equal(site.kinds(), ["foreign-boot-file"], "conflicts")
        check.that("client=52:54:00:00:00:07" in site.line("foreign-boot-file"),
                   "the telephone was taken for ours")


def test_our_own_offers_by_a_second_interface_are_no_conflict():
    """Two interfaces on one wire see each other's offers."""
    with net.Net() as network:
        switch, server, client = (network.namespace(tag) for tag in ("sw", "srv", "cli"))
        network.bridge(switch)
        for number, (machine, iface) in enumerate(((server, "eth0"), (server, "eth1"),
                                                   (client, "eth0"))):
            network.link(switch, "port%d" % number, machine, iface)
            switch.ip("link", "set", "port%d" % number, "master", "br0")
        server.addr("eth0", "10.77.0.1/24")
        server.addr("eth1", "10.77.0.2/24")
        root = network.root()
        net.write_boot_files(root)
        pxed = network.pxed(server, net.config(root, ["eth0", "eth1"]))
        pxe, message = dhcp.Client(client), dhcp.discover(7)
        pxe.send(message)
        check.at_least(len(pxe.replies(0.5, {message.xid})), 1, "offers")
        check.lacks(pxed.log(), "dhcp conflict", "log")
