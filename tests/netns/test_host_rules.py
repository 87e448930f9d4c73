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
CONTENT = bytes(range(256)) * 400


class Site:
    """One pxed and a client whose machine is whoever its last REQUEST said."""

    def __init__(self, network):
        self.server, self.client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        root.write("big", CONTENT)
        hosts = [{"mac": LIMITED, "max_window_size": 3, "max_block_size": 600},
                 {"mac": IGNORED, "action": "ignore"}]
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
