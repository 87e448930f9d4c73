"""The transfer itself: acknowledgements of every kind, repeats, ends, wraps, crowds."""
import os
import random
import time

import check
import net
import tftp
from harness import fixture

TIMED = True    # by timers of milliseconds, all of them
BLOCKS = 60
noise = random.Random(30)


class Site:
    def __init__(self, network):
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.pxed = network.pxed(self.server, net.config(self.root))
        self.content = self.root.write("file.bin", noise.randbytes(BLOCKS * 512 - 100))
        self.root.write("writable.txt", b"as it was", mode=0o666)

    def tftp(self):
        return tftp.Client(self.client, net.SERVER)

    def block(self, number, size=512):
        return self.content[(number - 1) * size:number * size]

    def begin(self, **options):
        """A client whose transfer of file.bin has begun: OACK taken, ACK 0 not yet sent."""
        client = self.tftp()
        client.request("file.bin", options=options)
        if options:
            client.expect_oack(options)
        return client

    def begin_probe(self):
        """EDK2's question for the size, answered."""
        client = self.tftp()
        client.request("file.bin", options={"tsize": 0, "blksize": 1468, "windowsize": 4})
        client.expect_oack({"tsize": len(self.content), "blksize": 1468, "windowsize": 4})
        return client

    def finish(self, client, acked, window=1):
        """Take the rest in order, from the block behind acked, and compare it."""
        got, number = b"", acked
        while True:
            packet = client.expect_data(number + 1)
            number += 1
            got += packet.data
            last = len(packet.data) < 512
            if last or (number - acked) % window == 0:
                client.send(tftp.ack(number))
            if last:
                break
        check.same_bytes(got, self.content[acked * 512:], "rest of the file")


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def repeats_by_timer_only(client, block, seconds=0.06):
    """What comes in a few round-trip timers is that block, a few times: no ACK caused it."""
    packets = client.drain(seconds)
    check.equal({packet.block for packet in packets} - {block & 0xffff}, set(), "other blocks")
    check.at_most(len(packets), 4, "repeats of block %d within %.2f s" % (block, seconds))


def nothing_beyond(client, block, seconds=0.01):
    """Repeats may come, but no block behind this one."""
    for packet in client.drain(seconds):
        check.at_most(packet.block, block, "block that came unasked")


# -- acknowledgements -------------------------------------------------------------------

def test_d01_duplicate_ack_doubles_nothing(site):
    """Sorcerer's Apprentice: no second stream of blocks, although ACK 1 came twice."""
    client = site.begin()
    client.expect_data(1)
    client.send(tftp.ack(1))
    client.send(tftp.ack(1))
    copies = {}
    for _ in range(2 * BLOCKS):
        packet = client.receive(1.0)
        if packet is None:
            break
        copies[packet.block] = copies.get(packet.block, 0) + 1
        client.send(tftp.ack(packet.block))
        if len(packet.data) < 512:
            break
    check.equal(sorted(copies), list(range(2, BLOCKS + 1)), "blocks that came")
    more = [block for block, count in copies.items() if count > 1]
    check.at_most(len(more), 5, "blocks that came more than once (a busy timer may do a few)")
    client.drain(0.02)
    client.silence(0.1)


def test_d02_ack_of_an_older_block(site):
    client = site.begin()
    for number in range(1, 4):
        client.expect_data(number)
        client.send(tftp.ack(number))
    client.expect_data(4)
    for _ in range(20):
        client.send(tftp.ack(1))
        client.send(tftp.ack(2))
    repeats_by_timer_only(client, 4)
    client.send(tftp.ack(4))
    client.drain_to(tftp.DATA, 5)
    client.send(tftp.error(0))


def test_d03_ack_of_what_was_not_sent(site):
    """No jump: a hole in the file would be the price."""
    client = site.begin()
    client.expect_data(1)
    client.send(tftp.ack(50))
    for packet in client.drain(0.1):
        check.equal(packet.block, 1, "block after ACK 50")
    client.send(tftp.ack(1))
    client.expect_data(2, site.block(2))
    client.send(tftp.ack(2))
    site.finish(client, 2)


def test_d03_ack_of_what_was_not_sent_in_a_window(site):
    client = site.begin(windowsize=4)
    client.send(tftp.ack(0))
    for number in range(1, 5):
        client.expect_data(number)
    client.send(tftp.ack(5))
    for packet in client.drain(0.05):
        check.inside(packet.block, (1, 2, 3, 4), "block after ACK 5")
    client.send(tftp.ack(4))
    site.finish(client, 4, window=4)


def test_d04_wrong_ack_to_the_oack(site):
    """What is repeated is the OACK, not what was received."""
    client = site.begin(blksize=512)
    client.send(tftp.ack(1))
    packet = client.expect("the OACK again")
    check.equal((packet.op, packet.options), (tftp.OACK, [("blksize", "512")]), "repeated packet")
    client.send(tftp.ack(0))
    client.drain_to(tftp.DATA, 1)
    client.send(tftp.ack(1))
    site.finish(client, 1)


def test_d05_oack_is_repeated(site):
    """Block 0 has the same timer as any other."""
    client = site.begin(blksize=512)
    again = client.expect("the OACK again")
    check.equal(again.op, tftp.OACK, "opcode")
    client.send(tftp.ack(0))
    client.expect_data(1, site.block(1))
    client.send(tftp.error(0))


def test_d06_last_ack_lost(site):
    """The last block is repeated; its ACK then ends the transfer."""
    client = site.begin()
    for number in range(1, BLOCKS):
        client.expect_data(number)
        client.send(tftp.ack(number))
    client.expect_data(BLOCKS)
    client.expect_data(BLOCKS)
    client.drain(0.05)
    client.send(tftp.ack(BLOCKS))
    client.drain(0.02)
    client.silence(0.3)


def test_d13_ack_inside_a_window(site):
    """Back to the block behind it, at once, and a full window from there."""
    client = site.begin(windowsize=8)
    client.send(tftp.ack(0))
    for number in range(1, 9):
        client.expect_data(number)
    start = time.monotonic()
    client.send(tftp.ack(2))
    client.drain_to(tftp.DATA, 3)  # a tail probe may be on its way when this machine is slow
    for number in range(4, 11):
        client.expect_data(number, site.block(number))
    check.at_most(time.monotonic() - start, 0.1, "seconds until the window came again")
    nothing_beyond(client, 10)
    client.send(tftp.ack(10))
    client.drain_to(tftp.DATA, 11)
    client.send(tftp.error(0))


def test_d13_every_ack_of_a_window(site):
    """GRUB-like: each block acknowledged; a window server must not multiply them."""
    client = site.begin(windowsize=8)
    client.send(tftp.ack(0))
    copies, expected = 0, 1
    while expected <= BLOCKS:
        packet = client.expect("DATA")
        copies += 1
        if packet.block == expected:
            expected += 1
        client.send(tftp.ack(expected - 1))
    check.at_most(copies, BLOCKS * 3 // 2, "packets for %d blocks" % BLOCKS)


def test_first_block_of_a_window_lost():
    """EDK2 answers each stray block with an ACK of the last good one: three of the same.

    They are one complaint: the window comes again once, at once.
    """
    with net.Net() as network:
        site = Site(network)
        client = site.begin(windowsize=4)
        for acked in range(0, 16, 4):
            client.send(tftp.ack(acked))
            for number in range(acked + 1, acked + 5):
                client.expect_data(number)
        client.send(tftp.ack(16))
        for number in range(17, 21):
            client.expect_data(number)
        for _ in range(3):
            client.send(tftp.ack(16))
        start = time.monotonic()
        for number in range(17, 21):
            client.expect_data(number, site.block(number))
        check.at_most(time.monotonic() - start, 0.1, "seconds until the window came again")
        client.send(tftp.ack(20))
        copies = client.drain(0.01)
        check.at_most(len([packet for packet in copies if packet.block <= 20]), 4,
                      "blocks sent a third time")
        client.send(tftp.error(0))


def test_d15_loss_in_the_last_window(site):
    client = site.begin(windowsize=8)
    client.send(tftp.ack(0))
    acked = 0
    while acked + 8 < BLOCKS:
        for number in range(acked + 1, acked + 9):
            client.expect_data(number)
        acked += 8
        client.send(tftp.ack(acked))
    for number in range(acked + 1, BLOCKS + 1):
        client.expect_data(number)
    client.send(tftp.ack(BLOCKS - 2))
    for number in (BLOCKS - 1, BLOCKS):
        client.expect_data(number, site.block(number))
    client.send(tftp.ack(BLOCKS))
    client.silence(0.2)


def test_d18_a_lost_block_costs_milliseconds(site):
    """The timer follows the round trip, not the second."""
    client = site.begin(blksize=512, tsize=len(site.content))  # nothing is sent ahead
    client.send(tftp.ack(0))
    for number in range(1, 21):
        client.expect_data(number)
        client.send(tftp.ack(number))
    client.expect_data(21)
    start = time.monotonic()
    client.expect_data(21, site.block(21))
    check.at_most(time.monotonic() - start, 0.3, "seconds until the lost block came again")
    client.send(tftp.error(0))


def test_a_long_ack_is_an_ack(site):
    """Windows adds a byte to each; in a session without the extension it means nothing."""
    client = site.begin()
    client.expect_data(1)
    client.send(tftp.ack(1, b"\x08"))
    client.expect_data(2, site.block(2))
    nothing_beyond(client, 2)
    client.send(tftp.error(0))


# -- ports and repeated requests --------------------------------------------------------

def test_d20_repeated_request_is_one_transfer(site):
    """D21: and the answer is not doubled within the timer."""
    client = site.tftp()
    client.request("file.bin")
    first = client.expect_data(1)
    time.sleep(0.02)
    client.send(tftp.rrq("file.bin"), client.listening)
    packets = client.drain(0.2)
    check.equal({packet.source for packet in packets} - {first.source}, set(), "other ports")
    check.equal(len(packets), 0, "answers to the repeated request within 0.2 s")
    client.send(tftp.ack(1))
    client.expect_data(2, site.block(2))
    client.send(tftp.ack(2))
    site.finish(client, 2)


def test_d21_oack_is_not_doubled(site):
    client = site.tftp()
    request = tftp.rrq("file.bin", options={"blksize": 512, "tsize": 0})
    client.send(request)
    client.send(request)
    client.expect_oack({"blksize": 512, "tsize": len(site.content)})
    client.silence(0.2, "one OACK only")
    client.send(tftp.ack(0))
    client.expect_data(1, site.block(1))
    client.send(tftp.error(0))


def test_d20_repeated_request_after_an_ack_starts_over(site):
    client = site.begin()
    for number in range(1, 6):
        client.expect_data(number)
        client.send(tftp.ack(number))
    client.expect_data(6)
    client.request("file.bin")
    client.drain_to(tftp.DATA, 1)
    client.send(tftp.ack(1))
    client.drain_to(tftp.DATA, 2)
    client.send(tftp.ack(2))
    site.finish(client, 2)


def test_d20_other_file_from_the_same_port(site):
    other = site.root.write("other.bin", b"other" * 10)
    client = site.tftp()
    client.request("file.bin")
    client.expect_data(1)
    client.request("other.bin")
    client.drain_until(lambda packet: packet.data == other, "the other file")
    client.send(tftp.ack(1))
    client.silence(0.2)


def test_b56_two_ports_are_two_transfers(site):
    """Pi: a second request from a new port, ERROR 0 on the first; the second goes on."""
    first, second = site.begin(), site.begin()
    first.expect_data(1)
    second.expect_data(1)
    first.send(tftp.error(0, "Early terminate"))
    first.silence(0.1)
    second.send(tftp.ack(1))
    site.finish(second, 1)


def test_foreign_port_gets_error_5(site):
    """And the transfer it knocked at goes on."""
    client = site.begin()
    client.expect_data(1)
    stranger = site.tftp()
    stranger.send(tftp.ack(1), client.peer)
    packet = stranger.expect_error(tftp.UNKNOWN_TID)
    check.equal(packet.source, client.peer, "source of the ERROR")
    client.silence(0.015)
    client.send(tftp.ack(1))
    client.drain_to(tftp.DATA, 2)
    client.send(tftp.ack(2))
    site.finish(client, 2)


def test_foreign_error_is_not_answered(site):
    client = site.begin()
    client.expect_data(1)
    stranger = site.tftp()
    stranger.send(tftp.error(0, "mine"), client.peer)
    stranger.silence(0.2)
    client.send(tftp.ack(1))
    client.drain_to(tftp.DATA, 2)
    client.send(tftp.error(0))


def test_data_ports_are_in_the_range(site):
    for _ in range(8):
        client = site.begin()
        client.expect_data(1)
        check.inside(client.peer[1], range(40000, 40004), "data port")
        client.send(tftp.error(0))


# -- errors and ends --------------------------------------------------------------------

def test_d31_the_listening_port_answers_requests_only(site):
    client = site.tftp()
    for data in (tftp.error(0, "x"), tftp.ack(0), tftp.ack(1), b"\0\3\0\1data", b"\0\6a\0b\0",
                 b"\0\0\0\0", b"\0\7\0\0", b"\xff\xff\xff\xff"):
        client.send(data, client.listening)
    client.silence(0.3)


def test_d31_nothing_from_port_69_is_answered(site):
    """The loop between two servers needs only one spoofed packet."""
    client = tftp.Client(site.client, net.SERVER, local=net.CLIENT, local_port=69)
    client.send(tftp.error(0, "x"))
    client.send(tftp.rrq("missing"))
    client.silence(0.3)
    client.close()


def test_data_ports_answer_no_server_either(site):
    """Nor would an ERROR 5 go to one; to a client's port it goes."""
    running = site.begin()
    running.expect_data(1)
    for port in (67, 69, 4011):
        with_port = tftp.Client(site.client, net.SERVER, local=net.CLIENT, local_port=port)
        with_port.send(tftp.ack(1), running.peer)
        with_port.silence(0.2)
        with_port.close()
    stranger = site.tftp()
    stranger.send(tftp.ack(1), running.peer)
    stranger.expect_error(tftp.UNKNOWN_TID)
    running.send(tftp.error(0, "enough"))


def test_d32_size_probe_ends_in_silence(site):
    """B15, B75: EDK2 asks for the size, says ERROR 8, and comes again from another port."""
    start = len(site.pxed.log())
    client = site.begin_probe()
    client.send(tftp.error(8, "User aborted the transfer"))
    client.silence(0.3)
    transfer = tftp.fetch(site.client, net.SERVER, "file.bin", site.content,
                          options={"blksize": 1468, "windowsize": 4})
    check.equal(transfer.oack, {"blksize": "1468", "windowsize": "4"}, "OACK")
    log = site.pxed.log()[start:].lower()
    check.lacks(log, "warning", "log of a size probe")
    check.lacks(log, "error: ", "log of a size probe")


def test_d34_any_error_ends_the_transfer(site):
    for code in (0, 8, 9, 65535):
        client = site.begin()
        client.expect_data(1)
        client.send(tftp.error(code, "stop"))
        time.sleep(0.01)
        client.send(tftp.ack(1))
        for packet in client.drain(0.2):
            check.that(packet.op == tftp.ERROR and packet.code == tftp.UNKNOWN_TID,
                       "got %s after ERROR %d" % (packet, code))


def test_d35_error_comes_instead_of_the_oack(site):
    os.makedirs(site.root.at("folder"), exist_ok=True)
    client = site.tftp()
    client.request("folder", options={"tsize": 0, "blksize": 1468})
    client.expect_error(tftp.NOT_FOUND, tftp.ACCESS)
    client.silence(0.1)


def test_d41_write_requests_touch_nothing(site):
    client = site.tftp()
    for options in ((), {"blksize": 1468, "tsize": 5}):
        client.request("writable.txt", options=options, op=tftp.WRQ)
        client.expect_error(tftp.ACCESS)
    client.request("new.txt", op=tftp.WRQ)
    client.expect_error(tftp.ACCESS)
    with open(site.root.at("writable.txt"), "rb") as file:
        check.equal(file.read(), b"as it was", "content")
    check.that(not os.path.exists(site.root.at("new.txt")), "a file was made")


# -- sizes ------------------------------------------------------------------------------

def test_d50_without_options(site):
    """B69: shim and old ROMs; 512-byte blocks, no OACK, and no waiting between them."""
    content = site.root.write("plain.bin", noise.randbytes(2_000_000))
    start = time.monotonic()
    transfer = tftp.fetch(site.client, net.SERVER, "plain.bin", content)
    check.equal(transfer.oack, None, "OACK")
    check.at_most(time.monotonic() - start, 4.0, "seconds for 3,907 blocks in lock-step")


def test_d11_exact_multiple_ends_with_an_empty_block(site):
    content = site.root.write("exact.bin", noise.randbytes(4096))
    transfer = tftp.fetch(site.client, net.SERVER, "exact.bin", content,
                          options={"blksize": 1024, "windowsize": 4})
    check.equal([len(part) for part in transfer.parts], [1024] * 4 + [0], "blocks")
    content = site.root.write("one.bin", noise.randbytes(512))
    transfer = tftp.fetch(site.client, net.SERVER, "one.bin", content)
    check.equal([len(part) for part in transfer.parts], [512, 0], "blocks")


def test_d12_empty_file(site):
    site.root.write("empty.bin")
    for options in ((), {"blksize": 1468}, {"tsize": 0}, {"windowsize": 16}):
        transfer = tftp.fetch(site.client, net.SERVER, "empty.bin", b"", options=options)
        check.equal([len(part) for part in transfer.parts], [0], "blocks")


def test_d07_blocks_wrap_to_zero(site):
    """40 MiB in 512-byte blocks: 81,921 of them, window 16, every byte compared."""
    size = 40 << 20
    content = site.root.write("wrap.bin", noise.randbytes(size))
    transfer = tftp.fetch(site.client, net.SERVER, "wrap.bin", content,
                          options={"blksize": 512, "windowsize": 16, "tsize": 0})
    check.equal(transfer.oack["tsize"], str(size), "tsize")
    check.equal(transfer.expected - 1, size // 512 + 1, "blocks")


def test_d08_two_wraps(site):
    """Small blocks get there sooner: 1.2 MB by 8 is 150,001 blocks."""
    content = site.root.write("wraps.bin", noise.randbytes(1_200_000))
    transfer = tftp.fetch(site.client, net.SERVER, "wraps.bin", content,
                          options={"blksize": 8, "windowsize": 64})
    check.equal(transfer.expected - 1, 150_001, "blocks")


def test_d09_duplicate_ack_65535_at_the_wrap(site):
    """With block 0 under way a second ACK 65535 is behind, not ahead."""
    content = site.root.write("edge.bin", noise.randbytes(65540 * 8 + 3))
    client = site.tftp()
    client.request("edge.bin", options={"blksize": 8, "windowsize": 1})
    client.expect_oack({"blksize": 8, "windowsize": 1})
    client.send(tftp.ack(0))
    for number in range(1, 65536):
        client.expect_data(number)
        client.send(tftp.ack(number))
    client.expect_data(65536, content[65535 * 8:65536 * 8])
    for _ in range(20):
        client.send(tftp.ack(65535))
    repeats_by_timer_only(client, 65536)
    client.send(tftp.ack(65536))
    for number in range(65537, 65542):
        packet = client.drain_to(tftp.DATA, number & 0xffff)
        check.same_bytes(packet.data, content[(number - 1) * 8:number * 8], "block %d" % number)
        client.send(tftp.ack(number))


def test_windows_of_every_size(site):
    for window in (1, 2, 3, 7, 16, 64):
        for blksize in (512, 1468):
            tftp.fetch(site.client, net.SERVER, "file.bin", site.content,
                       options={"blksize": blksize, "windowsize": window})


def test_probe_of_the_window(site):
    """After an ACK come exactly as many blocks as were agreed."""
    client = site.begin(windowsize=4)
    client.send(tftp.ack(0))
    for number in range(1, 5):
        client.expect_data(number)
    nothing_beyond(client, 4)
    client.send(tftp.error(0))


# -- crowds -----------------------------------------------------------------------------

def test_d38_two_hundred_at_once(site):
    """All complete, all correct, whatever they asked for."""
    contents, jobs = {}, []
    for number in range(200):
        name = "crowd/%d.bin" % (number % 20)
        if name not in contents:
            contents[name] = site.root.write(name, noise.randbytes(60_000 + 777 * number))
        options = ((), {"blksize": 1468}, {"blksize": 1468, "windowsize": 4},
                   {"blksize": 1024, "tsize": 0, "windowsize": 16})[number % 4]
        jobs.append((name, options))
    transfers = tftp.download_many(site.client, net.SERVER, jobs)
    for (name, _), transfer in zip(jobs, transfers):
        check.that(transfer.over, "%s not complete: %d bytes" % (name, transfer.length))
        check.equal(transfer.fault, None, name)
        check.same_bytes(transfer.data, contents[name], name)


def test_d39_descriptors_come_back(site):
    """Downloads, missing files, aborted and vanished clients: none leaves a descriptor."""
    before, start = len(site.pxed.open_files()), len(site.pxed.log())
    for number in range(300):
        tftp.fetch(site.client, net.SERVER, "bios.0", b"bios.0" * 500,
                   options={"blksize": 1468, "windowsize": 4})
        client = site.tftp()
        client.request("missing%d" % number)
        client.expect_error(tftp.NOT_FOUND)
        client.request("file.bin")
        client.expect_data(1)
        client.send(tftp.error(0))
        client.close()
    end = time.monotonic() + 2.0
    while len(site.pxed.open_files()) > before + 2 and time.monotonic() < end:
        time.sleep(0.02)
    check.at_most(len(site.pxed.open_files()), before + 2, "open descriptors")
    site.pxed.wait_log("last=missing299", start=start)  # told, so not with the next test's


def test_d44_missing_names_do_not_flood_the_log(site):
    start = len(site.pxed.log())
    client = site.tftp()
    for number in range(20):
        client.request("pxelinux.cfg/%d" % number)
        client.expect_error(tftp.NOT_FOUND)
    tftp.fetch(site.client, net.SERVER, "bios.0", b"bios.0" * 500)
    site.pxed.wait_log("tftp refused .*pxelinux.cfg", start=start)
    lines = [line for line in site.pxed.log()[start:].splitlines() if "pxelinux.cfg" in line]
    check.equal(len(lines), 1, "log lines about missing files of one client")
    check.that("files=20 first=pxelinux.cfg/0 last=pxelinux.cfg/19" in lines[0], lines[0])


def test_windows_grow_with_what_was_carried(site):
    """16 blocks for a stranger, twice as many after a clean transfer, never more than asked."""
    def begin(asked, granted):
        client = site.tftp()
        client.request("file.bin", options={"blksize": 64, "windowsize": asked})
        client.expect_oack({"blksize": 64, "windowsize": granted})
        return client
    begin(4, 4)
    client = begin(64, 16)
    client.send(tftp.ack(0))
    blocks = len(site.content) // 64 + 1
    for number in range(1, blocks + 1):
        client.expect_data(number, site.block(number, 64))
        if number % 16 == 0 or number == blocks:
            client.send(tftp.ack(number))
    client.silence(0.1)
    begin(64, 32)
    begin(20, 20)
