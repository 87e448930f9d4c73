"""Requests, options and files: TFTP cases A, B and C of the field, on the wire."""
import os
import random
import struct
import time

import check
import net
import tftp
from harness import fixture, timed

HELLO = b"hello from the boot root, 18\n"
HUGE = 5 * 2 ** 30 + 1
noise = random.Random(20)


class Site:
    """One pxed with a boot root full of traps."""

    def __init__(self, network):
        self.server, self.client = network.pair()
        self.root = root = network.root()
        net.write_boot_files(root)
        self.pxed = network.pxed(self.server, net.config(root))
        self.files = {
            "hello.txt": HELLO,
            "dir/inner.txt": b"inner" * 300,
            "upper/MixedCase.EFI": b"mixed" * 300,
            "twin/a.txt": b"lower", "twin/A.TXT": b"upper",
            "both/one.txt": b"one", "BOTH/two.txt": b"two",
            "zero.bin": b"",
            "b512.bin": noise.randbytes(512),
            "big.bin": noise.randbytes(100_000),
            "%s%n%n%n": b"format",
            "lines.txt": b"one\ntwo\rthree\r\nend",
        }
        for name, content in self.files.items():
            root.write(name, content)
        root.sparse("huge.img", HUGE)
        root.write("private.bin", b"private", mode=0o600)
        os.mkfifo(root.at("fifo"), 0o666)
        self.make_outside(network.folder)

    def make_outside(self, folder):
        """Files that nobody may get, and the ways to them."""
        for name in ("secret.txt", os.path.basename(self.root.path) + "-secret/x"):
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write("SECRET")
        os.symlink(os.path.join(folder, "secret.txt"), self.root.at("link_out"))
        os.symlink("../secret.txt", self.root.at("link_rel_out"))
        os.symlink("hello.txt", self.root.at("link_in"))
        os.symlink("dir", self.root.at("dirlink"))
        os.symlink("..", self.root.at("uplink"))

    def tftp(self):
        return tftp.Client(self.client, net.SERVER)

    def fetch(self, name, content=None, mode="octet", options=()):
        content = self.files[name] if content is None else content
        return tftp.fetch(self.client, net.SERVER, name, content, mode, options)

    def raw_serves(self, request, content=HELLO):
        """A request by its bytes; the first block must be DATA 1 of this content."""
        client = self.tftp()
        client.send(request)
        client.expect_data(1, content[:512])
        client.send(tftp.ack(1))
        client.close()

    def refused(self, name, *codes, mode="octet", options=()):
        """An ERROR with one of these codes, naming nothing of the server's disk."""
        client = self.tftp()
        client.request(name, mode, options)
        packet = client.expect_error(*codes)
        check.lacks(packet.text, self.root.path, "error text")
        check.lacks(packet.text, "/tmp", "error text")
        check.lacks(packet.raw, b"SECRET", "error packet")
        client.close()
        return packet

    def agreed(self, wanted, name="hello.txt", **asked):
        """The OACK to these options is exactly that; {}: no OACK, DATA 1 of 512 at most."""
        client = self.tftp()
        client.request(name, options=asked)
        if wanted:
            client.expect_oack(wanted)
        else:
            client.expect_data(1, self.files[name][:512])
        client.send(tftp.error(0, "closed"))
        client.close()


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def two_bytes(number):
    return struct.pack("!H", number)


# -- A: parsing the request -------------------------------------------------------------

def test_a01_padded_request(site):
    """PA-RISC firmware sends a fixed 512 bytes whose tail is what was in memory."""
    for seed in range(5):
        tail = random.Random(seed).randbytes(489) + b"\xe8"
        request = tftp.rrq("hello.txt")
        site.raw_serves(request + tail)
        site.raw_serves((request + tail)[:514])


def test_a02_plain_request_of_exact_length(site):
    site.raw_serves(b"\0\1hello.txt\0octet\0")


def test_a03_last_nul_missing(site):
    """SGI PROMs leave it out: the end of the datagram ends the mode."""
    site.raw_serves(b"\0\1hello.txt\0octet")
    client = site.tftp()
    client.send(b"\0\1hello.txt\0octet\0blksize\0001024")
    client.expect_data(1, HELLO)


def test_a04_junk_behind_a_good_request(site):
    client = site.tftp()
    client.send(tftp.rrq("hello.txt", options={"blksize": 1024}) + b"\x00\x17\x99")
    client.expect_oack({"blksize": 1024})


def test_a05_name_with_trailing_ff(site):
    """B37: old ROMs run on past DHCP option 67."""
    for tail in (b"\xff", b"\xff\xff", b"\n;o\x1e", b"\x80abc", b"\xff\x2b\x04"):
        site.raw_serves(b"\0\1hello.txt" + tail + b"\0octet\0")
    check.that("\\xff" in site.pxed.log(), "the repair is not in the log")


def test_a05_exact_name_wins_over_the_repair(site):
    name = b"hello.txt\xff"
    with open(os.path.join(os.fsencode(site.root.path), name), "wb") as file:
        file.write(b"exact")
    site.raw_serves(b"\0\1" + name + b"\0octet\0", b"exact")
    os.remove(os.path.join(os.fsencode(site.root.path), name))


def test_a07_option_without_a_value(site):
    site.raw_serves(b"\0\1hello.txt\0octet\0blksize\0")
    client = site.tftp()
    client.send(b"\0\1hello.txt\0octet\0tsize\0000\0blksize\0")
    client.expect_oack({"tsize": len(HELLO)})


def test_a08_short_datagrams_are_ignored(site):
    client = site.tftp()
    for data in (b"", b"\0", b"\1", b"\0\1", b"\0\4", b"\0\1\0"):
        client.send(data)
    client.silence(0.3)
    site.fetch("hello.txt")


def test_a09_empty_datagram_behind_a_good_one(site):
    """The buffer still holds the request before; it must not be read again."""
    client = site.tftp()
    client.request("hello.txt")
    client.expect_data(1, HELLO)
    client.send(tftp.ack(1))
    other = site.tftp()
    for data in (b"", b"\0", b"\0\1"):
        other.send(data)
    other.silence(0.3)
    client.silence(0.05)


def test_a10_short_error_in_a_transfer(site):
    """An ERROR of three bytes is no packet; an ERROR without its text is one."""
    client = site.tftp()
    client.request("big.bin")
    client.expect_data(1)
    client.send(b"\0\5\0")
    client.send(tftp.ack(1))
    client.expect_data(2)
    client.send(b"\0\5\0\0")
    client.drain(0.1)
    client.send(tftp.ack(2))
    for packet in client.drain(0.2):
        check.that(packet.op == tftp.ERROR and packet.code == tftp.UNKNOWN_TID,
                   "got %s although the transfer was ended" % packet)
    site.fetch("hello.txt")


def test_a12_noise_does_not_stop_the_service(site):
    """Seeded random datagrams to the listening port, half of them nearly a request."""
    source = random.Random(12)
    client = site.tftp()
    for _ in range(500):
        data = source.randbytes(source.randrange(64))
        if source.random() < 0.5:
            data = b"\0\1" + data
        client.send(data)
        client.peer = None
    client.drain(0.2)
    site.fetch("hello.txt")
    check.that(site.pxed.alive(), "pxed is gone")


def test_a13_long_names(site):
    """Refused as not found, never cut to a name that exists, never silent."""
    for length in (255, 256, 505, 1023, 1024, 1400, 60000):
        site.refused("x" * length, tftp.NOT_FOUND)
    site.refused("dir/" * 200 + "inner.txt", tftp.NOT_FOUND)


def test_a14_modes(site):
    for mode in ("mail", "binary", "", "octet8"):
        site.refused("hello.txt", tftp.ILLEGAL, mode=mode)
    for mode in ("OcTeT", "OCTET"):
        site.fetch("hello.txt", mode=mode)


def test_a15_option_names_in_any_case(site):
    """Matched without case, answered in the client's spelling."""
    site.agreed({"BlkSize": 1024}, BlkSize=1024)
    site.agreed({"BLKSIZE": 1024, "tSize": len(HELLO)}, BLKSIZE=1024, tSize=0)


def test_a16_unknown_options_only(site):
    site.agreed({}, foo="bar")
    site.agreed({}, multicast="")
    site.agreed({"blksize": 1024}, foo="bar", blksize=1024, bar="foo")


# -- B: option values -------------------------------------------------------------------

def test_b01_blksize_too_small(site):
    for value in (0, 1, 7):
        site.agreed({}, blksize=value)
    site.agreed({"blksize": 8}, blksize=8)
    site.agreed({"tsize": len(HELLO)}, blksize=7, tsize=0)


def test_b01_blksize_8_is_served(site):
    site.fetch("b512.bin", options={"blksize": 8})


def test_b02_blksize_too_large_is_cut(site):
    for value in (1469, 8192, 65464, 65465, 65535, 65536, 2 ** 32, 2 ** 64 + 512):
        client = site.tftp()
        client.request("big.bin", options={"blksize": value})
        packet = client.expect("an answer")
        if value <= 65464:
            check.equal(packet.options, [("blksize", "1468")], "OACK to blksize %d" % value)
        else:
            check.inside(packet.options, ([("blksize", "1468")], None), "answer to %d" % value)
        client.send(tftp.error(0))


def test_b03_numbers_are_digits_only(site):
    values = ("-1", "+1428", " 1428", "1428 ", "1428abc", "0x594", "1468.0", "", "1e3", "\t9",
              b"14\xb2")
    for value in values:
        site.agreed({}, blksize=value)
        site.agreed({}, tsize=value)
        site.agreed({}, windowsize=value)
        site.agreed({}, timeout=value)


def test_b05_a_bad_value_never_means_silence(site):
    site.agreed({}, blksize="abc")
    site.agreed({"tsize": len(HELLO)}, blksize="abc", tsize=0)


def test_b07_tsize_that_is_not_zero(site):
    site.agreed({"tsize": len(HELLO)}, tsize=123)


def test_b08_tsize_above_4_gib(site):
    client = site.tftp()
    client.request("huge.img", options={"tsize": 0, "blksize": 1468})
    client.expect_oack({"tsize": HUGE, "blksize": 1468})
    client.send(tftp.ack(0))
    client.expect_data(1, bytes(1468))
    client.send(tftp.error(0, "enough"))


def test_b10_tsize_of_an_empty_file(site):
    client = site.tftp()
    client.request("zero.bin", options={"tsize": 0})
    client.expect_oack({"tsize": 0})
    client.send(tftp.ack(0))
    client.expect_data(1, b"")
    client.send(tftp.ack(1))
    client.silence(0.2)


def test_b11_timeout_equal_or_left_out(site):
    for value in (0, 256, -1, "abc", 65536):
        site.agreed({}, timeout=value)
    for value in (1, 5, 255):
        site.agreed({"timeout": value}, timeout=value)


def test_b13_only_what_was_asked(site):
    """B55 as well: exactly one pair for one option, whichever it is."""
    site.agreed({"blksize": 1468}, blksize=1468)
    site.agreed({"tsize": len(HELLO)}, tsize=0)
    site.agreed({"timeout": 5}, timeout=5)
    site.agreed({"windowsize": 4}, windowsize=4)
    site.agreed({"tsize": len(HELLO), "blksize": 1408}, tsize=0, blksize=1408)


def test_b13_repeated_option_is_answered_once(site):
    client = site.tftp()
    client.request("hello.txt", options=[("blksize", 1024), ("blksize", 512)])
    client.expect_oack({"blksize": 1024})


def test_b14_oack_length_is_exact(site):
    client = site.tftp()
    client.request("hello.txt", options={"blksize": 1432, "tsize": 0})
    packet = client.expect("an OACK")
    wanted = b"\0\6blksize\x001432\0tsize\0%d\0" % len(HELLO)
    check.equal(packet.raw, wanted, "bytes of the OACK")


def test_b15_the_agreed_size_is_used(site):
    for asked in (512, 1000, 1468, 8192):
        transfer = site.fetch("big.bin", options={"blksize": asked})
        size = min(asked, 1468)
        check.equal(transfer.oack, {"blksize": str(size)}, "OACK")
        check.equal(len(transfer.parts[0]), size, "size of block 1")


def test_b78_windowsize(site):
    """Zero and nonsense are left out, more than the limit is cut, less is kept."""
    site.agreed({}, windowsize=0)
    site.agreed({"windowsize": 1}, windowsize=1)
    for asked in (64, 65, 65535):
        client = site.tftp()
        client.request("big.bin", options={"windowsize": asked})
        packet = client.expect("an OACK")
        check.equal(packet.op, tftp.OACK, "opcode")
        check.equal([name for name, _ in packet.options], ["windowsize"], "options")
        check.inside(int(packet.options[0][1]), range(1, 65), "window for %d" % asked)
        client.send(tftp.error(0))


# -- C: files and names -----------------------------------------------------------------

def test_c01_transfers_share_nothing(site):
    """A read-ahead block of the file before must not come out of the next one."""
    for _ in range(10):
        for name in ("zero.bin", "b512.bin", "hello.txt", "big.bin", "dir/inner.txt"):
            site.fetch(name)


def test_c02_dot_dot(site):
    for name in ("../secret.txt", "dir/../../secret.txt", "/../secret.txt", "dir/../../../etc/passwd",
                 "uplink/secret.txt", "..", "../", "dir/../../" + os.path.basename(site.root.path)):
        site.refused(name, tftp.NOT_FOUND, tftp.ACCESS)


def test_c03_sibling_with_the_same_prefix(site):
    site.refused(site.root.path + "-secret/x", tftp.NOT_FOUND, tftp.ACCESS)
    site.refused("../%s-secret/x" % os.path.basename(site.root.path), tftp.NOT_FOUND, tftp.ACCESS)


def test_c04_a_leading_slash_means_the_root(site):
    site.refused("/etc/hostname", tftp.NOT_FOUND)
    site.refused("/etc/passwd", tftp.NOT_FOUND)
    for name in ("/hello.txt", "//hello.txt", "///hello.txt", "./hello.txt", "/./hello.txt"):
        site.fetch(name, HELLO)


def test_c04_doubled_slashes(site):
    for name in ("dir//inner.txt", "/dir///inner.txt", "dir/./inner.txt"):
        site.fetch(name, site.files["dir/inner.txt"])


def test_c06_backslashes(site):
    for name in ("dir\\inner.txt", "\\dir\\inner.txt", "/dir\\inner.txt", "\\\\dir\\\\inner.txt"):
        site.fetch(name, site.files["dir/inner.txt"])
    site.fetch("\\hello.txt", HELLO)
    for name in ("..\\secret.txt", "dir\\..\\..\\secret.txt", "\\..\\secret.txt"):
        site.refused(name, tftp.NOT_FOUND, tftp.ACCESS)


def test_c07_other_case(site):
    site.fetch("HELLO.TXT", HELLO)
    site.fetch("UPPER/mixedcase.efi", site.files["upper/MixedCase.EFI"])
    site.fetch("\\Upper\\MIXEDCASE.EFI", site.files["upper/MixedCase.EFI"])


def test_c07_exact_name_first_and_no_guessing(site):
    """Two files differ by case only: each by its exact name, neither by a third spelling."""
    site.fetch("twin/a.txt")
    site.fetch("twin/A.TXT")
    site.refused("twin/A.txt", tftp.NOT_FOUND)


def test_c07_an_exact_component_is_no_guess(site):
    """Two folders differ by case; the one that was named is meant, its file repaired."""
    site.fetch("both/ONE.TXT", b"one")
    site.fetch("BOTH/TWO.TXT", b"two")
    site.refused("both/two.txt", tftp.NOT_FOUND)


def test_c09_symlinks(site):
    """Followed inside the root, never out of it."""
    site.fetch("link_in", HELLO)
    site.fetch("dirlink/inner.txt", site.files["dir/inner.txt"])
    for name in ("link_out", "link_rel_out", "LINK_OUT"):
        site.refused(name, tftp.NOT_FOUND, tftp.ACCESS)


def test_c10_directories(site):
    for name in ("dir", "dir/", ".", "/", "dirlink"):
        site.refused(name, tftp.NOT_FOUND, tftp.ACCESS)
    site.refused("dir", tftp.NOT_FOUND, tftp.ACCESS, options={"tsize": 0, "blksize": 1468})


def test_c10_empty_name(site):
    client = site.tftp()
    client.request("")
    client.expect_error(tftp.NOT_FOUND, tftp.ACCESS, tftp.ILLEGAL)
    site.fetch("hello.txt")


def test_c11_fifo_does_not_hang_the_service(site):
    site.refused("fifo", tftp.NOT_FOUND, tftp.ACCESS)
    site.fetch("hello.txt")


def test_c12_unreadable_file(site):
    """Access violation and nothing else: U-Boot starts over on other codes."""
    site.refused("private.bin", tftp.ACCESS)


def test_c13_error_text_names_no_server_path(site):
    for name in ("missing.efi", "dir/missing.efi", "private.bin", "fifo", "dir", "../secret.txt"):
        site.refused(name, tftp.NOT_FOUND, tftp.ACCESS)


@timed
def test_c14_missing_is_not_found_at_once(site):
    start = time.monotonic()
    for number in range(20):
        site.refused("pxelinux.cfg/01-aa-bb-cc-dd-ee-%02x" % number, tftp.NOT_FOUND)
    site.refused("missing.cfg", tftp.NOT_FOUND, options={"blksize": 1024, "tsize": 0})
    check.at_most(time.monotonic() - start, 1.0, "seconds for 21 answers")


def test_c15_name_is_no_format(site):
    site.fetch("%s%n%n%n")
    site.refused("%n%s%x%p%n", tftp.NOT_FOUND)


def test_c16_control_characters_in_the_log(site):
    start = len(site.pxed.log())
    site.refused(b"he\x01\x1b[31mllo\n\x07", tftp.NOT_FOUND)
    site.fetch("hello.txt")
    log = site.pxed.log()[start:]
    for character in ("\x1b", "\x01", "\x07"):
        check.lacks(log, character, "log")


def changed_in_mid_transfer(site, name, change):
    """Take five blocks, change the file, go on: the transfer must end with ERROR 0."""
    site.root.write(name, b"a" * 20 * 512)
    client = site.tftp()
    client.request(name)
    for block in range(1, 6):
        client.expect_data(block, b"a" * 512)
        client.send(tftp.ack(block))
    client.expect_data(6)
    change()
    client.send(tftp.ack(6))
    for _ in range(40):
        packet = client.expect("an ERROR")
        if packet.op == tftp.ERROR:
            check.equal(packet.code, 0, "code of %s" % packet)
            return
        client.send(tftp.ack(packet.block))
    check.fail("no ERROR although the file has changed")


def test_c18_file_rewritten_in_place(site):
    """Mixed content must not pass for a file."""
    def rewrite():
        time.sleep(0.01)
        with open(site.root.at("change.bin"), "r+b") as file:
            file.write(b"b" * 20 * 512)
    changed_in_mid_transfer(site, "change.bin", rewrite)
    site.fetch("change.bin", b"b" * 20 * 512)


def test_c18_file_truncated_in_mid_transfer(site):
    changed_in_mid_transfer(site, "shrink.bin",
                            lambda: os.truncate(site.root.at("shrink.bin"), 600))
    site.fetch("shrink.bin", b"a" * 600)


def test_c18_file_replaced_by_rename_is_no_change(site):
    content = site.root.write("renamed.bin", b"a" * 20 * 512)
    site.root.write("renamed.new", b"b" * 20 * 512)
    client = site.tftp()
    client.request("renamed.bin")
    client.expect_data(1, content[:512])
    os.rename(site.root.at("renamed.new"), site.root.at("renamed.bin"))
    for block in range(2, 21):
        client.send(tftp.ack(block - 1))
        client.expect_data(block, b"a" * 512)
    client.send(tftp.ack(20))
    client.expect_data(21, b"")
    client.send(tftp.ack(21))
    site.fetch("renamed.bin", b"b" * 20 * 512)


def test_c19_no_descriptors_left_is_not_not_found():
    """The client would give the file up for missing; ERROR 0 says what it is."""
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        names = ["%d.bin" % number for number in range(120)]
        for name in names:
            root.write(name, b"x" * 1000)
        network.pxed(server, net.config(root), descriptors=80)
        codes, clients = [], [tftp.Client(client, net.SERVER) for _ in names]
        for one, name in zip(clients, names):
            one.request(name)
            packet = one.expect("an answer")
            codes.append(packet.code if packet.op == tftp.ERROR else None)
        check.inside(0, codes, "codes with 120 files and 80 descriptors")
        check.equal(set(codes) - {0, None}, set(), "other codes")
        for one in clients:
            if one.peer:
                one.send(tftp.error(0))
        time.sleep(0.05)
        tftp.fetch(client, net.SERVER, names[-1], b"x" * 1000)


# -- netascii ---------------------------------------------------------------------------

def netascii(content):
    """LF becomes CR LF, CR becomes CR NUL (RFC 764)."""
    return content.replace(b"\r", b"\r\0").replace(b"\n", b"\r\n")


def test_netascii_is_translated(site):
    content = site.files["lines.txt"]
    site.fetch("lines.txt", netascii(content), mode="netascii")
    site.fetch("lines.txt", netascii(content), mode="NetASCII")


def test_netascii_pairs_split_between_blocks(site):
    """A CR at the end of a block has its second half at the start of the next."""
    content = site.root.write("split.txt", b"x" * 511 + b"\n" * 600 + b"\r" * 513 + b"y")
    site.fetch("split.txt", netascii(content), mode="netascii")
    site.fetch("split.txt", netascii(content), mode="netascii",
               options={"blksize": 1001, "windowsize": 4})


def test_netascii_tsize_is_not_the_size_on_disk(site):
    """What is announced must be what comes, or nothing may be announced."""
    client = site.tftp()
    client.request("lines.txt", "netascii", {"tsize": 0})
    packet = client.expect("an answer")
    size = str(len(netascii(site.files["lines.txt"])))
    check.inside(packet.options, ([("tsize", size)], None), "OACK for netascii")
    client.send(tftp.error(0))
