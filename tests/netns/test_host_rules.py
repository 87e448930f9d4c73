"""The host table rules at every door: what DHCP hears of a machine holds for its transfers."""
import socket
import time

import check
import dhcp
import net
import tftp
import wire
from harness import fixture

LIMITED = "52:54:00:00:00:11"
IGNORED = "52:54:00:00:00:12"
SPECIAL = "52:54:00:00:00:13"
CONTENT = bytes(range(256)) * 400


class Site:
    """One pxed and a client whose machine is whoever its last REQUEST said."""

    def __init__(self, network):
        self.server, self.client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        root.write("big", CONTENT)
        hosts = [{"mac": LIMITED, "max_window_size": 3, "max_block_size": 600},
                 {"mac": IGNORED, "action": "ignore"},
                 {"mac": SPECIAL, "x64-uefi": "aa64.efi", "fields": {"sname": True}}]
        self.pxed = network.pxed(self.server, net.config(root, hosts=hosts))
        self.pxe = dhcp.Client(self.client)

    def take_lease(self, mac):
        """The broadcast REQUEST a client sends to its DHCP server: option 50 is its address."""
        request = dhcp.discover(7, chaddr=wire.mac_bytes(mac).ljust(16, b"\0"))
        request.set(53, b"\3")
        request.set(54, socket.inet_aton("10.77.0.254"))
        request.set(50, socket.inet_aton(net.CLIENT))
        self.pxe.send(request)
        time.sleep(0.1)

    def ask(self, **options):
        client = tftp.Client(self.client, net.SERVER)
        client.request("big", options=options)
        return client


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def test_a_host_has_its_own_largest_window_and_block(site):
    site.take_lease(LIMITED)
    site.ask(blksize=1468, windowsize=16).expect_oack({"blksize": 600, "windowsize": 3})
    site.take_lease("52:54:00:00:00:99")
    client = site.ask(blksize=1468, windowsize=2)
    client.expect_oack({"blksize": 1468, "windowsize": 2})
    tftp.fetch(site.client, net.SERVER, "big", CONTENT, options={"blksize": 1468})


def test_b65_an_ignored_host_gets_neither_offer_nor_file(site):
    site.pxe.silent(dhcp.discover(7, chaddr=wire.mac_bytes(IGNORED).ljust(16, b"\0")))
    site.take_lease(IGNORED)
    site.ask(blksize=1468).expect_error(2)
    site.take_lease("52:54:00:00:00:99")
    site.ask(blksize=1468).expect_oack({"blksize": 1468})


def test_a_host_has_boot_files_of_its_own(site):
    request = dhcp.discover(7, chaddr=wire.mac_bytes(SPECIAL).ljust(16, b"\0"))
    reply = site.pxe.ask(request).message
    check.equal(dhcp.file_name(reply), "aa64.efi", "offered file")
    check.equal(reply.sname.rstrip(b"\0"), net.SERVER.encode(), "sname")
    site.take_lease(SPECIAL)
    tftp.fetch(site.client, net.SERVER, "auto", b"aa64.efi" * 500)
    site.take_lease("52:54:00:00:00:99")
    tftp.fetch(site.client, net.SERVER, "auto", b"x64.efi" * 500)


class Silent:
    """A client that never speaks DHCP: only the kernel knows who has its address."""

    def __init__(self, network, **more):
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.root.write("big", CONTENT)
        hosts = [{"mac": LIMITED, "max_window_size": 3}, {"mac": IGNORED, "action": "ignore"}]
        self.pxed = network.pxed(self.server, dict(net.config(self.root, hosts=hosts), **more))

    def become(self, mac):
        """Another machine with the same address, known to the kernel by its own ARP."""
        self.client.ip("link", "set", "eth0", "address", mac)
        self.server.ip("neigh", "flush", "dev", "eth0")
        self.client.ip("neigh", "flush", "dev", "eth0")

    def ask(self, server=net.SERVER, **options):
        client = tftp.Client(self.client, server)
        client.request("big", options=options)
        return client


def test_b65_a_host_that_never_spoke_dhcp_is_known_to_the_kernel():
    with net.Net() as network:
        site = Silent(network)
        site.become(IGNORED)
        site.ask().expect_error(2)
        site.become("52:54:00:00:00:99")
        site.ask(windowsize=16).expect_oack({"windowsize": 16})
        site.become(LIMITED)
        site.ask(windowsize=16).expect_oack({"windowsize": 3})


def test_b65_so_it_is_over_ipv6():
    with net.Net() as network:
        site = Silent(network)
        site.become(IGNORED)
        site.ask(server="fd77::1").expect_error(2)


def test_what_dhcp_said_comes_before_what_the_kernel_says():
    """A machine behind something that changes hardware addresses is who it says it is."""
    with net.Net() as network:
        site = Site(network)
        site.client.ip("link", "set", "eth0", "address", IGNORED)
        site.pxe = dhcp.Client(site.client)
        site.take_lease("52:54:00:00:00:99")
        site.ask(blksize=1468).expect_oack({"blksize": 1468})


def test_auto_for_a_machine_of_an_earlier_boot():
    """After a restart: the kernel tells the machine, and what is remembered its architecture."""
    with net.Net() as network:
        site = Silent(network)
        site.become("52:54:00:00:00:99")
        pxe = dhcp.Client(site.client)
        pxe.ask(dhcp.discover(11, chaddr=wire.mac_bytes("52:54:00:00:00:99").ljust(16, b"\0")))
        tftp.fetch(site.client, net.SERVER, "auto", b"aa64.efi" * 500)
