"""Port 67 heard by a socket: for hosts where capturing is not allowed."""
import check
import dhcp
import net
import peers
import test_beside as neighbours

RELAY = neighbours.RELAY


class Site:
    """Two interfaces in mode udp, no default route; a client behind each."""

    def __init__(self, network, interfaces=None):
        self.network = network
        self.server, self.client = network.pair()
        self.other = network.namespace("oth")
        network.link(self.server, "eth1", self.other, "eth0")
        self.server.addr("eth1", neighbours.OTHER_NET)
        self.root = network.root()
        net.write_boot_files(self.root)
        self.configuration = net.config(self.root, interfaces or [
            {"name": "eth0", "listen": "udp"}, {"name": "eth1", "listen": "udp"}])
        self.pxed = network.pxed(self.server, self.configuration)
        self.a, self.b = dhcp.Client(self.client), dhcp.Client(self.other)


def test_b27_each_interface_is_its_own_server_without_a_default_route():
    with net.Net() as network:
        site = Site(network)
        check.equal(site.server.ip("route", "show", "default"), "", "default route")
        for asked, other, address, iface in (
                (site.a, site.b, net.SERVER, "eth0"),
                (site.b, site.a, neighbours.OTHER, "eth1")):
            for flags in (0x8000, 0):
                message = dhcp.discover(7, flags=flags)
                dhcp.check_offer(asked.ask(message), message, address, "x64.efi",
                                 site.server.mac(iface))
                check.equal(len(other.replies(0.1, {message.xid})), 0,
                            "offers on the other interface")


def test_a_default_route_elsewhere_changes_nothing():
    with net.Net() as network:
        site = Site(network)
        site.server.ip("route", "add", "default", "via", "10.77.0.254")
        message = dhcp.discover(7)
        dhcp.check_offer(site.b.ask(message), message, neighbours.OTHER, "x64.efi",
                         site.server.mac("eth1"))


def test_the_configured_address_is_offered():
    with net.Net() as network:
        site = Site(network)
        site.server.addr("eth0", "10.77.0.7/24")
        site.pxed.stop()
        network.pxed(site.server, net.config(site.root, [
            {"name": "eth0", "listen": "udp", "address": "10.77.0.7"}]))
        message = dhcp.discover(7)
        dhcp.check_offer(site.a.ask(message), message, "10.77.0.7", "x64.efi",
                         site.server.mac("eth0"))


def test_interfaces_that_are_not_named_are_not_served():
    with net.Net() as network:
        site = Site(network, [{"name": "eth0", "listen": "udp"}])
        message = dhcp.discover(7)
        site.b.send(message)
        site.a.ask(dhcp.discover(7))
        check.equal(len(site.b.replies(0.2, {message.xid})), 0, "offers on eth1")


def test_modes_mix():
    with net.Net() as network:
        site = Site(network, ["eth0", {"name": "eth1", "listen": "udp"}])
        for client, address, iface in ((site.a, net.SERVER, "eth0"),
                                       (site.b, neighbours.OTHER, "eth1")):
            message = dhcp.discover(0)
            dhcp.check_offer(client.ask(message), message, address, "bios.0",
                             site.server.mac(iface))


def test_it_serves_where_capturing_is_not_allowed():
    """Started with no right but that to low ports."""
    with net.Net() as network:
        site = Site(network)
        site.pxed.stop()
        pxed = network.pxed_with(site.server, site.configuration, "net_bind_service")
        message = dhcp.discover(7)
        dhcp.check_offer(site.b.ask(message), message, neighbours.OTHER, "x64.efi",
                         site.server.mac("eth1"))
        check.equal(pxed.status("CapPrm"), "0" * 16, "CapPrm")


def test_capturing_where_it_is_not_allowed_is_refused_with_words():
    with net.Net() as network:
        site = Site(network)
        site.pxed.stop()
        pxed = network.pxed_with(site.server, net.config(site.root), "net_bind_service",
                                 ready=False)
        pxed.stopped = True
        check.equal(pxed.process.wait(5), 1, "exit status")
        check.that("CAP_NET_RAW" in pxed.log(), "no reason in %r" % pxed.log())


def test_b29_port_67_held_by_another():
    """dnsmasq as it comes holds the port for itself: said, and what to do about it."""
    with net.Net() as network:
        site = Site(network)
        site.pxed.stop()
        peers.dnsmasq(network, site.server)
        pxed = network.pxed(site.server, site.configuration, ready=False)
        pxed.stopped = True
        check.equal(pxed.process.wait(5), 1, "exit status")
        check.that('cannot share UDP port 67 on eth0: another DHCP server' in pxed.log() and
                   '"listen": "capture" works beside it' in pxed.log(),
                   "no remedy in %r" % pxed.log())


def beside(peer):
    for pxed_first in (False, True):
        neighbours.beside(peer, pxed_first, listen="udp")


def test_b29_dnsmasq_bind_interfaces():
    beside(peers.dnsmasq_bound)


def test_b29_dhcpd():
    beside(peers.dhcpd)


def test_b29_kea():
    beside(peers.kea)


def test_b29_udhcpd():
    beside(peers.udhcpd)
