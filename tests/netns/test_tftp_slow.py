"""Cases that are about waiting: mute, gone and slow clients."""
import random
import time

import check
import net
import slowdisk
import tftp
import wire

CONTENT = random.Random(50).randbytes(40 * 512 + 10)


class Site:
    def __init__(self, network):
        self.server, self.client = network.pair()
        self.root = network.root()
        self.root.write("file.bin", CONTENT)
        self.pxed = network.pxed(self.server, net.config(self.root))

    def tftp(self):
        return tftp.Client(self.client, net.SERVER)


def test_d40_mute_client_is_not_flooded():
    """A spoofed request: at most three first packets, one block each, and then no more.

    Measured as bytes of UDP payload: 90 times the request without options, 10 times with an
    OACK.
    """
    with net.Net() as network:
        site = Site(network)
        plain, agreed = site.tftp(), site.tftp()
        site.root.write("nine-char", CONTENT)
        requests = [tftp.rrq("nine-char"), tftp.rrq("nine-char", options={
            "blksize": 1468, "windowsize": 64, "tsize": 0})]
        check.equal(len(requests[0]), 18, "length of the request")
        plain.send(requests[0])
        agreed.send(requests[1])
        time.sleep(7.0)
        for client, request, factor in ((plain, requests[0], 90), (agreed, requests[1], 10)):
            packets = client.drain()
            check.that(1 <= len(packets) <= 3, "%d packets to a mute client" % len(packets))
            size = sum(len(packet.raw) for packet in packets)
            check.at_most(size, factor * len(request), "bytes to a mute client")
            check.that(all(packet.raw == packets[0].raw for packet in packets),
                       "what is repeated differs")


def test_d19_vanished_client_ends_the_transfer():
    """Its port is closed: the kernel's port-unreachable is heard, and nothing more is sent."""
    with net.Net() as network:
        site = Site(network)
        sniffer = wire.Wire(site.client)
        client = site.tftp()
        client.request("file.bin")
        for number in range(1, 6):
            client.expect_data(number)
            client.send(tftp.ack(number))
        client.expect_data(6)
        port = client.sock.getsockname()[1]
        client.close()
        sniffer.drain()
        frames = sniffer.collect(2.0, lambda datagram: datagram.dport == port)
        check.at_most(len(frames), 1, "packets to a port that is closed")


def test_the_last_ack_counts_although_its_sender_is_gone():
    """Where a block is on its way again, the ACK and the word of a closed port come together."""
    with net.Net() as network:
        site = Site(network)
        last = len(CONTENT) // 512 + 1
        client = site.tftp()
        client.request("file.bin")
        for number in range(1, last):
            client.expect_data(number)
            client.send(tftp.ack(number))
        client.expect_data(last)
        with site.pxed.held_up():
            client.send(tftp.ack(last))
            link = wire.Wire(site.client)
            link.send(wire.port_unreachable(
                link.mac, site.server.mac("eth0"), net.CLIENT, net.SERVER,
                client.sock.getsockname()[1], client.peer[1]))
            time.sleep(0.1)
        check.lacks(site.pxed.wait_log("tftp done .*file=file.bin.*").group(), "no-final-ack", "the end")


def test_d16_silent_for_five_seconds():
    """U-Boot: a lost ACK, then its own timer of 5 s; the transfer goes on.

    The block behind may be sent, too: it wakes clients that wait for it (D-10).
    """
    with net.Net() as network:
        site = Site(network)
        client = site.tftp()
        client.request("file.bin", options={"timeout": 5, "blksize": 512})
        client.expect_oack({"timeout": 5, "blksize": 512})
        client.send(tftp.ack(0))
        client.expect_data(1)
        client.send(tftp.ack(1))
        client.expect_data(2)
        time.sleep(5.5)
        repeats = client.drain()
        check.that(1 <= len(repeats) <= 12, "%d repeats in 5.5 s" % len(repeats))
        blocks = {packet.block for packet in repeats}
        check.that(2 in blocks and blocks <= {2, 3}, "blocks %s in the silence" % blocks)
        client.send(tftp.ack(2))
        packet = client.drain_to(tftp.DATA, 3)
        check.same_bytes(packet.data, CONTENT[1024:1536], "block 3")
        client.send(tftp.error(0))


def test_d42_slow_client():
    """AudioCodes phones write to flash while receiving: one ACK every 4 s."""
    with net.Net() as network:
        site = Site(network)
        client = site.tftp()
        client.request("file.bin")
        for number in range(1, 4):
            client.drain_to(tftp.DATA, number)
            time.sleep(4.0)
            client.drain()
            client.send(tftp.ack(number))
        client.drain_to(tftp.DATA, 4)
        client.send(tftp.error(0))


def test_d39_vanished_clients_leave_nothing():
    """300 clients that ask and are never heard of again: files and memory come back."""
    with net.Net() as network:
        site = Site(network)
        tftp.fetch(site.client, net.SERVER, "file.bin", CONTENT)
        files, memory = len(site.pxed.open_files()), site.pxed.held_kib()
        clients = [site.tftp() for _ in range(300)]
        for client in clients:
            client.request("file.bin", options={"blksize": 1468, "windowsize": 64})
        end = time.monotonic() + 14.0  # 10 s of patience, and some
        now = len(site.pxed.open_files())
        while now > files + 1 and time.monotonic() < end:
            time.sleep(0.1)
            now = len(site.pxed.open_files())
        check.at_most(now, files + 1, "open descriptors")
        check.at_most(site.pxed.held_kib() - memory, 4096, "growth of memory in KiB")
        tftp.fetch(site.client, net.SERVER, "file.bin", CONTENT)


def test_a_slow_disk_holds_up_its_own_client_only():
    """Reads of one file take 0.8 s each; another file is fetched whole before the first."""
    with net.Net() as network:
        slow = random.Random(51).randbytes(300 * 512 + 10)
        root = network.root()
        root.write("file.bin", CONTENT)
        disk = slowdisk.SlowDisk(root.at("disk"), "slow.bin", slow, 0.8)
        try:
            server, client = network.pair()
            network.pxed(server, net.config(root))
            waiting = tftp.Client(client, net.SERVER)
            waiting.request("disk/slow.bin", options={"blksize": 1468, "windowsize": 16})
            tftp.fetch(client, net.SERVER, "file.bin", CONTENT)
            check.equal(len(waiting.drain()), 0, "packets of the slow file so far")
            waiting.expect_oack({"blksize": 1468, "windowsize": 16})
            tftp.fetch(client, net.SERVER, "disk/slow.bin", slow, options={"blksize": 1468})
            check.that(disk.reads > 0, "nothing was read from the slow disk")
        finally:
            disk.close()
