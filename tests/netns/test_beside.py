"""Beside another DHCP server on the same machine: both answer, and nothing is taken from it."""
import time

import check
import dhcp
import net
import peers
import wire

OTHER, OTHER_NET, RELAY = "10.88.0.1", "10.88.0.1/24", "10.88.0.2"


class Site:
    """A peer and pxed in one namespace; a client, and a relay on a second interface."""

    def __init__(self, network, peer, pxed_first=False, listen="capture"):
        self.network, self.listen = network, listen
        self.server, self.client = network.pair()
        self.client.ip("link", "set", "eth0", "address", peers.LEASED_MAC)
        self.relay = network.namespace("rel")
        network.link(self.server, "eth1", self.relay, "eth0")
        self.server.addr("eth1", OTHER_NET)
        self.relay.addr("eth0", RELAY + "/24")
        self.root = network.root()
        net.write_boot_files(self.root)
        starts = [self.start_pxed, lambda: peer(network, self.server)]
        for start in starts if pxed_first else reversed(starts):
            start()
        self.pxe, self.far = dhcp.Client(self.client), dhcp.Client(self.relay)

    def configuration(self):
        interfaces = [{"name": name, "listen": self.listen} for name in ("eth0", "eth1")]
        return net.config(self.root, interfaces)

    def start_pxed(self):
        self.pxed = self.network.pxed(self.server, self.configuration())


def both(client, message, where=None):
    """Send; the address offer and the proxy offer that come, exactly one of each."""
    client.send(message, **(where or {}))
    seen = set()

    def stop(reply):
        seen.add(reply.message.yiaddr == "0.0.0.0")
        return len(seen) == 2

    replies = client.replies(check.PATIENCE, {message.xid}, stop) + client.replies(0.15, {message.xid})
    leases = [reply for reply in replies if reply.message.yiaddr != "0.0.0.0"]
    proxies = [reply for reply in replies if reply.message.yiaddr == "0.0.0.0"]
    check.equal((len(leases), len(proxies)), (1, 1), "address offers and proxy offers")
    return leases[0], proxies[0]


def check_both_offer(site):
    """The whole of it: broadcast, relayed, unicast."""
    message = dhcp.captured("ovmf-x64-discover")
    lease, proxy = both(site.pxe, message)
    check.equal(lease.message.option(53), bytes([dhcp.OFFER]), "type of the address offer")
    check.equal(lease.message.option(60), None, "class in the address offer")
    dhcp.check_offer(proxy, message, net.SERVER, "x64.efi", site.server.mac("eth0"))
    check_request_is_left_alone(site, message, lease)
    check_relayed_reach_the_peer(site)
    check_renewals_stay_with_the_peer(site)


def check_request_is_left_alone(site, discover, lease):
    """The REQUEST for the lease gets dnsmasq's ACK and nothing from us."""
    message = discover.copy().set(53, bytes([dhcp.REQUEST]))
    message.set(54, lease.message.option(54)).set(50, wire.ip_bytes(lease.message.yiaddr))
    message.chaddr = discover.chaddr
    reply = site.pxe.ask(message)
    check.equal(reply.message.option(53), bytes([dhcp.ACK]), "type of the answer to the REQUEST")
    check.equal(reply.message.yiaddr, lease.message.yiaddr, "address")


def check_relayed_reach_the_peer(site, count=20):
    """Every relayed DISCOVER reaches the peer; captured, it is answered by us as well.

    One after another: udhcpd opens a socket for each relayed answer, and until it closes it
    a next request from the same relay is lost in there.
    """
    wanted = ["0.0.0", "10.88.0"] if site.listen == "capture" else ["10.88.0"]
    where = {"src": RELAY, "dst": OTHER, "dst_mac": site.server.mac("eth1"), "sport": 67}
    for number in range(count):
        message = relayed(number)
        site.far.send(message, **where)
        seen, end = [], time.monotonic() + 3.0
        while len(seen) < len(wanted) and time.monotonic() < end:
            seen += site.far.replies(0.05, {message.xid})
        seen += site.far.replies(0.01, {message.xid})
        if len(seen) < len(wanted) and number == 0:
            continue  # a peer that has just started may lose its first answer
        for reply in seen:
            check.equal((reply.datagram.dst, reply.datagram.dport), (RELAY, 67), "relayed answer")
        check.equal(sorted(reply.message.yiaddr.rpartition(".")[0] for reply in seen), wanted,
                    "networks in the answers to a relayed DISCOVER")


def relayed(number):
    chaddr = bytes.fromhex("525400dd00%02x" % number).ljust(16, b"\0")
    return dhcp.discover(7, giaddr=RELAY, hops=1, chaddr=chaddr)


def check_renewals_stay_with_the_peer(site, count=20):
    """Unicast renewals are the peer's alone: not one is lost, none is answered twice."""
    site.client.addr("eth0", peers.LEASED + "/24")
    chaddr = wire.mac_bytes(peers.LEASED_MAC).ljust(16, b"\0")
    with site.client.udp(peers.LEASED, 68) as sock:
        sock.settimeout(2.0)
        for number in range(count):
            message = dhcp.Message([(53, bytes([dhcp.REQUEST])), (60, dhcp.class_text(7))],
                                   ciaddr=peers.LEASED, chaddr=chaddr)
            sock.sendto(message.pack(), (net.SERVER, 67))
            answer = dhcp.parse(sock.recvfrom(2048)[0])
            check.equal(answer.option(53), bytes([dhcp.ACK]), "answer to renewal %d" % number)
            check.equal((answer.xid, answer.yiaddr), (message.xid, peers.LEASED), "renewed address")
        sock.settimeout(0.2)
        try:
            check.fail("one answer too many: %r" % (sock.recvfrom(2048),))
        except TimeoutError:
            pass


def beside(peer, pxed_first, listen="capture"):
    with net.Net() as network:
        check_both_offer(Site(network, peer, pxed_first, listen))


def test_b29_dnsmasq_first():
    beside(peers.dnsmasq, pxed_first=False)


def test_b29_dnsmasq_second():
    beside(peers.dnsmasq, pxed_first=True)


def test_b29_dnsmasq_bind_interfaces_first():
    beside(peers.dnsmasq_bound, pxed_first=False)


def test_b29_dnsmasq_bind_interfaces_second():
    beside(peers.dnsmasq_bound, pxed_first=True)


def test_b29_dhcpd_first():
    beside(peers.dhcpd, pxed_first=False)


def test_b29_dhcpd_second():
    beside(peers.dhcpd, pxed_first=True)


def test_b29_kea_first():
    beside(peers.kea, pxed_first=False)


def test_b29_kea_second():
    beside(peers.kea, pxed_first=True)


def test_b29_udhcpd_first():
    beside(peers.udhcpd, pxed_first=False)


def test_b29_udhcpd_second():
    beside(peers.udhcpd, pxed_first=True)


def test_b29_kea_with_udp_sockets():
    """It serves relays only; we answer its relays, and the broadcasts that it cannot hear."""
    for pxed_first in (False, True):
        with net.Net() as network:
            site = Site(network, peers.kea_udp, pxed_first)
            check_relayed_reach_the_peer(site)
            message = dhcp.discover(7)
            dhcp.check_offer(site.pxe.ask(message), message, net.SERVER, "x64.efi",
                             site.server.mac("eth0"))


def test_offer_comes_at_once():
    """T11: a proxy that is slow loses iPXE for good."""
    with net.Net() as network:
        site = Site(network, peers.dnsmasq)
        for _ in range(5):
            message = dhcp.discover(0).set(77, b"iPXE")
            site.pxe.send(message)
            replies = site.pxe.replies(0.1, {message.xid},
                                       stop=lambda reply: reply.message.yiaddr == "0.0.0.0")
            check.that(any(reply.message.yiaddr == "0.0.0.0" for reply in replies),
                       "no proxy offer within 0.1 s")


def test_lease_server_on_another_machine():
    """The ordinary case: a client, a DHCP server and pxed on one bridge."""
    with net.Net() as network:
        switch = network.namespace("sw")
        network.bridge(switch)
        machines = {}
        for number, tag in enumerate(("cli", "srv", "dhc")):
            machines[tag] = network.namespace(tag)
            network.link(switch, "port%d" % number, machines[tag], "eth0")
            switch.ip("link", "set", "port%d" % number, "master", "br0")
        machines["srv"].addr("eth0", net.SERVER_NET)
        machines["dhc"].addr("eth0", "10.77.0.254/24")
        root = network.root()
        net.write_boot_files(root)
        network.pxed(machines["srv"], net.config(root))
        network.dnsmasq(machines["dhc"])
        message = dhcp.captured("ipxe-bios-discover")
        lease, proxy = both(dhcp.Client(machines["cli"]), message)
        check.equal(lease.datagram.src, "10.77.0.254", "source of the address offer")
        dhcp.check_offer(proxy, message, net.SERVER, "boot.ipxe", machines["srv"].mac("eth0"))
