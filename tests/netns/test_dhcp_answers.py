"""How an answer is shaped and timed: forms for who keeps asking, menus, delays, two cards."""
import time

import check
import dhcp
import net
import tftp
import wire
from harness import timed

LATE, THIRD, LOCAL, MENU = ("52:54:00:00:01:%02x" % n for n in range(4))
MENU_43 = bytes.fromhex("06010708078000010a4d0001090f800005") + b"First\0\0\4Disk" + b"\x0a\x03\x02F8\xff"


class Site:
    """One pxed with a profile for each case, one client on a veth."""

    def __init__(self, network):
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        items = [{"name": "First", "file": "x64.efi"}, {"name": "Disk", "action": "local"}]
        profiles = {
            "default": net.BOOT_FILES,
            "menu": {**net.BOOT_FILES, "menu": {"prompt": "F8", "timeout": 2, "items": items}},
        }
        hosts = [
            {"name": "late", "mac": LATE, "delay_ms": 600},
            {"name": "third", "mac": THIRD, "after_requests": 3},
            {"name": "local", "mac": LOCAL, "action": "local"},
            {"name": "menu", "mac": MENU, "profile": "menu"},
        ]
        self.pxed = network.pxed(self.server,
                                 net.config(self.root, profiles=profiles, hosts=hosts))
        self.pxe = dhcp.Client(self.client)

    def ask(self, message, seconds=0.3):
        """All replies to it within this time."""
        self.pxe.send(message)
        return self.pxe.replies(seconds, {message.xid})

    def forms(self, message, times, between=lambda: None):
        """The form of the answer to each of so many DISCOVERs."""
        found = []
        for _ in range(times):
            found.append(form(self.ask(message)))
            between()
        return found


def form(replies):
    """What the offers to one DISCOVER are like, in a word."""
    kinds = tuple((reply.message.option(43) is not None, dhcp.file_name(reply.message) != "")
                  for reply in replies)
    return {((True, True),): "pxe", ((False, False),): "bare",
            ((True, True), (False, True)): "both", (): "silence"}.get(kinds, kinds)


def chaddr(mac):
    return wire.mac_bytes(mac).ljust(16, b"\0")


def test_b05_who_keeps_asking_gets_another_form():
    with net.Net() as network:
        site = Site(network)
        message = dhcp.discover(7)
        check.equal(site.forms(message, 6), ["pxe", "pxe", "bare", "both", "pxe", "pxe"], "forms")


def test_b05_a_transfer_freezes_the_form():
    """The machine is known by its own REQUEST for the lease; its transfer tells the rest."""
    with net.Net() as network:
        site = Site(network)
        message = dhcp.discover(7)
        check.equal(site.forms(message, 2), ["pxe", "pxe"], "forms before")
        lease = message.copy().set(53, bytes([dhcp.REQUEST])).set(50, wire.ip_bytes(net.CLIENT))
        site.pxe.send(lease.set(54, wire.ip_bytes("10.77.0.254")))
        time.sleep(0.1)
        tftp.download(site.client, net.SERVER, "x64.efi")
        check.equal(site.forms(message, 4), ["pxe"] * 4, "forms after")


def test_ipxe_keeps_its_form():
    with net.Net() as network:
        site = Site(network)
        message = dhcp.discover(0).set(77, b"iPXE")
        check.equal(site.forms(message, 4), ["pxe"] * 4, "forms")


@timed
def test_b42_a_delay_and_the_next_discover():
    """The answer comes once, its time after the last DISCOVER."""
    with net.Net() as network:
        site = Site(network)
        message = dhcp.discover(7, chaddr=chaddr(LATE))
        check.equal(len(site.ask(message, 0.3)), 0, "answers before the delay is over")
        start = time.monotonic()
        site.pxe.send(message)
        found = site.pxe.replies(check.PATIENCE, {message.xid}, stop=lambda reply: True)
        check.equal(len(found), 1, "answers")
        check.at_least(time.monotonic() - start, 0.55, "seconds until the answer")
        check.equal(len(site.pxe.replies(0.8, {message.xid})), 0, "further answers")


def test_after_requests():
    with net.Net() as network:
        site = Site(network)
        message = dhcp.discover(7, chaddr=chaddr(THIRD))
        check.equal(site.forms(message, 4), ["silence", "silence", "pxe", "pxe"], "forms")


def test_b17_a_local_host_meets_silence():
    with net.Net() as network:
        site = Site(network)
        site.pxe.silent(dhcp.discover(7, chaddr=chaddr(LOCAL)))
        site.pxed.wait_log(r"dhcp silent .*reason=host-local")


def test_a_menu_and_the_item_chosen():
    with net.Net() as network:
        site = Site(network)
        offer = site.pxe.ask(dhcp.discover(7, chaddr=chaddr(MENU))).message
        check.equal(offer.option(43), MENU_43, "option 43 of the offer")
        request = dhcp.request4011(7, chaddr=chaddr(MENU)).set(43, b"\x47\x04\x80\0\0\0\xff")
        with site.client.udp(net.CLIENT, 4011) as sock:
            sock.settimeout(2.0)
            sock.sendto(request.pack(), (net.SERVER, 4011))
            answer = dhcp.parse(sock.recvfrom(2048)[0])
        check.equal(answer.option(43), b"\x47\x04\x80\0\0\0\xff", "option 43 of the answer")
        check.equal(dhcp.file_name(answer), "x64.efi", "its file")


def test_two_cards_on_one_wire_answer_once():
    """Both hear the DISCOVER; the client has one answer, and again one to its next."""
    with net.Net() as network:
        server, client = network.namespace("srv"), network.namespace("cli")
        switch = network.namespace("sw")
        for port, (namespace, iface) in enumerate(((client, "eth0"), (server, "eth0"),
                                                   (server, "eth1"))):
            network.link(namespace, iface, switch, "p%d" % port)
        network.bridge(switch)
        for port in range(3):
            switch.ip("link", "set", "p%d" % port, "master", "br0")
        server.addr("eth0", net.SERVER_NET)
        server.addr("eth1", "10.77.0.3/24")
        root = network.root()
        net.write_boot_files(root)
        network.pxed(server, net.config(root, ["eth0", "eth1"]))
        pxe = dhcp.Client(client)
        for _ in range(3):
            message = dhcp.discover(0).set(77, b"iPXE")
            pxe.send(message)
            check.equal(len(pxe.replies(0.4, {message.xid})), 1, "answers")
