"""Several interfaces, relays: the answer leaves where the request came in, as who it was asked."""
import check
import dhcp
import net
import wire

OTHER, OTHER_NET = "10.88.0.1", "10.88.0.1/24"
RELAY = "10.88.0.2"
OPTION_82 = bytes.fromhex("010465746830")


class Site:
    """A server with two interfaces and no default route; a client behind each."""

    def __init__(self, network, interfaces=("eth0", "eth1")):
        self.server, self.client = network.pair()
        self.relay = network.namespace("rel")
        network.link(self.server, "eth1", self.relay, "eth0")
        self.server.addr("eth1", OTHER_NET)
        self.relay.addr("eth0", RELAY + "/24")
        self.root = network.root()
        net.write_boot_files(self.root)
        self.pxed = network.pxed(self.server, net.config(self.root, interfaces))
        self.a, self.b = dhcp.Client(self.client), dhcp.Client(self.relay)

    def relayed(self, giaddr=RELAY, option_82=OPTION_82, **fields):
        """A DISCOVER as a relay passes it on."""
        message = dhcp.discover(7, giaddr=giaddr, hops=1, **fields)
        message.chaddr = bytes.fromhex("525400bb0001").ljust(16, b"\0")
        return message.set(82, option_82) if option_82 is not None else message

    def through_relay(self, message, src=RELAY):
        return self.b.ask(message, {"src": src, "dst": OTHER, "dst_mac": self.server.mac("eth1"),
                                    "sport": 67})


def check_relayed(site, reply, message, giaddr):
    """Unicast to the relay's port 67 from our port 67, option 82 last."""
    datagram = reply.datagram
    check.equal((datagram.dst, datagram.dport), (giaddr, 67), "destination")
    check.equal((datagram.src, datagram.sport), (OTHER, 67), "source")
    check.equal((datagram.src_mac, datagram.dst_mac), (site.server.mac("eth1"), site.b.wire.mac),
                "MAC addresses")
    check.that(datagram.ip_ok and datagram.udp_ok, "a checksum is wrong")
    dhcp.check_fields(reply.message, message, OTHER, "x64.efi", dhcp.OFFER)
    check.equal(reply.message.option(82), message.option(82), "option 82")
    if message.option(82) is not None:
        check.equal(reply.message.codes()[-1], 82, "last option")


def test_b27_b28_each_interface_is_its_own_server():
    """Two interfaces, no default route: offers only where the request was, as that address."""
    with net.Net() as network:
        site = Site(network)
        for asked, other, address, iface in ((site.a, site.b, net.SERVER, "eth0"),
                                             (site.b, site.a, OTHER, "eth1")):
            message = dhcp.discover(7)
            reply = asked.ask(message)
            dhcp.check_offer(reply, message, address, "x64.efi", site.server.mac(iface))
            check.equal(len(other.replies(0.1, {message.xid})), 0, "offers on the other interface")


def test_b28_an_interface_not_named_is_not_served():
    with net.Net() as network:
        site = Site(network, interfaces=("eth0",))
        message = dhcp.discover(7)
        site.b.send(message)
        site.a.ask(dhcp.discover(7))
        check.equal(len(site.b.replies(0.2, {message.xid})), 0, "offers on eth1")


def test_b24_relayed_discover_is_answered_to_the_relay():
    with net.Net() as network:
        site = Site(network)
        message = site.relayed()
        check_relayed(site, site.through_relay(message), message, RELAY)


def test_v19_relayed_without_option_82():
    with net.Net() as network:
        site = Site(network)
        message = site.relayed(option_82=None)
        check_relayed(site, site.through_relay(message), message, RELAY)


def test_b25_long_option_82_is_echoed_whole():
    with net.Net() as network:
        site = Site(network)
        message = site.relayed(option_82=b"\x01\xfd" + bytes(range(253)))
        check_relayed(site, site.through_relay(message), message, RELAY)


def test_b23_answer_goes_to_giaddr_not_to_the_sender():
    """The relay's other side asks; giaddr is reached through a route."""
    with net.Net() as network:
        site = Site(network)
        site.relay.addr("lo", "10.99.0.1/32")
        site.server.ip("route", "add", "10.99.0.0/24", "via", RELAY)
        message = site.relayed(giaddr="10.99.0.1")
        check_relayed(site, site.through_relay(message), message, "10.99.0.1")


def test_relayed_request_for_another_server_is_not_answered():
    with net.Net() as network:
        site = Site(network)
        message = site.relayed().set(53, bytes([dhcp.REQUEST]))
        message.set(54, wire.ip_bytes("10.77.0.254"))
        site.b.silent(message, {"src": RELAY, "dst": OTHER, "sport": 67,
                                "dst_mac": site.server.mac("eth1")})


def test_secondary_addresses_do_not_change_who_we_are():
    with net.Net() as network:
        site = Site(network)
        site.server.addr("eth0", "10.77.0.7/24", "10.66.0.1/24")
        message = dhcp.discover(7)
        dhcp.check_offer(site.a.ask(message), message, net.SERVER, "x64.efi",
                         site.server.mac("eth0"))


def test_each_address_answers_what_is_sent_to_it():
    """A relay may be told any of our addresses; identity and source follow the one it asked."""
    with net.Net() as network:
        site = Site(network)
        site.server.addr("eth1", "10.88.0.7/24", "10.66.0.1/24")
        site.server.ip("addr", "add", "10.67.0.1/24", "dev", "eth1", "label", "eth1:1")
        site.server.addr("lo", "10.99.99.1/32")
        site.pxed.stop()
        site.pxed = network.pxed(site.server, net.config(site.root, ["eth0", "eth1"]))
        for address in (OTHER, "10.88.0.7", "10.66.0.1", "10.67.0.1", "10.99.99.1", net.SERVER):
            message = site.relayed()
            reply = site.b.ask(message, {"src": RELAY, "dst": address, "sport": 67,
                                         "dst_mac": site.server.mac("eth1")})
            check.equal((reply.datagram.src, reply.datagram.dst), (address, RELAY), "from, to")
            dhcp.check_fields(reply.message, message, address, "x64.efi", dhcp.OFFER)


def test_broadcast_of_a_subnet_is_answered_as_the_first_address():
    with net.Net() as network:
        site = Site(network)
        message = dhcp.discover(7)
        reply = site.a.ask(message, {"dst": "10.77.0.255"})
        dhcp.check_offer(reply, message, net.SERVER, "x64.efi", site.server.mac("eth0"))


def test_packets_for_others_are_left_alone():
    """A router's host sees what it forwards: a relay talking to the DHCP server behind it."""
    with net.Net() as network:
        site = Site(network)
        mac = site.server.mac("eth1")
        site.b.silent(site.relayed(), {"src": RELAY, "dst": "192.0.2.1", "sport": 67,
                                       "dst_mac": mac})
        site.b.silent(site.relayed(), {"src": RELAY, "dst": OTHER, "sport": 67,
                                       "dst_mac": bytes.fromhex("525400dddddd")})


def test_4011_on_each_interface_answers_as_that_address():
    with net.Net() as network:
        site = Site(network)
        for namespace, client, server in ((site.client, net.CLIENT, net.SERVER),
                                          (site.relay, RELAY, OTHER)):
            message = dhcp.request4011(7, ciaddr=client)
            message.chaddr = bytes.fromhex("525400bb0002").ljust(16, b"\0")
            with namespace.udp(client, 4011) as sock:
                sock.settimeout(2.0)
                sock.sendto(message.pack(), (server, 4011))
                data, source = sock.recvfrom(2048)
            check.equal(source, (server, 4011), "source of the answer")
            dhcp.check_fields(dhcp.parse(data), message, server, "x64.efi", dhcp.ACK)


def test_bridge_named_as_the_interface():
    """The usual set-up of a lab: clients are ports of a bridge that has the address."""
    with net.Net() as network:
        server, client = network.namespace("srv"), network.namespace("cli")
        network.link(server, "port0", client, "eth0")
        network.bridge(server)
        server.ip("link", "set", "port0", "master", "br0")
        server.addr("br0", net.SERVER_NET)
        root = network.root()
        net.write_boot_files(root)
        network.pxed(server, net.config(root, ["br0"]))
        message = dhcp.discover(7)
        reply = dhcp.Client(client).ask(message)
        dhcp.check_offer(reply, message, net.SERVER, "x64.efi", server.mac("br0"))


def test_b32_a_container_engines_bridge_is_named():
    """No broadcast crosses it, and the log says what to do."""
    with net.Net() as network:
        server, _ = network.pair()
        server.ip("addr", "flush", "dev", "eth0")
        server.addr("eth0", "172.17.0.2/16")
        root = network.root()
        net.write_boot_files(root)
        pxed = network.pxed(server, net.config(root))
        pxed.wait_log("looks like a container engine's own bridge")
