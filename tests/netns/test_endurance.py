"""Two thousand boots of one process: what it holds at the end is what it held when it was warm."""
import struct
import time

import check
import dhcp
import net
import tftp
import wire
from test_faults import Site

TEST_SECONDS = 120
STRANGERS = 4300    # fill the list of boots
WARM, BOOTS = 500, 2000
MACHINES = 200
# A boot takes the place of a stranger's, which had no list of files.
PIECES_PER_BOOT, PIECES = 1, 50
GROWTH_KIB = 4096   # of 1,500 boots: the list of its files is larger than a stranger's boot


def mac_of(kind, number):
    return struct.pack("!HI", kind, number).ljust(16, b"\0")


def strangers(site):
    for number in range(STRANGERS):
        site.pxe.send(dhcp.discover(7, chaddr=mac_of(0x0200, number)))
        if number % 50 == 0:
            time.sleep(0.02)
    site.pxe.wire.drain()


def boot(site, number):
    """Offer, lease, a file by TFTP and one by HTTP."""
    chaddr = mac_of(0x5254, number % MACHINES)
    site.pxe.wire.drain()
    site.pxe.ask(dhcp.discover(7, chaddr=chaddr), seconds=10.0, more=0)
    request = dhcp.discover(7, chaddr=chaddr).set(53, b"\3").set(54, wire.ip_bytes("10.77.0.254"))
    site.pxe.send(request.set(50, wire.ip_bytes(net.CLIENT)))
    tftp.fetch(site.client, net.SERVER, "x64.efi", b"x64.efi" * 500, options={"blksize": 1468})
    if number % 4 == 0:
        site.http()
    if number % 20 == 0:
        site.control()
    if number % 100 == 0:
        site.reload()


def held(site):
    """Descriptors, threads, pieces of memory and KiB, when nothing is under way."""
    return (len(site.pxed.open_files()), len(site.pxed.tasks()), site.inject.live(),
            site.pxed.held_kib())


def test_two_thousand_boots():
    with net.Net() as network:
        site = Site(network, evidence={"enabled": False})
        strangers(site)
        for number in range(WARM):
            boot(site, number)
        time.sleep(2.5)  # transfers linger
        warm = held(site)
        for number in range(WARM, BOOTS):
            boot(site, number)
        time.sleep(2.5)
        files, threads, pieces, kib = held(site)
        check.at_most(files, warm[0], "descriptors")
        check.at_most(threads, warm[1], "threads")
        check.at_most(pieces - warm[2], PIECES_PER_BOOT * (BOOTS - WARM) + PIECES, "pieces of memory more")
        check.at_most(kib - warm[3], GROWTH_KIB, "KiB more")
        site.serve()
