"""Port 69 under abuse: who may ask, what nobody answers, and what a flood cannot do."""
import random
import signal
import time

import check
import dhcp
import dhcp6
import net
import tftp
import web
import wire

CONTENT = random.Random(60).randbytes(40 * 512 + 10)
FAR = "10.9.0.5"
NAMED = ["attached", "10.9.0.0/16"]


class Site:
    def __init__(self, network, far=True, **settings):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        self.root.write("file.bin", CONTENT)
        self.configuration = net.config(self.root, tftp=settings)
        if far:  # an address behind the client, as behind a router
            self.client.addr("eth0", FAR + "/32", "fd99::5/128")
            self.server.ip("route", "add", "10.9.0.0/16", "via", net.CLIENT)
            self.server.ip("route", "add", "fd99::/16", "via", "fd77::100")

    def start(self, **others):
        self.pxed = self.network.pxed(self.server, dict(self.configuration, **others))
        return self

    def tftp(self, local=None, port=0, server=net.SERVER):
        return tftp.Client(self.client, server, local=local, local_port=port)

    def is_served(self, local=None, server=net.SERVER):
        client = self.tftp(local, server=server)
        client.request("file.bin")
        packet = client.receive(0.3)
        if packet:
            client.send(tftp.error(0))
        client.close()
        return packet is not None and packet.op == tftp.DATA

    def until_served(self, truth, local, server=net.SERVER):
        check.until("%s is%s served" % (local, "" if truth else " not"),
                    lambda: self.is_served(local, server) == truth)

    def ignored(self, reason):
        return web.metrics(self.server)[0]['pxed_tftp_ignored_total{reason="%s"}' % reason]

    def reload(self, **settings):
        self.configuration["tftp"].update(settings)
        net.write_json(self.pxed.config_path, self.configuration)
        start = len(self.pxed.log())
        self.pxed.signal(signal.SIGHUP)
        self.pxed.wait_log("pxed reloaded", start=start)


# -- who may ask --------------------------------------------------------------------------

def test_a_request_from_beyond_the_attached_subnets_meets_silence():
    """No ERROR either; it is counted, and told in one line however many come."""
    with net.Net() as network:
        site = Site(network).start()
        for local, server in ((FAR, net.SERVER), ("fd99::5", "fd77::1")):
            for request in (tftp.rrq("file.bin"), tftp.rrq("no-such-file"),
                            tftp.rrq("x", op=tftp.WRQ), b"\0\1x"):
                client = site.tftp(local, server=server)
                client.send(request)
                client.silence(0.1)
        check.equal(site.ignored("not-allowed"), 8 - 2, "requests left alone")
        check.equal(site.ignored("not-a-request"), 2, "runts")
        check.equal(web.document(site.server, "/api/status")["tftp"],
                    {"half_open": 0, "ignored": {"not-allowed": 6, "not-a-request": 2}, "refused": {}}, "status")
        site.pxed.wait_log("warning: tftp silent reason=not-allowed peer=(10.9.0.5|fd99::5)")
        check.equal(site.pxed.log().count("tftp silent"), 1, "lines")
        check.that(site.is_served(), "an attached client is not served")
        check.that(site.is_served(server="fd77::1"), "an attached client is not served by IPv6")


def test_subnets_are_named_by_a_reload():
    with net.Net() as network:
        site = Site(network).start()
        check.that(not site.is_served(FAR), "served without being named")
        site.reload(allow=NAMED)
        check.that(site.is_served(FAR), "not served though named")
        check.that(site.is_served(), "attached, and not served")
        site.reload(allow=["10.9.0.0/16"])
        check.that(site.is_served(FAR), "not served though named")
        check.that(not site.is_served(), "served, though neither named nor \"attached\" is")
        site.reload(allow=["0.0.0.0/0"])
        check.that(site.is_served(FAR) and site.is_served(), "not everybody is served")
        check.that(not site.is_served("fd99::5", "fd77::1"), "0.0.0.0/0 let in IPv6")
        site.reload(allow=["0.0.0.0/0", "::/0"])
        check.that(site.is_served("fd99::5", "fd77::1"), "::/0 does not let in IPv6")


def test_attached_subnets_are_followed():
    """Addresses come and go, with hotplug and without."""
    for hotplug in (True, False):
        with net.Net() as network:
            site = Site(network).start(hotplug=hotplug)
            check.that(not site.is_served(FAR), "served before its subnet was attached")
            site.server.addr("eth0", "10.9.0.1/24", "fd99::1/64")
            site.until_served(True, FAR)
            site.until_served(True, "fd99::5", "fd77::1")
            site.server.ip("addr", "del", "10.9.0.1/24", "dev", "eth0")
            site.until_served(False, FAR)
            site.until_served(True, None)


def test_what_is_attached_elsewhere_is_not():
    """An interface that is not served attaches nothing."""
    with net.Net() as network:
        site = Site(network)
        other = network.namespace("oth")
        network.link(site.server, "eth1", other, "eth0")
        site.server.addr("eth1", "10.9.0.1/24")
        site.start()
        check.that(not site.is_served(FAR), "served through another interface's subnet")
        check.at_least(site.ignored("not-allowed"), 1, "requests left alone")


def test_the_other_end_of_a_point_to_point_link_is_attached():
    with net.Net() as network:
        site = Site(network, far=False)
        site.client.addr("lo", "10.8.0.5/32")
        site.server.ip("addr", "add", "10.8.0.1", "peer", "10.8.0.5/32", "dev", "eth0")
        site.client.ip("route", "add", "10.8.0.1/32", "dev", "eth0")
        site.start()
        check.that(site.is_served("10.8.0.5", "10.8.0.1"), "the peer of the link is not served")


def test_an_answer_on_a_data_port_is_for_those_who_may_ask_too():
    """ERROR 5 to a stray ACK would be a reflection like another."""
    with net.Net() as network:
        site = Site(network, data_ports="40000").start()
        near, far = (tftp.Client(site.client, net.SERVER, port=40000, local=local) for local in (None, FAR))
        for client in (near, far):
            client.send(tftp.ack(7))
        near.expect_error(tftp.UNKNOWN_TID)
        far.silence(0.1)
        near.send(tftp.error(0))
        near.silence(0.1)


def test_ports_of_servers_get_nothing_anywhere():
    """RRQ, WRQ, rubbish, ACK, ERROR, from 67, 69 and 4011, to port 69 and to data ports."""
    for ports, doors, counted in (("40000", (69, 40000), 3 + 5), ("single", (69,), 3)):
        with net.Net() as network:
            site = Site(network, far=False, data_ports=ports).start()
            for source in (67, 69, 4011):
                client = site.tftp(port=source)
                for door in doors:
                    for packet in (tftp.rrq("file.bin"), tftp.rrq("x", options={"blksize": 9}),
                                   tftp.rrq("x", op=tftp.WRQ), b"\0\1", b"\0\7" * 9,
                                   tftp.ack(0), tftp.ack(1), tftp.error(0, "x")):
                        client.send(packet, to=(net.SERVER, door))
                client.silence(0.1)
                client.close()
            # to port 69 the three requests, to a data port all that can be read but the ERROR
            check.equal(site.ignored("server-port"), 3 * counted, "packets from ports of servers")


# -- addresses that nobody has ------------------------------------------------------------

def test_an_address_that_no_host_has_gets_nothing():
    """0.0.0.0 and :: are ourselves when they are sent to; a broadcast address is everybody."""
    with net.Net() as network:
        site = Site(network, far=False, allow=["attached", "0.0.0.0/0", "::/0"])
        net.write_boot_files(site.root)
        site.start()
        here = site.server.udp("0.0.0.0", 5555), site.server.udp("::", 5555)
        cable, mac = wire.Wire(site.client), site.server.mac("eth0")
        pxe = dhcp.request4011(7, chaddr=b"\2\2\2\2\2\2".ljust(16, b"\0")).pack()
        pxe6 = dhcp6.Message(dhcp6.REQUEST, dhcp6.boot_options(7, dhcp6.UUID_DUID)).pack()
        for door, data, data6 in ((69, tftp.rrq("file.bin"), tftp.rrq("file.bin")), (4011, pxe, pxe6)):
            for source in ("0.0.0.0", "10.77.0.255"):
                for target, target_mac in (("255.255.255.255", wire.BROADCAST_MAC), (net.SERVER, mac)):
                    cable.send(wire.udp_frame(cable.mac, target_mac, source, target, 5555, door, data))
            for source in ("::", "::ffff:" + net.CLIENT):
                cable.send(wire.udp6_frame(cable.mac, mac, source, "fd77::1", 5555, door, data6))
        check.that(site.is_served() and site.is_served(server="fd77::1"), "honest clients are not served")
        check.equal([d for d in cable.collect(0.1) if d.dport == 5555], [], "packets on the wire")
        for sock in here:
            sock.setblocking(False)
            check.that(nothing_came(sock), "a service of this host was sent something")
        check.at_least(site.ignored("not-a-host"), 3, "requests for files")
        numbers = web.metrics(site.server)[0]
        for family in ("ipv4", "ipv6"):
            check.at_least(numbers['pxed_dhcp_dropped_total{family="%s",reason="not-a-host"}' % family], 1, family)
        check.lacks(site.pxed.log(), "cannot send", "log")


def nothing_came(sock):
    try:
        sock.recv(9)
    except BlockingIOError:
        return True
    return False


def test_an_ip4_address_by_ip6_is_somebody_elses():
    """Its transfer over IPv4 goes on."""
    with net.Net() as network:
        site = Site(network, far=False).start()
        running = site.tftp()
        running.request("file.bin")
        running.expect_data(1)
        cable = wire.Wire(site.client)
        cable.send(wire.udp6_frame(cable.mac, site.server.mac("eth0"), "::ffff:" + net.CLIENT, "fd77::1",
                                   running.sock.getsockname()[1], 69, tftp.rrq("other")))
        running.send(tftp.ack(1))  # comes behind it
        running.expect_data(2, CONTENT[512:1024])
        running.send(tftp.error(0))


# -- ICMP ---------------------------------------------------------------------------------

STRANGER = "10.77.0.66"
# Destination unreachable of every code, quench, time exceeded, parameter problem.
ICMP_ERRORS = [(3, code) for code in range(16)] + [(4, 0), (11, 0), (11, 1), (12, 0)]


class Forger:
    """Sends ICMP errors about the next block of a transfer that has brought its first."""

    def __init__(self, site):
        self.site = site
        self.client = site.tftp()
        self.client.request("file.bin")
        self.client.expect_data(1, CONTENT[:512])
        self.wire = wire.Wire(site.client)

    def forge(self, kind, code, source):
        peer = self.client.sock.getsockname()[1]
        server, client = wire.ip_bytes(net.SERVER), wire.ip_bytes(net.CLIENT)
        about = wire.ip_packet(server, client, wire.udp_bytes(server, client, self.client.peer[1], peer,
                                                              b"\0\3\0\1"))
        packet = wire.icmp_packet(wire.ip_bytes(source), server, kind, code, about)
        self.wire.send(wire.frame(self.wire.mac, self.site.server.mac("eth0"), packet))


def test_icmp_of_strangers_ends_no_transfer():
    """Who guesses a client's port needs no address of its network for it."""
    with net.Net() as network:
        site = Site(network, far=False).start()
        forger = Forger(site)
        block = 1
        for kind, code in ICMP_ERRORS:
            forger.forge(kind, code, STRANGER)
            forger.client.send(tftp.ack(block))  # comes behind it
            block += 1
            at = (block - 1) * 512
            forger.client.expect_data(block, CONTENT[at:at + 512])
        forger.client.send(tftp.error(0))


def test_icmp_of_the_client_itself_ends_its_transfer():
    with net.Net() as network:
        site = Site(network, far=False).start()
        forger = Forger(site)
        forger.client.send(tftp.ack(1))
        forger.client.expect_data(2)
        forger.forge(3, 3, net.CLIENT)
        site.pxed.wait_log("tftp failed .*end=unreachable", timeout=20)


# -- floods -------------------------------------------------------------------------------

DEAF = """table inet deaf {
    chain input {
        type filter hook input priority 0;
        udp dport 10000-29999 drop
    }
}
"""


class Flooded(Site):
    """A client whose ports from 10000 to 29999 are mute, and that has many addresses."""

    def __init__(self, network, **settings):
        super().__init__(network, far=False, allow=["attached", "10.78.0.0/16"], **settings)
        self.client.ip("route", "add", "local", "10.78.0.0/16", "dev", "lo")
        self.server.ip("route", "add", "10.78.0.0/16", "via", net.CLIENT)
        self.client.run("nft", "-f", "-", stdin=DEAF)
        self.wire = wire.Wire(self.client)
        self.mac = self.server.mac("eth0")

    def requests(self, sources, name="file.bin", options=(), op=tftp.RRQ):
        """One from each (address, port), as fast as they go."""
        payload = tftp.rrq(name, options=options, op=op)
        for ip, port in sources:
            self.wire.send(wire.udp_frame(self.wire.mac, self.mac, ip, net.SERVER, port, 69, payload))

    def metric(self, name):
        return web.metrics(self.server)[0][name]

    def until(self, name, least):
        """Until a number has grown to that."""
        check.until("%s grows to %d" % (name, least), lambda: self.metric(name) >= least)

    def honest(self, options=()):
        """Its first packet comes while everything else is mute."""
        return tftp.download(self.client, net.SERVER, "file.bin", options=options, timeout=5.0)


def addresses(count, first=0):
    for number in range(first, first + count):
        yield "10.78.%d.%d" % (16 + number // 200, 1 + number % 200), 10000 + number % 20000


def ports(count):
    return ((net.CLIENT, 10000 + number) for number in range(count))


def test_a_thousand_mute_requests_hold_up_nobody():
    """The first packet of an honest client comes by its first request; bench: how soon."""
    with net.Net() as network:
        site = Flooded(network).start()
        for options in ((), {"blksize": 1468, "windowsize": 64}):
            site.requests(ports(1000), options=options)
            client = site.tftp()
            client.request("file.bin")
            client.expect_data(1, CONTENT[:512])
            client.send(tftp.error(0))
        check.at_least(site.metric("pxed_tftp_half_open"), 1000, "half-open transfers")
        check.same_bytes(site.honest().data, CONTENT, "file")


def test_mute_requests_take_nobody_elses_place():
    """64 transfers are allowed, and 3,000 are asked for; one that runs goes on."""
    with net.Net() as network:
        site = Flooded(network, max_transfers=64).start()
        running = site.tftp()
        running.request("file.bin")
        running.expect_data(1)
        running.send(tftp.ack(1))
        running.expect_data(2)
        site.requests(addresses(3000))
        client = site.tftp()
        client.request("file.bin", options={"blksize": 1000, "windowsize": 2})
        client.expect_oack({"blksize": 1000, "windowsize": 2})
        client.send(tftp.ack(0))
        client.drain_to(tftp.DATA, 1)
        check.at_most(site.metric("pxed_tftp_half_open"), 64, "half-open transfers")
        displaced = 'pxed_transfers_total{door="tftp",result="displaced"}'
        alone = 'pxed_tftp_ignored_total{reason="too-many-requests"}'
        check.at_least(site.metric(displaced) + site.metric(alone), 2900, "displaced, or left alone")
        running.send(tftp.ack(2))
        running.drain_to(tftp.DATA, 3)
        check.at_most(site.pxed.log().count("end=displaced"), 1, "lines about those displaced")


def test_who_takes_every_transfer_keeps_nobody_out():
    """One address answers and then dawdles, with as many transfers as there may be."""
    with net.Net() as network:
        site = Flooded(network, max_transfers=64).start()
        holding = [site.tftp() for _ in range(64)]
        for client in holding:
            client.request("file.bin")
            client.expect_data(1, CONTENT[:512], timeout=5.0)
            client.send(tftp.ack(1))
            client.expect_data(2, timeout=5.0)
        late = site.tftp()
        late.request("file.bin")
        late.expect_error(tftp.UNDEFINED, timeout=5.0)
        site.until('pxed_transfers_total{door="tftp",result="refused"}', 1)
        for _ in range(3):
            tftp.fetch(site.client, net.SERVER, "file.bin", CONTENT, local="10.78.3.3", timeout=5.0,
                       options={"blksize": 512, "windowsize": 4})
        displaced = site.metric('pxed_transfers_total{door="tftp",result="displaced"}')
        check.equal(displaced, 1, "transfers of the other one that made room")
        told = [packet for client in holding for packet in client.drain() if packet.op == tftp.ERROR]
        check.equal([packet.text for packet in told], ["too many transfers, try again"], "ERRORs")


def test_one_address_that_never_answers_is_left_alone_and_others_are_not():
    with net.Net() as network:
        site = Flooded(network, max_transfers=1024).start()
        site.requests(("10.78.9.9", 10000 + number) for number in range(3000))
        site.until('pxed_tftp_ignored_total{reason="too-many-requests"}', 1000)
        check.same_bytes(site.honest().data, CONTENT, "file")
        site.pxed.wait_log("warning: tftp silent reason=too-many-requests peer=10.78.9.9")
        check.equal(site.pxed.log().count("tftp silent"), 1, "lines")


def test_addresses_that_nobody_has_fill_no_table_of_the_kernel():
    """Of an attached network: the kernel searches for each that it is to send something to."""
    with net.Net() as network:
        site = Site(network, far=False)
        crowd = network.namespace("crowd")
        network.link(site.server, "eth1", crowd, "eth0")
        site.server.addr("eth1", "10.78.0.1/16")
        net.write_boot_files(site.root)
        site.start(interfaces=["eth0", "eth1"])
        cable, mac = wire.Wire(crowd), site.server.mac("eth1")
        pxe = dhcp.request4011(7, chaddr=b"\2\2\2\2\2\2".ljust(16, b"\0")).pack()
        kinds = ((69, tftp.rrq("file.bin")), (69, tftp.rrq("x", op=tftp.WRQ)), (4011, pxe))
        start = time.monotonic()
        for kind, (door, data) in enumerate(kinds):
            for ip, port in addresses(500, first=500 * kind):
                cable.send(wire.udp_frame(cable.mac, mac, ip, "10.78.0.1", port, door, data))
        tftp.fetch(site.client, net.SERVER, "file.bin", CONTENT, timeout=5.0)
        left_alone = ('pxed_tftp_ignored_total{reason="too-many-requests"}',
                      'pxed_tftp_ignored_total{reason="error-withheld"}',
                      'pxed_dhcp_dropped_total{family="ipv4",reason="unresolved"}')
        alone = 0

        def searches():
            return 256 * (1 + (time.monotonic() - start) // 3)

        while alone < 1500 - searches():
            check.that(time.monotonic() - start < 20, "%d are left alone" % alone)
            time.sleep(0.05)
            numbers = web.metrics(site.server)[0]
            alone = sum(numbers[name] for name in left_alone)
        known = site.server.ip("neigh", "show", "dev", "eth1").splitlines()
        check.at_most(len(known), searches() + 1, "addresses searched for")


def test_errors_are_limited():
    """To one address; another one hears of its mistake at once."""
    with net.Net() as network:
        site = Flooded(network, max_transfers=1024).start()
        withheld = 'pxed_tftp_ignored_total{reason="error-withheld"}'
        refused = 'pxed_transfers_total{door="tftp",result="refused"}'
        start = time.monotonic()
        while site.metric(withheld) == 0:
            if time.monotonic() - start > 15:
                check.skip("pxed answers fewer here each second than it may")
            site.requests((("10.78.9.9", 10000) for _ in range(5000)), op=tftp.WRQ)
        client = site.tftp()
        client.request("file.bin", op=tftp.WRQ)
        client.expect_error(tftp.ACCESS)
        check.at_least(site.metric(refused), 8193, "requests answered with ERROR")
        check.at_most(site.metric(refused), 8193 + 2000 * (time.monotonic() - start + 1),
                      "requests answered with ERROR")
        lines = 2000 + 20 * (time.monotonic() - start + 1)
        check.at_most(site.pxed.log().count("tftp refused"), lines, "lines about them")


def test_a_hundred_machines_behind_one_address_boot():
    """NAT in front of a container: nothing is withheld from them."""
    with net.Net() as network:
        site = Flooded(network).start()
        jobs = [("file.bin", {"blksize": 1000, "tsize": 0})] * 100 + [("file.bin", ())] * 100
        for transfer in tftp.download_many(site.client, net.SERVER, jobs):
            check.that(transfer.over and not transfer.fault, "not complete: %s" % transfer.fault)
        for reason in ("too-many-requests", "error-withheld"):
            check.equal(site.ignored(reason), 0, reason)
