"""One pxed and one client, whose machine is whoever its last DHCP REQUEST said."""
import socket

import dhcp
import net
import tftp
import wire


class OneClient:
    """A subclass starts pxed, on self.server with self.root."""

    def __init__(self, network):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        self.pxe = dhcp.Client(self.client)

    def discover(self, mac, arch, ipxe=False):
        request = dhcp.discover(arch, chaddr=wire.mac_bytes(mac).ljust(16, b"\0"))
        if ipxe:
            request.set(77, b"iPXE")
        return request

    def offer(self, mac, arch, ipxe=False):
        return self.pxe.ask(self.discover(mac, arch, ipxe))

    def take_lease(self, mac, arch=7, ipxe=False):
        """The broadcast REQUEST a client sends to its DHCP server: option 50 is its address."""
        request = self.discover(mac, arch, ipxe)
        request.set(53, b"\3").set(54, socket.inet_aton("10.77.0.254"))
        request.set(50, socket.inet_aton(net.CLIENT))
        self.pxe.send(request)
        self.pxe.ask(dhcp.discover(7, chaddr=wire.mac_bytes("52:54:00:fe:0c:e0").ljust(16, b"\0")))

    def fetch(self, name, mode="octet"):
        return tftp.download(self.client, net.SERVER, name, mode=mode).data.decode()

    def refused(self, name, code=1):
        """What the ERROR packet says."""
        client = tftp.Client(self.client, net.SERVER)
        client.request(name)
        return client.expect_error(code).text
