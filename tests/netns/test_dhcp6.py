"""DHCPv6: what a UEFI machine and iPXE are told over IPv6, on a wire with or without a server."""
import json
import re
import socket
import struct
import time

import check
import dhcp6
import net
import tftp
from harness import fixture, timed

SERVER6, CLIENT6 = "fd77::1", "fd77::100"
HTTP_URL = "http://[fd77::1]/x64.efi"
FILES = dict(net.BOOT_FILES, **{"x64-uefi-http": HTTP_URL})


class Site:
    """pxed on a server, and a client; files: the default profile."""

    def __init__(self, network, files=FILES, hosts=(), dhcp=None):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.config = net.config(self.root, profiles={"default": files}, hosts=hosts)
        self.config["dhcp"].update(dhcp or {})
        self.pxed = network.pxed(self.server, self.config)
        self.pxe = dhcp6.Client(self.client)


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def check_proxy(reply, message, kind, url, word="PXEClient"):
    """Rule R18: who asked, who answers, the class word, the URL, and nothing else."""
    check.equal(reply.kind, kind, "type of the answer")
    check.equal(reply.option(dhcp6.CLIENT_ID), message.option(dhcp6.CLIENT_ID), "client")
    check.equal(reply.option(dhcp6.VENDOR_CLASS), dhcp6.vendor_class(word), "class")
    check.equal(reply.url(), url, "URL")
    check.equal(sorted(reply.codes()),
                sorted([dhcp6.CLIENT_ID, dhcp6.SERVER_ID, dhcp6.VENDOR_CLASS, dhcp6.URL]), "options")


def request_4011(client, advertise):
    """What EDK2 sends to port 4011 after the ADVERTISE."""
    return dhcp6.Message(dhcp6.REQUEST, [(dhcp6.SERVER_ID, advertise.option(dhcp6.SERVER_ID)),
                                         *dhcp6.boot_options(7, client)], advertise.xid)


@timed
def test_a_whole_boot(site):
    message = dhcp6.solicit(7)
    url = "tftp://[%s]/x64.efi" % SERVER6
    advertise, source = site.pxe.ask(message)
    check_proxy(advertise, message, dhcp6.ADVERTISE, url)
    check.equal(source[1], 547, "source port")
    check.equal(source[0].split("%")[0], site.server.link_local("eth0"), "source")
    asking = dhcp6.Client(site.client, 4011, CLIENT6)
    request = request_4011(dhcp6.UUID_DUID, advertise)
    start = time.monotonic()
    reply, source = asking.ask(request, SERVER6, 4011)
    check.that(0.15 < time.monotonic() - start < 1.0, "EDK2 does not listen at once, nor for long")
    check_proxy(reply, message, dhcp6.REPLY, url)
    check.equal(source[:2], (SERVER6, 4011), "source of the REPLY")
    data = tftp.download(site.client, SERVER6, "x64.efi").data
    check.same_bytes(data, b"x64.efi" * 500, "the file")
    site.pxed.wait_log(r"dhcp6 advertise mac=%s .*arch=x64-uefi file=x64.efi profile=default "
                       r"url=\S+ port=547 interface=eth0" % site.client.mac("eth0").hex(":"))
    site.pxed.wait_log(r"dhcp6 reply .*port=4011")


def test_4011_by_multicast_and_from_another_port(site):
    advertise, _ = site.pxe.ask(dhcp6.solicit(7))
    asking = dhcp6.Client(site.client, 4999)
    request = request_4011(dhcp6.UUID_DUID, advertise)
    reply, source = asking.ask(request, dhcp6.GROUP, 4011)
    check_proxy(reply, request, dhcp6.REPLY, "tftp://[%s]/x64.efi" % SERVER6)
    check.equal(source[1], 4011, "source port")
    request.options[0] = (dhcp6.SERVER_ID, bytes.fromhex("00030001020000000001"))
    asking.silence(request, dhcp6.GROUP, 4011)


def test_4011_at_the_link_local_address_names_it(site):
    advertise, _ = site.pxe.ask(dhcp6.solicit(7))
    asking = dhcp6.Client(site.client, 4011)
    where = site.server.link_local("eth0")
    reply, source = asking.ask(request_4011(dhcp6.UUID_DUID, advertise), where, 4011)
    check.equal(reply.url(), "tftp://[%s]/x64.efi" % where, "URL")
    check.equal(source[0].split("%")[0], where, "source")
    data = tftp.download(site.client, where + "%eth0", "x64.efi").data
    check.same_bytes(data, b"x64.efi" * 500, "the file")


def test_http_client_gets_its_url_and_no_4011(site):
    message = dhcp6.solicit(16, kind="HTTPClient")
    advertise, _ = site.pxe.ask(message)
    check_proxy(advertise, message, dhcp6.ADVERTISE, HTTP_URL, "HTTPClient")


def test_ipxe_on_a_stateless_network(site):
    options = [pair for pair in dhcp6.boot_options(0, dhcp6.UUID_DUID)
               if pair[0] != dhcp6.IA_NA] + [(dhcp6.USER_CLASS, b"\0\x04iPXE")]
    message = dhcp6.Message(dhcp6.INFORMATION_REQUEST, options)
    reply, _ = site.pxe.ask(message)
    check_proxy(reply, message, dhcp6.REPLY, "tftp://[%s]/boot.ipxe" % SERVER6)


def test_a_relay_gets_it_back_in_its_wrapping(site):
    message = dhcp6.solicit(11)
    relay = dhcp6.Client(site.client, 547, CLIENT6)
    wrapped = dhcp6.relayed(message.pack(), "fd99::1", "fe80::5054:ff:fe12:3456")
    for where in (SERVER6, dhcp6.SITE_GROUP, dhcp6.GROUP):
        relay.send(wrapped, where)
        got = relay.replies(check.PATIENCE, 1)
        check.equal(len(got), 1, "answers by way of " + where)
        data = got[0][0]
        check.equal(data[:34], bytes([dhcp6.RELAY_REPL]) + wrapped[1:34], "header")
        options = dict(dhcp6.parse_options(data[34:]))
        check.equal(options[dhcp6.INTERFACE_ID], b"port 7", "interface identifier")
        check_proxy(dhcp6.parse(options[dhcp6.RELAY_MESSAGE]), message, dhcp6.ADVERTISE,
                    "tftp://[%s]/aa64.efi" % SERVER6)
    check.equal(len(relay.replies(0.3)), 0, "further answers")


def test_silence(site):
    plain = dhcp6.Message(dhcp6.SOLICIT, [(dhcp6.CLIENT_ID, dhcp6.UUID_DUID), (dhcp6.IA_NA, bytes(12))])
    site.pxe.silence(plain)
    site.pxe.silence(dhcp6.solicit(27))
    site.pxed.wait_log("dhcp6 silent .*reason=no-file message=SOLICIT")
    site.pxe.silence(dhcp6.solicit(7), SERVER6)  # a client may not ask by unicast
    site.pxe.silence(b"\x01\x02\x03")
    renew = dhcp6.solicit(7)
    renew.kind = dhcp6.RENEW
    site.pxe.silence(renew)


def test_host_table_and_file_check():
    hosts = [{"name": "byuuid", "uuid": "00112233-4455-6677-8899-aabbccddee02", "action": "ignore"},
             {"name": "byduid", "mac": "52:54:00:aa:00:01", "action": "ignore"}]
    with net.Net() as network:
        site = Site(network, hosts=hosts)
        ll = struct.pack("!HH", 3, 1) + bytes.fromhex("525400aa0001")
        site.pxe.silence(dhcp6.solicit(7, ll))
        site.pxed.wait_log("dhcp6 silent mac=52:54:00:aa:00:01 .*reason=host-ignored .*host=byduid")
        for uuid in ("00112233445566778899aabbccddee02", "33221100554477668899aabbccddee02"):
            site.pxe.silence(dhcp6.solicit(7, bytes.fromhex("0004" + uuid)))
        site.pxed.wait_log("reason=host-ignored .*host=byuuid")
        site.pxe.silence(dhcp6.solicit(10))
        site.pxed.wait_log("reason=no-file")


@timed
def test_a_later_answer_and_one_after_some_requests():
    hosts = [{"mac": "52:54:00:aa:00:01", "delay_ms": 400}, {"mac": "52:54:00:aa:00:02", "after_requests": 3}]
    with net.Net() as network:
        site = Site(network, hosts=hosts)
        late, third = (dhcp6.solicit(7, struct.pack("!HH", 3, 1) + bytes.fromhex("525400aa000" + n))
                       for n in "12")
        start = time.monotonic()
        site.pxe.send(late)
        time.sleep(0.2)
        site.pxe.ask(late)  # one answer for two, since the second came while the first waited
        check.that(0.55 < time.monotonic() - start < 2.0, "400 ms after the second request")
        check.equal(len(site.pxe.replies(0.5)), 0, "more answers")
        for xid in b"ab":
            third.xid = bytes([xid]) * 3
            site.pxe.silence(third)
        site.pxed.wait_log("dhcp6 silent mac=52:54:00:aa:00:02 .*reason=too-early")
        third.xid = b"ccc"
        advertise, _ = site.pxe.ask(third)
        asking = dhcp6.Client(site.client, 4011, CLIENT6)
        asking.ask(request_4011(third.option(dhcp6.CLIENT_ID), advertise), SERVER6, 4011)
        third.xid = b"ddd"
        site.pxe.silence(third)  # it came: its next boot begins anew


def frame6(data, source, target, ports):
    """Ethernet, IPv6 and UDP around a datagram; the checksum is nobody's matter."""
    udp = struct.pack("!4H", *ports, 8 + len(data), 0) + data
    addresses = b"".join(socket.inet_pton(socket.AF_INET6, ip) for ip in (source, target))
    return (b"\x33\x33\0\1\0\2\x02\0\0\0\0\x09\x86\xdd" +
            struct.pack("!IHBB", 6 << 28, len(udp), 17, 64) + addresses + udp)


def write_pcap(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for number, frame in enumerate(frames):
            file.write(struct.pack("<4I", number, 0, len(frame), len(frame)) + frame)


def test_explain_reads_a_recording_and_says_what_is_answered():
    """Octet for octet what the service does, for requests recorded, and for one described."""
    hosts = [{"mac": "52:54:00:aa:00:02", "after_requests": 2, "delay_ms": 100}]
    with net.Net() as network:
        site = Site(network, hosts=hosts)
        duid = struct.pack("!HH", 3, 1) + bytes.fromhex("525400aa0002")
        message = dhcp6.solicit(7, duid)
        site.pxe.silence(message, seconds=1.0)
        advertise, _ = site.pxe.ask(message)
        request = request_4011(duid, advertise)
        reply, _ = dhcp6.Client(site.client, 4011, CLIENT6).ask(request, SERVER6, 4011)
        link = site.client.link_local("eth0")
        path = site.root.at("boot.pcap")
        write_pcap(path, [frame6(message.pack(), link, dhcp6.GROUP, (546, 547)),
                          frame6(message.pack(), link, dhcp6.GROUP, (546, 547)),
                          frame6(advertise.pack(), link, link, (547, 546)),
                          frame6(request.pack(), CLIENT6, SERVER6, (4011, 4011))])
        command = [net.binary(), "explain", "-c", site.pxed.config_path, "--json"]
        told = json.loads(site.server.run(*command, "--pcap", path))["requests"]
        check.equal([(one["packet"], one["verdict"], one["delay_ms"]) for one in told],
                    [(1, "too-early", 0), (2, "answered", 100), (4, "answered", 0)], "verdicts")
        check.equal(told[1]["replies"][0]["hex"], advertise.pack().hex(), "the ADVERTISE")
        check.equal(told[2]["replies"][0]["hex"], reply.pack().hex(), "the REPLY")
        words = site.server.run(*command[:-1], "-6", "--mac", "52:54:00:aa:00:02", "--asked", "2")
        check.inside("answered with an ADVERTISE: tftp://[%s]/x64.efi" % SERVER6, words, "words")
        check.inside("goes out 100 ms later", words, "words")


def test_4011_knows_the_mac_of_the_solicit():
    """The request comes from the leased address, which says nothing of the MAC."""
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        root.write("own.efi", b"own")
        config = net.config(
            root, profiles={"default": net.BOOT_FILES, "own": {"x64-uefi": "own.efi"}},
            hosts=[{"mac": client.mac("eth0").hex(":"), "profile": "own"}])
        network.pxed(server, config)
        advertise, _ = dhcp6.Client(client).ask(dhcp6.solicit(7))
        check.equal(advertise.url(), "tftp://[fd77::1]/own.efi", "URL of the ADVERTISE")
        request = request_4011(dhcp6.UUID_DUID, advertise)
        reply, _ = dhcp6.Client(client, 4011, CLIENT6).ask(request, SERVER6, 4011)
        check.equal(reply.url(), "tftp://[fd77::1]/own.efi", "URL of the REPLY")


def test_files_are_refused_to_an_ignored_host():
    """The REQUEST for a lease tells whose the address is that then asks for a file, and if it
    did not, the kernel's neighbour table would."""
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        mac = client.mac("eth0").hex(":")
        network.pxed(server, net.config(root, hosts=[{"mac": mac, "action": "ignore"}]))
        address = bytes.fromhex("fd77").ljust(14, b"\0") + b"\1\0"
        lease = b"IAID" + bytes(8) + dhcp6.option(5, address + bytes(8))
        pxe = dhcp6.Client(client)
        pxe.silence(dhcp6.Message(dhcp6.REQUEST, [(dhcp6.CLIENT_ID, dhcp6.UUID_DUID),
                                                  (dhcp6.SERVER_ID, b"\0\2someone"),
                                                  (dhcp6.IA_NA, lease)]))
        sock = tftp.Client(client, SERVER6, local=CLIENT6)
        sock.send(tftp.rrq("x64.efi"))
        packet = sock.receive(1.0)
        check.equal(packet.op if packet else tftp.ERROR, tftp.ERROR, "answer to the RRQ")


def test_off_and_on():
    with net.Net() as network:
        site = Site(network, dhcp={"ipv6": False})
        site.pxe.silence(dhcp6.solicit(7))
    with net.Net() as network:  # no IPv6 on the interface, then some
        server, client = network.pair()
        server.sysctl("net/ipv6/conf/eth0/disable_ipv6", 1)
        root = network.root()
        net.write_boot_files(root)
        pxed = network.pxed(server, net.config(root))
        check.that("IPv6" not in pxed.log(), "silently off: " + pxed.log())
        server.sysctl("net/ipv6/conf/eth0/disable_ipv6", 0)
        pxe = dhcp6.Client(client)
        advertise, _ = pxe.ask(dhcp6.solicit(7))
        check.equal(advertise.url(), "tftp://[%s]/x64.efi" % server.link_local("eth0"), "URL")
        server.addr("eth0", "fd77::1/64")
        urls = []  # the kernel announces an address a moment after it is there
        while "tftp://[fd77::1]/x64.efi" not in urls:
            check.at_most(len(urls), 40, "answers until one names the global address")
            urls.append(pxe.ask(dhcp6.solicit(7))[0].url())
            time.sleep(0.02)


def test_the_interface_goes_and_returns(site):
    site.server.ip("link", "set", "eth0", "down")
    site.server.ip("link", "set", "eth0", "up")
    site.server.addr("eth0", "fd77::1/64")
    message, tries = dhcp6.solicit(7), 0
    while not tries or not site.pxe.replies(1.0, 1):  # a client repeats what was said too early (RFC 8415)
        check.at_most(tries, 4, "SOLICITs until one is answered")
        site.pxe.send(message, dhcp6.GROUP, 547)
        tries += 1


def test_duid_is_the_same_at_the_next_start(site):
    first, _ = site.pxe.ask(dhcp6.solicit(7))
    site.pxed.stop()
    site.pxed = site.network.pxed(site.server, site.config)
    second, _ = site.pxe.ask(dhcp6.solicit(7))
    check.equal(second.option(dhcp6.SERVER_ID), first.option(dhcp6.SERVER_ID), "DUID")


def test_two_interfaces_on_one_wire_answer_once():
    with net.Net() as network:
        server, client, switch = (network.namespace(tag) for tag in ("srv", "cli", "swi"))
        network.bridge(switch)
        for namespace, iface, port in ((server, "eth0", "p0"), (server, "eth1", "p1"), (client, "eth0", "p2")):
            network.link(namespace, iface, switch, port)
            switch.ip("link", "set", port, "master", "br0")
        server.addr("eth0", net.SERVER_NET)
        server.addr("eth1", "10.77.0.2/24")
        root = network.root()
        net.write_boot_files(root)
        network.pxed(server, net.config(root, ["eth0", "eth1"]))
        pxe = dhcp6.Client(client)
        message = dhcp6.solicit(7)
        for _ in range(2):
            pxe.send(message)
            check.equal(len(pxe.replies(0.5)), 1, "answers to one SOLICIT")


def test_port_4011_taken_leaves_ipv4_served():
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        taken = server.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        taken.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        taken.bind(("::", 4011))
        pxed = network.pxed(server, net.config(root))
        pxed.wait_log("no answers over IPv6: cannot open UDP port 4011")
        dhcp6.Client(client).silence(dhcp6.solicit(7))
        check.that(pxed.alive(), "pxed has ended")


def beside_dnsmasq(pxed_first):
    """One host for both: both answer each SOLICIT, and dnsmasq leases as ever."""
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        net.write_boot_files(root)

        def start_dnsmasq():
            network.dnsmasq(server, "--dhcp-range=fd77::150,fd77::199,64,1h", "--interface=eth0")

        def start_pxed():
            network.pxed(server, net.config(root))
        for start in (start_pxed, start_dnsmasq) if pxed_first else (start_dnsmasq, start_pxed):
            start()
        pxe = dhcp6.Client(client)
        message = dhcp6.solicit(7)
        pxe.send(message)
        got = [dhcp6.parse(data) for data, _ in pxe.replies(check.PATIENCE, 2)]
        check.equal(sorted(dhcp6.IA_NA in reply.codes() for reply in got), [False, True], "kinds of answers")
        lease = next(reply for reply in got if dhcp6.IA_NA in reply.codes())
        proxy = next(reply for reply in got if dhcp6.IA_NA not in reply.codes())
        check.that(lease.option(dhcp6.SERVER_ID) != proxy.option(dhcp6.SERVER_ID), "two servers, one DUID")
        request = dhcp6.Message(dhcp6.REQUEST, message.options + [
            (dhcp6.SERVER_ID, lease.option(dhcp6.SERVER_ID))])
        request.options[2] = (dhcp6.IA_NA, lease.option(dhcp6.IA_NA))
        reply, _ = pxe.ask(request)
        check.that(re.search(rb"\xfd\x77", reply.option(dhcp6.IA_NA)), "no address in the lease")
        for _ in range(20):  # unicast to the server is dnsmasq's: it loses none, we answer none
            request.xid = dhcp6.Message(dhcp6.REQUEST).xid
            pxe.send(request, SERVER6)
            check.that(pxe.replies(check.PATIENCE, 1), "dnsmasq did not get a unicast REQUEST")
        check.equal(len(pxe.replies(0.3)), 0, "further answers")


def test_beside_dnsmasq_which_is_first():
    beside_dnsmasq(pxed_first=False)


def test_beside_dnsmasq_which_comes_later():
    beside_dnsmasq(pxed_first=True)
