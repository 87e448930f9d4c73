"""Beside another DHCP server on the same machine: both answer, and nothing is taken from it."""
import check
import dhcp
import net
import wire

OTHER, OTHER_NET, RELAY = "10.88.0.1", "10.88.0.1/24", "10.88.0.2"
WILDCARD = ()
BOUND = ("--bind-interfaces", "--interface=eth0", "--interface=eth1", "--except-interface=lo")
LEASED = "10.77.0.160"
LEASED_MAC = bytes.fromhex("525400cc0001")


class Site:
    """dnsmasq and pxed in one namespace; a client, and a relay on a second interface."""

    def __init__(self, network, binding, pxed_first):
        self.network = network
        self.server, self.client = network.pair()
        self.relay = network.namespace("rel")
        network.link(self.server, "eth1", self.relay, "eth0")
        self.server.addr("eth1", OTHER_NET)
        self.relay.addr("eth0", RELAY + "/24")
        self.root = network.root()
        net.write_boot_files(self.root)
        starts = [self.start_pxed, lambda: self.start_dnsmasq(binding)]
        for start in starts if pxed_first else reversed(starts):
            start()
        self.pxe, self.far = dhcp.Client(self.client), dhcp.Client(self.relay)

    def start_pxed(self):
        self.pxed = self.network.pxed(self.server, net.config(self.root, ["eth0", "eth1"]))

    def start_dnsmasq(self, binding):
        self.dnsmasq = self.network.dnsmasq(
            self.server, *binding, "--dhcp-range=10.88.0.150,10.88.0.250,255.255.255.0,1h",
            "--dhcp-host=52:54:00:cc:00:01," + LEASED)


def both(client, message, where=None):
    """Send; the address offer and the proxy offer that come, exactly one of each."""
    client.send(message, **(where or {}))
    seen = set()

    def stop(reply):
        seen.add(reply.message.yiaddr == "0.0.0.0")
        return len(seen) == 2

    replies = client.replies(4.0, {message.xid}, stop) + client.replies(0.15, {message.xid})
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
    check_relayed_stay_with_both(site)
    check_renewals_stay_with_dnsmasq(site)


def check_request_is_left_alone(site, discover, lease):
    """The REQUEST for the lease gets dnsmasq's ACK and nothing from us."""
    message = discover.copy().set(53, bytes([dhcp.REQUEST]))
    message.set(54, lease.message.option(54)).set(50, wire.ip_bytes(lease.message.yiaddr))
    message.chaddr = discover.chaddr
    reply = site.pxe.ask(message)
    check.equal(reply.message.option(53), bytes([dhcp.ACK]), "type of the answer to the REQUEST")
    check.equal(reply.message.yiaddr, lease.message.yiaddr, "address")


def check_relayed_stay_with_both(site, count=20):
    """Every relayed DISCOVER reaches dnsmasq, and is answered by us as well."""
    where = {"src": RELAY, "dst": OTHER, "dst_mac": site.server.mac("eth1"), "sport": 67}
    both(site.far, relayed(0), where)
    messages = [relayed(number) for number in range(1, count + 1)]
    for message in messages:
        site.far.send(message, **where)
    seen = {}
    for reply in site.far.replies(1.0, {message.xid for message in messages}):
        check.equal((reply.datagram.dst, reply.datagram.dport), (RELAY, 67), "relayed answer")
        seen.setdefault(reply.message.xid, []).append(reply.message.yiaddr.rpartition(".")[0])
    for message in messages:
        check.equal(sorted(seen.get(message.xid, [])), ["0.0.0", "10.88.0"],
                    "networks in the two answers to a relayed DISCOVER")


def relayed(number):
    chaddr = bytes.fromhex("525400dd00%02x" % number).ljust(16, b"\0")
    return dhcp.discover(7, giaddr=RELAY, hops=1, chaddr=chaddr)


def check_renewals_stay_with_dnsmasq(site, count=20):
    """Unicast renewals are dnsmasq's alone: not one is lost, none is answered twice."""
    site.client.addr("eth0", LEASED + "/24")
    with site.client.udp(LEASED, 68) as sock:
        sock.settimeout(2.0)
        for number in range(count):
            message = dhcp.Message([(53, bytes([dhcp.REQUEST])), (60, dhcp.class_text(7))],
                                   ciaddr=LEASED, chaddr=LEASED_MAC.ljust(16, b"\0"))
            sock.sendto(message.pack(), (net.SERVER, 67))
            answer = dhcp.parse(sock.recvfrom(2048)[0])
            check.equal(answer.option(53), bytes([dhcp.ACK]), "answer to renewal %d" % number)
            check.equal((answer.xid, answer.yiaddr), (message.xid, LEASED), "renewed address")
    check.equal(site.dnsmasq.log().count("DHCPACK(eth0) %s" % LEASED), count, "ACKs in dnsmasq's log")


def beside(binding, pxed_first):
    with net.Net() as network:
        check_both_offer(Site(network, binding, pxed_first))


def test_b29_dnsmasq_first():
    beside(WILDCARD, pxed_first=False)


def test_b29_dnsmasq_second():
    beside(WILDCARD, pxed_first=True)


def test_b29_dnsmasq_bind_interfaces_first():
    beside(BOUND, pxed_first=False)


def test_b29_dnsmasq_bind_interfaces_second():
    beside(BOUND, pxed_first=True)


def test_offer_comes_at_once():
    """T11: a proxy that is slow loses iPXE for good."""
    with net.Net() as network:
        site = Site(network, WILDCARD, pxed_first=False)
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
