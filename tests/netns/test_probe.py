"""`pxed probe`: what a boot client on the wire would do, against real servers."""
import hashlib
import json
import os
import struct
import subprocess

import check
import dhcp
import harness
import net
from harness import timed

MENU = {"prompt": "Press F8", "timeout": 5, "items": [
    {"name": "Install", "file": "x64.efi"}, {"name": "Disk", "action": "local"}]}


def efi(machine=0x8664, size=300000):
    """The smallest thing that passes for an EFI application."""
    head = bytearray(512)
    head[0:2], head[60:64] = b"MZ", struct.pack("<I", 64)
    head[64:70] = b"PE\0\0" + struct.pack("<H", machine)
    head[84:86], head[88:90], head[156:158] = b"\xf0\0", b"\x0b\x02", b"\x0a\0"
    return bytes(head) + os.urandom(size - 512)


class Site:
    """A server with pxed and a DHCP server, and a client to probe from."""

    def __init__(self, network, dhcpd=(), pxed=True, **settings):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.boot_file = self.root.write("x64.efi", efi())
        self.root.write("aa64.efi", efi(0xaa64))
        self.root.write("bios.0", b"\xea\0\0\xc0\x07" + bytes(30000))
        if pxed:
            network.pxed(self.server, dict(net.config(self.root), **settings))
        if dhcpd is not None:
            network.dnsmasq(self.server, *dhcpd)

    def run(self, *words, timeout="1"):
        """Exit code, standard output and standard error."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.client.name, net.binary(), "probe", "-i", "eth0",
             "--timeout", timeout, *words], text=True, capture_output=True, timeout=30)
        return done.returncode, done.stdout, done.stderr

    def probe(self, *words, boots=True, timeout="1"):
        """The JSON it prints."""
        code, out, err = self.run("--json", *words, timeout=timeout)
        check.that(out, "no output, but: %s" % err)
        told = json.loads(out)
        check.equal((told["boots"], code), (boots, 0 if boots else 1), told["sentence"])
        return told


@harness.fixture
def site():
    with net.Net() as network:
        yield Site(network)


@timed
def test_uefi_boots(site):
    told = site.probe()
    kinds = {answer["kind"]: answer for answer in told["answers"]}
    check.equal(set(kinds), {"address", "proxy"}, "kinds of answers")
    check.equal(kinds["proxy"]["file"], "x64.efi", "file of the proxy's offer")
    check.equal(kinds["proxy"]["next_server"], net.SERVER, "its next server")
    check.equal(bytes.fromhex(kinds["proxy"]["mac"].replace(":", "")), site.server.mac("eth0"),
                "MAC of the answer")
    check.at_most(kinds["proxy"]["after"], 0.5, "seconds until the answer")
    check.equal((told["choice"]["step"], told["choice"]["server"], told["choice"]["file"]),
                ("tftp", net.SERVER, "x64.efi"), "choice")
    load = told["download"]
    check.equal((load["whole"], load["size"], load["sha256"]),
                (True, len(site.boot_file), hashlib.sha256(site.boot_file).hexdigest()), "file")
    check.equal((load["block"], load["window"]), (1468, 4), "as EDK2 asks")
    check.equal((load["kind"], load["fits"], load["signed"]),
                ("efi-application", True, False), "what it is")
    check.that(load["rate"] > 0 and 0 < load["first_byte"] < 1 and load["round_trip"] > 0,
               "measured: %s" % load)
    check.equal((load["repeated"], load["early"], load["resent"]), (0, 0, 0), "loss")


def test_text_for_people(site):
    code, out, err = site.run()
    check.equal((code, err), (0, ""), "exit code and complaints")
    for text in ("gives the address 10.77.0.1", 'serves PXE, names "x64.efi" from 10.77.0.1',
                 "it would boot\n", "EFI application for x64", "blocks of 1468 octets, window 4"):
        check.that(text in out, "no %r in\n%s" % (text, out))
    check.that("\x1b" not in out, "colours where no terminal is")


def test_the_mac_is_made_up_and_can_be_told(site):
    first, second = (site.probe("--no-download")["mac"] for _ in range(2))
    check.that(first != second and first.startswith("02:"), "MACs %s and %s" % (first, second))
    check.equal(site.probe("--no-download", "-m", "52:54:00:00:00:09")["mac"],
                "52:54:00:00:00:09", "MAC that was given")


def test_other_clients(site):
    rows = (("ipxe", (), "boot.ipxe", 1432, 1), ("bios", (), "bios.0", 1456, 1),
            ("ipxe", ("-a", "x86-bios"), "boot.ipxe", 1432, 1),
            ("edk2", ("-a", "arm64-uefi"), "aa64.efi", 1468, 4))
    for profile, words, file, block, window in rows:
        told = site.probe("-p", profile, *words)
        check.equal((told["choice"]["file"], told["download"]["block"],
                     told["download"]["window"]), (file, block, window), profile)


def test_block_and_window_can_be_asked_for(site):
    load = site.probe("--block", "1024", "--window", "16")["download"]
    check.equal((load["block"], load["window"]), (1024, 16), "as asked")


def test_the_digest_is_compared(site):
    digest = hashlib.sha256(site.boot_file).hexdigest()
    site.probe("--verify", digest.upper())
    told = site.probe("--verify", "0" * 64, boots=False)
    check.that("not the file that was expected" in told["sentence"], told["sentence"])


def test_u_boot_follows_the_dhcp_server_alone(site):
    told = site.probe("-p", "u-boot", boots=False)
    check.equal(told["choice"]["file"], "boot.scr.uimg", "file")
    check.that("boot.scr.uimg cannot be loaded" in told["sentence"], told["sentence"])
    check.that(any("CONFIG_SERVERIP" in (a["passed_over"] or "") for a in told["answers"]),
               "reason to pass over the proxy")


def test_a_lease_is_taken_only_when_asked_for(site):
    check.equal(site.probe("--no-download")["lease"], None, "lease that was not asked for")
    check.equal(site.probe("--no-download", "--lease")["lease"], "ACK", "lease")


def test_no_file_for_this_architecture(site):
    told = site.probe("-a", "riscv64-uefi", boots=False)
    check.that("nobody names a boot file" in told["sentence"], told["sentence"])
    check.that(told["screen"].startswith("PXE-E16"), told["screen"])


def test_a_file_of_another_kind_of_machine(site):
    site.root.write("aa64.efi", efi(0x8664))
    told = site.probe("-a", "arm64-uefi", boots=False)
    check.that("x64" in told["sentence"], told["sentence"])
    check.equal(told["download"]["fits"], False, "fits")


def test_a_file_that_is_not_there(site):
    os.remove(site.root.at("bios.0"))
    told = site.probe("-p", "bios", boots=False)
    check.that("nobody names a boot file" in told["sentence"], told["sentence"])


def test_only_a_proxy_answers():
    with net.Net() as network:
        told = Site(network, dhcpd=None).probe(boots=False)
        check.that("no DHCP server" in told["sentence"], told["sentence"])
        check.that(told["screen"].startswith("PXE-E16"), told["screen"])


def test_nobody_answers():
    with net.Net() as network:
        site = Site(network, dhcpd=None, pxed=False)
        told = site.probe("-p", "bios", boots=False)
        check.equal(told["answers"], [], "answers")
        check.that(told["screen"].startswith("PXE-E51"), told["screen"])


def test_offers_of_form_binl_are_asked_for_on_4011():
    with net.Net() as network:
        site = Site(network, profiles={"default": dict(net.BOOT_FILES, offer="binl")})
        for profile, steps in (("edk2", "x64.efi"), ("ipxe", "boot.ipxe")):
            told = site.probe("-p", profile)
            check.equal(told["choice"]["file"], steps, profile)
        told = site.probe()
        check.equal([a["port"] for a in told["answers"] if a["at_4011"]], [4011],
                    "answers on port 4011")


def test_a_menus_first_item_is_loaded():
    with net.Net() as network:
        told = Site(network, profiles={"default": dict(net.BOOT_FILES, menu=MENU)}).probe()
        offer = next(a for a in told["answers"] if a["menu"])
        check.equal([item["name"] for item in offer["menu"]], ["Install", "Disk"], "menu")
        check.equal(told["choice"]["file"], "x64.efi", "file")
        check.that('"Install" is taken' in told["sentence"], told["sentence"])


def test_option_60_of_the_dhcp_server_is_a_trap():
    with net.Net() as network:
        told = Site(network, dhcpd=("--dhcp-option-force=60,PXEClient",),
                    pxed=False).probe(boots=False)
        check.that("option 60" in told["sentence"], told["sentence"])
        check.that(told["screen"].startswith("PXE-E16"), told["screen"])


def test_tftp_blocked_by_a_firewall():
    with net.Net() as network:
        site = Site(network)
        site.server.run("nft", "-f", "-", stdin="table ip t { chain c { type filter hook input "
                        "priority 0; udp dport 69 drop; }; }")
        site.probe("--no-download")
        told = site.probe(boots=False)
        check.that("does not answer" in told["sentence"], told["sentence"])
        check.that(told["screen"].startswith("PXE-E18"), told["screen"])


def test_http_boot():
    with net.Net() as network:
        site = Site(network, http={"listen": net.SERVER + ":8069", "boot_files": True},
                    profiles={"default": dict(net.BOOT_FILES, **{"x64-uefi-http": "http://%s:8069/x64.efi" % net.SERVER})})
        told = site.probe("--http")
        check.equal(told["choice"]["step"], "url", "step")
        check.equal(told["download"]["sha256"], hashlib.sha256(site.boot_file).hexdigest(),
                    "file")
        check.that("block" not in told["download"], "blocks of a file by HTTP")


def test_a_client_without_an_address_loads_nothing():
    with net.Net() as network:
        site = Site(network)
        site.client.ip("addr", "flush", "dev", "eth0")
        told = site.probe(boots=False)
        check.that("no IPv4 address here" in told["sentence"], told["sentence"])
        site.probe("--no-download")


def test_beside_pxed_itself(site):
    done = subprocess.run(["ip", "netns", "exec", site.server.name, net.binary(), "probe", "-i",
                           "eth0", "-t", "1"], text=True, capture_output=True, timeout=30)
    check.equal(done.returncode, 1, "exit code")
    check.that("a pxed runs on this very host" in done.stdout, done.stdout)


def test_what_stands_in_the_way_is_said(site):
    nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    for prefix, words, code, text in (
            (nobody, ("-i", "eth0"), 1, "needs CAP_NET_RAW"),
            ([], ("-i", "eth7"), 1, 'no interface "eth7"'),
            ([], (), 2, "on which interface"),
            ([], ("-i", "eth0", "-p", "apple"), 2, '"apple" is not understood'),
            ([], ("-i", "eth0", "--verify", "12"), 2, "not understood"),
            ([], ("-i", "eth0", "--http", "-p", "ipxe"), 2, "HTTP Boot is UEFI's"),
            ([], ("-i", "eth0", "-t", "0"), 2, "not understood")):
        done = subprocess.run(["ip", "netns", "exec", site.client.name, *prefix, net.binary(),
                               "probe", *words], text=True, capture_output=True, timeout=30)
        check.equal(done.returncode, code, " ".join(words) + ": " + done.stderr)
        check.that(text in done.stderr, done.stderr)


def test_a_server_that_says_everything_wrong(site):
    """Hostile answers: cut options, control characters, menus without end."""
    wire = dhcp.Client(site.server)
    probe = subprocess.Popen(
        ["ip", "netns", "exec", site.client.name, net.binary(), "probe", "-i", "eth0", "-t", "2",
         "--json", "--no-download"], stdout=subprocess.PIPE, text=True)
    asked = None
    while asked is None:
        datagram = wire.wire.receive(5)
        check.that(datagram, "the probe asks nothing")
        if datagram.dport == 67:
            asked = dhcp.parse(datagram.payload)
    reply = asked.copy().change(op=2, siaddr="10.77.0.66",
                                file=b"\x1b[2J\xff".ljust(128, b"\0"))
    reply.set(53, b"\2").set(60, b"PXEClient").set(54, b"\x0a\x4d\0\x42")
    for vendor in (b"\x09\xff\0\0\xff", b"\x08\x03\0\0\xff", b"\x06\x01\x08\x09\x06\0\1\3\x1b[m"):
        reply.set(43, vendor)
        wire.send(reply, src="10.77.0.66", sport=67, dport=68)
    raw = reply.pack()[:260] + b"\x0c\xff"
    import wire as frames
    wire.wire.send(frames.udp_frame(wire.wire.mac, frames.BROADCAST_MAC, "10.77.0.66",
                                    "255.255.255.255", 67, 68, raw))
    out = probe.communicate(timeout=20)[0]
    told = json.loads(out)
    hostile = [a for a in told["answers"] if a["server"] == "10.77.0.66"]
    check.equal(len(hostile), 3, "answers of the hostile server")
    check.equal(hostile[0]["file"], "\\x1b[2J\\xff", "its file, escaped")
    check.equal(told["unread"], 1, "answers that are no DHCP messages")
