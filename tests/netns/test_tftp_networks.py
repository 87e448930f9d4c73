"""Addresses, families, MTUs and firewalls: TFTP cases that need a network of their own."""
import random
import time

import check
import net
import tftp
import wire

CONTENT = random.Random(40).randbytes(30_000)
OPTIONS = {"blksize": 1468, "windowsize": 4}
SINGLE = {"data_ports": "single"}

NAT_RULES = """
table ip nat {
    chain postrouting {
        type nat hook postrouting priority 100;
        oifname "out" masquerade
    }
}
table ip filter {
    chain forward {
        type filter hook forward priority 0; policy drop;
        ct state established,related accept
        iifname "in" accept
    }
}
"""


class Site:
    """A server with one file; the network can be changed before start()."""

    def __init__(self, network, mtu=1500):
        self.network = network
        self.server, self.client = network.pair(mtu)
        self.root = network.root()
        net.write_boot_files(self.root)
        self.root.write("file.bin", CONTENT)

    def start(self, **settings):
        self.pxed = self.network.pxed(self.server, net.config(self.root, tftp=settings))
        return self

    def served_from(self, server, local=None):
        """Fetch with and without options; every packet must come from the address asked."""
        address = server.partition("%")[0]
        for options in ((), OPTIONS):
            client = tftp.Client(self.client, server, local=local)
            transfer = tftp.Download(client, "file.bin", options=options)
            while not transfer.over:
                packet = client.receive(2.0)
                check.that(packet, "no answer from " + server)
                check.equal(packet.source[0].partition("%")[0], address, "source address")
                transfer.on_packet(packet)
            client.close()
            check.same_bytes(transfer.data, CONTENT, "file from " + server)

    def oack(self, server, options):
        client = tftp.Client(self.client, server)
        client.request("file.bin", options=options)
        packet = client.expect("an OACK")
        check.equal(packet.op, tftp.OACK, "opcode of %s" % packet)
        client.send(tftp.error(0))
        return dict(packet.options)


def add_odd_addresses(site):
    """A second address of the subnet, one of another subnet, a /32 on lo, a second of IPv6."""
    site.server.addr("eth0", "10.77.0.9/24", "10.66.0.1/24", "fd77::9/64")
    site.server.addr("lo", "192.0.2.1/32")
    site.client.addr("eth0", "10.66.0.100/24")
    site.client.ip("route", "add", "192.0.2.1/32", "via", net.SERVER)


ODD_ADDRESSES = ("10.77.0.9", "10.66.0.1", "192.0.2.1", "fd77::9")


def test_d23_reply_comes_from_the_address_asked():
    with net.Net() as network:
        site = Site(network)
        add_odd_addresses(site)
        site.start()
        for server in (net.SERVER,) + ODD_ADDRESSES:
            site.served_from(server)


def test_d24_same_with_a_single_port():
    with net.Net() as network:
        site = Site(network)
        add_odd_addresses(site)
        site.start(**SINGLE)
        for server in (net.SERVER,) + ODD_ADDRESSES:
            site.served_from(server)


def test_d23_address_added_after_start():
    """keepalived moves one here while we run."""
    with net.Net() as network:
        site = Site(network).start()
        add_odd_addresses(site)
        for server in ODD_ADDRESSES:
            site.served_from(server)


def test_d23_errors_come_from_the_address_asked():
    with net.Net() as network:
        site = Site(network)
        add_odd_addresses(site)
        site.start()
        for server in ODD_ADDRESSES:
            client = tftp.Client(site.client, server)
            client.request("missing")
            packet = client.expect_error(tftp.NOT_FOUND)
            check.equal(packet.source[0], server, "source address of the ERROR")


def test_d25_broadcast_request():
    """Answered from the interface's own address."""
    with net.Net() as network:
        site = Site(network).start()
        site.client.ip("route", "add", "default", "via", net.SERVER)
        for server in ("255.255.255.255", "10.77.0.255"):
            client = tftp.Client(site.client, server)
            client.request("bios.0")
            packet = client.expect_data(1, (b"bios.0" * 500)[:512])
            check.equal(packet.source[0], net.SERVER, "source of the answer")
            client.send(tftp.ack(1))
            packet = client.expect_data(2, (b"bios.0" * 500)[512:1024])
            client.send(tftp.error(0))


def test_d26_ipv6_global():
    with net.Net() as network:
        Site(network).start().served_from("fd77::1")


def test_d26_ipv6_link_local():
    with net.Net() as network:
        site = Site(network).start()
        site.served_from(site.server.link_local("eth0") + "%eth0")


def test_d26_ipv6_link_local_single_port():
    with net.Net() as network:
        site = Site(network).start(**SINGLE)
        site.served_from(site.server.link_local("eth0") + "%eth0")


def test_d26_same_link_local_client_address_on_two_interfaces():
    """Told apart by the scope only."""
    with net.Net() as network:
        site = Site(network)
        other = network.namespace("cli2")
        network.link(site.server, "eth1", other, "eth0")
        site.server.addr("eth1", "10.88.0.1/24")
        for namespace in (site.client, other):
            namespace.addr("eth0", "fe80::77/64")
        for iface in ("eth0", "eth1"):
            site.server.addr(iface, "fe80::1/64")
        configuration = net.config(site.root, ["eth0", "eth1"])
        network.pxed(site.server, configuration)
        clients = [tftp.Client(namespace, "fe80::1%eth0", local="fe80::77%eth0", local_port=3333)
                   for namespace in (site.client, other)]
        for client in clients:
            client.request("file.bin")
            client.expect_data(1, CONTENT[:512])
        for number in range(2, 6):
            for client in clients:
                client.drain()
                client.send(tftp.ack(number - 1))
                client.expect_data(number, CONTENT[(number - 1) * 512:number * 512])


def test_d27_through_masquerade_with_a_single_port():
    """The answer comes from port 69, so that NAT knows whose it is."""
    with net.Net() as network:
        site = Site(network)
        inner = behind_nat(network, site)
        site.start(**SINGLE)
        for options in ((), OPTIONS):
            client = tftp.Client(inner, net.SERVER)
            transfer = tftp.Download(client, "file.bin", options=options)
            while not transfer.over:
                packet = client.receive(2.0)
                check.that(packet, "no answer through NAT")
                check.equal(packet.source, (net.SERVER, 69), "source")
                transfer.on_packet(packet)
            check.same_bytes(transfer.data, CONTENT, "file through NAT")


def behind_nat(network, site):
    """A namespace that reaches the server through masquerade only."""
    router, inner = network.namespace("nat"), network.namespace("inn")
    network.link(site.server, "eth1", router, "out")
    network.link(router, "in", inner, "eth0")
    site.server.ip("addr", "del", net.SERVER_NET, "dev", "eth0")
    site.server.ip("link", "set", "eth0", "down")
    site.server.ip("link", "set", "eth0", "name", "old0")
    site.server.ip("link", "set", "eth1", "down")
    site.server.ip("link", "set", "eth1", "name", "eth0")
    site.server.ip("link", "set", "eth0", "up")
    site.server.addr("eth0", net.SERVER_NET)
    router.addr("out", "10.77.0.200/24")
    router.addr("in", "192.168.5.1/24")
    router.sysctl("net/ipv4/ip_forward", 1)
    inner.addr("eth0", "192.168.5.2/24")
    inner.ip("route", "add", "default", "via", "192.168.5.1")
    router.run("nft", "-f", "-", stdin=NAT_RULES)
    return inner


def test_d27_data_ports_pass_a_firewall_for_the_range():
    """A firewall that opens 69 and the configured range lets everything through."""
    rules = """table inet filter {
        chain input {
            type filter hook input priority 0; policy drop;
            udp dport { 69, 40000-40003 } accept
            icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
        }
    }
    """
    with net.Net() as network:
        site = Site(network).start()
        site.server.run("nft", "-f", "-", stdin=rules)
        site.served_from(net.SERVER)


def test_d28_single_port_answers_from_69():
    with net.Net() as network:
        site = Site(network).start(**SINGLE)
        client = tftp.Client(site.client, net.SERVER)
        client.request("file.bin")
        check.equal(client.expect_data(1).source, (net.SERVER, 69), "source")
        client.send(tftp.ack(1))
        check.equal(client.expect_data(2).source, (net.SERVER, 69), "source")


def test_single_port_keeps_many_clients_apart():
    with net.Net() as network:
        site = Site(network).start(**SINGLE)
        jobs = [("file.bin", OPTIONS if number % 2 else ()) for number in range(50)]
        for transfer in tftp.download_many(site.client, net.SERVER, jobs):
            check.that(transfer.over and not transfer.fault, "not complete: %s" % transfer.fault)
            check.same_bytes(transfer.data, CONTENT, "file")


def test_d31_single_port_does_not_answer_errors():
    """Port 69 carries transfers in this mode; an ERROR of a stranger belongs to none."""
    with net.Net() as network:
        site = Site(network).start(**SINGLE)
        client = tftp.Client(site.client, net.SERVER)
        client.request("file.bin")
        client.expect_data(1)
        stranger = tftp.Client(site.client, net.SERVER)
        stranger.send(tftp.error(0, "x"))
        stranger.silence(0.2)
        client.send(tftp.ack(1))
        client.drain_to(tftp.DATA, 2)


def test_d29_block_size_is_cut_to_the_interface():
    """1500: 1468 over IPv4, 1448 over IPv6; and so on for others."""
    for mtu, v4, v6 in ((1500, "1468", "1448"), (1400, "1368", "1348"), (9000, "8192", "8192")):
        with net.Net() as network:
            site = Site(network, mtu).start(max_block_size=65464)
            asked = {"blksize": 8192}
            check.equal(site.oack(net.SERVER, asked), {"blksize": v4}, "IPv4, MTU %d" % mtu)
            check.equal(site.oack("fd77::1", asked), {"blksize": v6}, "IPv6, MTU %d" % mtu)
            for server in (net.SERVER, "fd77::1"):
                tftp.fetch(site.client, server, "file.bin", CONTENT, options=asked)


def test_d29_the_interface_is_followed():
    """Its MTU changes while pxed runs."""
    with net.Net() as network:
        site = Site(network).start(max_block_size=65464)
        check.equal(site.oack(net.SERVER, {"blksize": 8192}), {"blksize": "1468"}, "MTU 1500")
        site.server.ip("link", "set", "eth0", "mtu", "1400")
        end = time.monotonic() + 5
        while site.oack(net.SERVER, {"blksize": 8192}) != {"blksize": "1368"}:
            check.that(time.monotonic() < end, "the new MTU is not followed")


def test_d29_configured_cap():
    """B77: a tunnel on the way that our interface does not know of."""
    with net.Net() as network:
        site = Site(network).start(max_block_size=1388)
        check.equal(site.oack(net.SERVER, {"blksize": 8192}), {"blksize": "1388"}, "OACK")
        check.equal(site.oack(net.SERVER, {"blksize": 1200}), {"blksize": "1200"}, "OACK")
        check.equal(site.oack("fd77::1", {"blksize": 8192}), {"blksize": "1388"}, "OACK")


def test_a_narrower_link_on_the_way_is_no_end():
    """IPv6: a router says what is too big for it, once; the kernel splits what goes there then."""
    with net.Net() as network:
        server, router, client = (network.namespace(tag) for tag in ("srv", "rtr", "cli"))
        network.link(server, "eth0", router, "eth0")
        network.link(router, "eth1", client, "eth0", mtu=1400)
        router.sysctl("net/ipv6/conf/all/forwarding", 1)
        server.addr("eth0", net.SERVER_NET, "fd77::1/64")
        router.addr("eth0", "fd77::fe/64")
        router.addr("eth1", "fd88::fe/64")
        client.addr("eth0", "fd88::100/64")
        server.ip("route", "add", "fd88::/64", "via", "fd77::fe")
        client.ip("route", "add", "fd77::/64", "via", "fd88::fe")
        root = network.root()
        root.write("file.bin", CONTENT)
        pxed = network.pxed(server, net.config(root, tftp={"allow": ["fd88::/64"]}))
        for options in ({"blksize": 1468}, {"blksize": 1468, "windowsize": 8}):
            tftp.fetch(client, "fd77::1", "file.bin", CONTENT, options=options)
        check.lacks(pxed.log(), "tftp failed", "log")


def test_d30_no_dont_fragment_and_no_fragments():
    """Seen on the wire: DF is 0, no packet is a fragment, checksums are right."""
    with net.Net() as network:
        site = Site(network).start()
        sniffer = wire.Wire(site.client)
        tftp.fetch(site.client, net.SERVER, "file.bin", CONTENT, options={"blksize": 1468})
        tftp.fetch(site.client, net.SERVER, "file.bin", CONTENT)
        frames = sniffer.collect(0.1, lambda datagram: datagram.sport in range(40000, 40004))
        check.at_least(len(frames), 80, "packets seen")
        for datagram in frames:
            check.that(not datagram.dont_fragment, "DF is set")
            check.that(not datagram.fragmented, "a fragment")
            check.that(datagram.ip_ok and datagram.udp_ok, "a checksum is wrong")


def test_packets_on_the_wire_fit_the_link():
    """Windows may leave in one system call, but what arrives is one block per packet."""
    with net.Net() as network:
        site = Site(network)
        site.start()
        client = tftp.Client(site.client, net.SERVER)
        client.request("file.bin", options={"blksize": 1468, "windowsize": 8})
        client.expect_oack({"blksize": 1468, "windowsize": 8})
        client.send(tftp.ack(0))
        for number in range(1, 9):
            client.expect_data(number, CONTENT[(number - 1) * 1468:number * 1468])
        client.send(tftp.error(0))


def test_request_on_an_interface_not_named():
    """Only the configured interfaces are doors, whatever address is asked there."""
    with net.Net() as network:
        site = Site(network)
        other = network.namespace("oth")
        network.link(site.server, "eth1", other, "eth0")
        site.server.addr("eth1", "10.88.0.1/24")
        other.addr("eth0", "10.88.0.2/24")
        other.ip("route", "add", "10.77.0.0/24", "via", "10.88.0.1")
        site.start()
        for server in ("10.88.0.1", net.SERVER):
            client = tftp.Client(other, server)
            client.request("file.bin")
            client.silence(0.2)
        site.served_from(net.SERVER)


def test_the_machine_itself_may_fetch():
    """The machine itself may fetch from its own address."""
    with net.Net() as network:
        site = Site(network).start()
        tftp.fetch(site.server, net.SERVER, "file.bin", CONTENT, options=OPTIONS)
