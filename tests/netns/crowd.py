"""A thousand machines that boot at once."""
import time

import dhcp
import net
import wire

SERVER, SERVER_NET = "10.78.0.1", "10.78.0.1/16"
OTHER = "10.77.0.254"


def lease_request(arch, server=OTHER):
    """The REQUEST by which a PXE client takes another server's lease."""
    message = dhcp.discover(arch).set(53, bytes([dhcp.REQUEST]))
    message.set(54, bytes(map(int, server.split("."))))
    return message.set(50, bytes(map(int, net.CLIENT.split("."))))


def boot(site, count):
    """DISCOVER, REQUEST and two files under way of each; site: server, pxe, pxed."""
    site.server.addr("eth0", SERVER_NET)
    mac = site.server.mac("eth0")
    machines = [((b"\x02\0\0\0" + number.to_bytes(2, "big")).ljust(16, b"\0"),
                 "10.78.%d.%d" % (1 + number // 250, 1 + number % 250)) for number in range(count)]
    for chaddr, ip in machines:
        site.pxe.send(dhcp.discover(7, chaddr=chaddr))
        request = lease_request(7).change(chaddr=chaddr)
        site.pxe.send(request.set(50, bytes(map(int, ip.split(".")))))
    site.pxed.wait_log("mac=02:00:00:00:%02x:%02x" % divmod(count - 1, 256))
    time.sleep(0.2)
    for _, ip in machines:
        site.pxe.wire.send(wire.arp_request(site.pxe.wire.mac, ip, SERVER))  # as whoever is really there does
        for name in (b"x64.efi", b"boot.ipxe"):
            site.pxe.wire.send(wire.udp_frame(
                site.pxe.wire.mac, mac, ip, SERVER, 2000 + len(name), 69,
                b"\0\1" + name + b"\0octet\0blksize\0" + b"1024\0tsize\0" + b"0\0"))
    time.sleep(0.5)
