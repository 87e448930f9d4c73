"""Answers of the proxy on one link: what an offer holds, what 4011 says, what gets silence."""
import random
import struct

import check
import dhcp
import net
import wire
from harness import fixture

HOST_RESCUE = "52:54:00:00:00:01"
HOST_IGNORED = "52:54:00:00:00:02"
HOST_MISSING = "52:54:00:00:00:03"
UUID_IGNORED = "00112233-4455-6677-8899-aabbccddee01"


class Site:
    """One pxed, one client on a veth."""

    def __init__(self, network):
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.root.write("rescue.efi", b"r" * 1000)
        profiles = {
            "default": net.BOOT_FILES,
            "rescue": {"x64-uefi": "rescue.efi"},
            "missing": {"x64-uefi": "not-there.efi"},
        }
        hosts = [
            {"name": "rescue", "mac": HOST_RESCUE, "profile": "rescue"},
            {"name": "ignored", "mac": HOST_IGNORED, "action": "ignore"},
            {"name": "missing", "mac": HOST_MISSING, "profile": "missing"},
            {"name": "kiosk", "uuid": UUID_IGNORED, "action": "ignore"},
        ]
        self.pxed = network.pxed(self.server, net.config(self.root, profiles=profiles, hosts=hosts))
        self.mac = self.server.mac("eth0")
        self.pxe = dhcp.Client(self.client)

    def good_offer(self, message, boot_file):
        """Send a DISCOVER, check all of its offer, return it.

        Each comes from a machine of its own: one that asks again and again gets other forms.
        """
        if message.chaddr == bytes(16):
            message.chaddr = (b"\x02" + random.randbytes(5)).ljust(16, b"\0")
        reply = self.pxe.ask(message)
        dhcp.check_offer(reply, message, net.SERVER, boot_file, self.mac)
        return reply

    def ask_4011(self, message, sport, boot_file):
        """A request to port 4011 by an ordinary socket; checks all of the answer."""
        self.pxe.prepare(message)
        with self.client.udp(net.CLIENT, sport) as sock:
            sock.settimeout(2.0)
            sock.sendto(message.pack(), (net.SERVER, 4011))
            data, source = sock.recvfrom(2048)
            check.equal(source, (net.SERVER, 4011), "source of the 4011 answer")
            sock.settimeout(0.1)
            check.that(nothing_more(sock), "two answers to one 4011 request")
        answer = dhcp.parse(data)
        dhcp.check_fields(answer, message, net.SERVER, boot_file, dhcp.ACK)
        return answer

    def silent_4011(self, message):
        self.pxe.prepare(message)
        with self.client.udp(net.CLIENT, 4011) as sock:
            sock.sendto(message.pack(), (net.SERVER, 4011))
            sock.settimeout(0.3)
            check.that(nothing_more(sock), "the 4011 request was answered")
        self.ask_4011(dhcp.request4011(7), 4011, "x64.efi")


def nothing_more(sock):
    try:
        sock.recvfrom(2048)
        return False
    except TimeoutError:
        return True


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def from_mac(message, mac):
    return message.change(chaddr=wire.mac_bytes(mac).ljust(16, b"\0"))


def mac_of(last):
    return "52:54:00:aa:00:%02x" % last


# -- offers to the requests of real firmware --------------------------------------------

def test_v01_ovmf_x64_discover(site):
    site.good_offer(dhcp.captured("ovmf-x64-discover"), "x64.efi")


def test_v05_ovmf_ia32_discover(site):
    site.good_offer(dhcp.captured("ovmf-ia32-discover"), "ia32.efi")


def test_v06_aavmf_arm64_discover(site):
    site.good_offer(dhcp.captured("aavmf-arm64-discover"), "aa64.efi")


def test_v07_arch_9_gets_the_x64_file(site):
    site.good_offer(dhcp.discover(9), "x64.efi")


def test_v08_arch_from_the_class_when_93_is_missing(site):
    message = dhcp.discover(11).drop(93).set(60, b"PXEClient:Arch:00011:UNDI:003000")
    site.good_offer(message, "aa64.efi")


def test_v09_ipxe_bios_gets_the_script(site):
    site.good_offer(dhcp.captured("ipxe-bios-discover"), "boot.ipxe")


def test_v10_ipxe_efi_gets_the_script(site):
    site.good_offer(dhcp.captured("ipxe-efi-x64-discover"), "boot.ipxe")


def test_v17_uboot_efi_step_within_576(site):
    message = dhcp.captured("uboot-arm64-discover-2")
    check.equal(dhcp.file_name(message), "boot.scr.uimg", "file of the request")
    reply = site.good_offer(message, "aa64.efi")
    check.at_most(reply.message.size, 548, "length for a client that takes 576")


def test_bios_discover_without_flags_is_broadcast(site):
    """B31: a client without an address is answered by broadcast whatever its flag says."""
    site.good_offer(dhcp.discover(0, flags=0), "bios.0")


def test_b06_first_sub_option_of_43_is_the_control(site):
    reply = site.pxe.ask(dhcp.discover(7))
    check.equal(reply.message.option(43)[:3], b"\x06\x01\x08", "start of option 43")


def test_b08_source_port_67(site):
    check.equal(site.pxe.ask(dhcp.discover(0)).datagram.sport, 67, "source port")


def test_b20_no_option_97(site):
    reply = site.good_offer(dhcp.discover(0).drop(97), "bios.0")
    check.equal(reply.message.option(97), None, "option 97, which was not sent")
    site.ask_4011(dhcp.request4011(0).drop(97), 68, "bios.0")


def test_b37_option_67_is_followed_by_a_zero(site):
    reply = site.pxe.ask(dhcp.discover(0))
    raw = reply.datagram.payload
    if 67 in reply.message.codes():
        value = reply.message.option(67)
        at = raw.index(bytes([67, len(value)]) + value, 240) + 2 + len(value)
        check.equal(raw[at], 0, "byte behind option 67")
    check.that(dhcp.file_name(reply.message), "the header's file is empty")
    check.equal(reply.message.file[-1], 0, "last byte of the header's file")


def test_b59_no_menu_for_ipxe(site):
    reply = site.pxe.ask(dhcp.discover(0).set(77, b"iPXE"))
    check.equal(reply.message.option(43), dhcp.PXE_MODE, "option 43")
    check.inside(dhcp.file_name(reply.message),
                 ("boot.ipxe", "tftp://%s/boot.ipxe" % net.SERVER), "file")


def test_r03_ipxe_by_user_class_in_rfc3004_form(site):
    site.good_offer(dhcp.discover(7).set(77, b"\x04iPXE"), "boot.ipxe")


def test_r03_ipxe_by_option_175_alone(site):
    features = bytes.fromhex("130101150101180101")  # HTTP, TFTP, EFI image
    site.good_offer(dhcp.discover(7).set(175, features), "boot.ipxe")


def test_b61_same_request_same_answer(site):
    """A repeated DISCOVER, and one with another xid, get the same bytes."""
    message = dhcp.discover(7, chaddr=(b"\x02" + random.randbytes(5)).ljust(16, b"\0"))
    first, second = site.pxe.ask(message), site.pxe.ask(message)
    check.equal(second.datagram.payload, first.datagram.payload, "answer to the repeated request")
    other = site.pxe.ask(message.copy().change(xid=b"\1\2\3\4")).datagram.payload
    check.equal(other[:4] + other[8:], first.datagram.payload[:4] + first.datagram.payload[8:],
                "answer to the next request but for the xid")


def test_secs_changes_nothing(site):
    """T12: iPXE and GRUB write other things there."""
    for secs in (0, 1, 0xffff):
        site.good_offer(dhcp.discover(7, secs=secs), "x64.efi")


def test_r02_option_order_and_padding_do_not_matter(site):
    message = dhcp.discover(7)
    message.options.reverse()
    site.good_offer(message, "x64.efi")
    data = message.pack()
    padded = data[:240] + b"\0" * 7 + data[240:]
    site.pxe.wire.send(wire.udp_frame(site.pxe.mac, wire.BROADCAST_MAC, "0.0.0.0",
                                      "255.255.255.255", 68, 67, padded))
    check.equal(len(site.pxe.replies(check.PATIENCE, {message.xid}, stop=lambda reply: True)), 1, "answers")


def test_wrong_udp_checksum_is_answered(site):
    """Senders on this machine leave the checksum to hardware that is not there."""
    message = site.pxe.prepare(dhcp.discover(7))
    data = bytearray(wire.udp_frame(site.pxe.mac, wire.BROADCAST_MAC, "0.0.0.0",
                                    "255.255.255.255", 68, 67, message.pack()))
    data[40] ^= 0x55
    site.pxe.wire.send(bytes(data))
    check.equal(len(site.pxe.replies(check.PATIENCE, {message.xid}, stop=lambda reply: True)), 1, "answers")


def test_host_by_mac(site):
    site.good_offer(from_mac(dhcp.discover(7), HOST_RESCUE), "rescue.efi")


def test_b84_every_architecture(site):
    """All assigned codes: the right file or silence, never another one's file."""
    wanted = {0: "bios.0", 6: "ia32.efi", 7: "x64.efi", 9: "x64.efi", 11: "aa64.efi"}
    messages = {}
    for arch in list(range(0x2a)) + [0x100, 0xffff]:
        word = "HTTPClient" if arch in HTTP_ARCHITECTURES else "PXEClient"
        message = dhcp.discover(arch).set(60, dhcp.class_text(arch, word))
        messages[message.xid] = arch
        site.pxe.send(from_mac(message, mac_of(arch & 0xff)))
    replies = site.pxe.replies(0.6, set(messages))
    found = sorted((messages[reply.message.xid], dhcp.file_name(reply.message))
                   for reply in replies)
    check.equal(found, sorted(wanted.items()), "architectures answered")


HTTP_ARCHITECTURES = (0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x17, 0x18, 0x1a, 0x1c, 0x1e, 0x20,
                      0x26, 0x28)


# -- port 4011 --------------------------------------------------------------------------

def test_v03_ovmf_request_4011_from_4011(site):
    """B02, B03: back to the port it came from, xid and ciaddr kept."""
    answer = site.ask_4011(dhcp.captured("ovmf-x64-request4011"), 4011, "x64.efi")
    check.equal(answer.ciaddr, net.CLIENT, "ciaddr")


def test_v04_menu_request_4011_keeps_the_boot_item(site):
    answer = site.ask_4011(dhcp.captured("ovmf-x64-menu-request4011"), 4011, "x64.efi")
    check.equal(answer.option(43), bytes.fromhex("470480010000ff"), "option 43")


def test_v11_ipxe_request_4011_from_68(site):
    message = ipxe_4011(net.SERVER)
    answer = site.ask_4011(message, 68, "boot.ipxe")
    check.equal(answer.flags, 0x8000, "flags")


def test_v12_4011_for_another_server(site):
    site.silent_4011(ipxe_4011("10.77.0.9"))


def ipxe_4011(server):
    """The captured request, naming this server."""
    return dhcp.captured("ipxe-bios-request4011").set(54, wire.ip_bytes(server))


def test_b01_4011_answers_go_to_the_source_port(site):
    for sport in (68, 4011, 50123):
        for flags in (0, 0x8000):
            message = dhcp.request4011(0, flags=flags)
            message.set(43, bytes.fromhex("470480000000ff"))
            site.ask_4011(message, sport, "bios.0")


def test_b04_4011_from_68(site):
    site.ask_4011(dhcp.request4011(7), 68, "x64.efi")


def test_b07_ipxe_4011_names_the_same_server_as_the_offer(site):
    offer = site.pxe.ask(dhcp.discover(0).set(77, b"iPXE")).message
    answer = site.ask_4011(dhcp.request4011(0).set(77, b"iPXE"), 68, "boot.ipxe")
    check.equal(answer.option(54), offer.option(54), "option 54")


def test_4011_frames_have_valid_checksums(site):
    with site.client.udp(net.CLIENT, 4011) as sock:
        message = site.pxe.prepare(dhcp.request4011(7))
        sock.sendto(message.pack(), (net.SERVER, 4011))
        reply = site.pxe.replies(check.PATIENCE, {message.xid}, stop=lambda reply: True)[0].datagram
    check.that(reply.ip_ok and reply.udp_ok, "checksums of the 4011 answer")
    check.equal((reply.src_mac, reply.dst_mac), (site.mac, site.pxe.mac), "MAC addresses")


def test_4011_knows_the_same_hosts(site):
    site.ask_4011(from_mac(dhcp.request4011(7), HOST_RESCUE), 4011, "rescue.efi")
    site.silent_4011(from_mac(dhcp.request4011(7), HOST_IGNORED))


def test_b87_4011_without_a_file(site):
    site.silent_4011(dhcp.request4011(27))


def test_4011_without_the_class(site):
    site.silent_4011(dhcp.request4011(7).drop(60))


def test_4011_a_discover_is_not_answered(site):
    """R1: a request there is option 53=3; a stray reply must not be mirrored either."""
    site.silent_4011(dhcp.request4011(7).set(53, bytes([dhcp.OFFER])).change(op=2))


# -- silence ----------------------------------------------------------------------------

def test_v14_http_client_without_a_url(site):
    """B47: an HTTP client never gets a TFTP name."""
    site.pxe.silent(dhcp.captured("ovmf-x64-http-discover"))


def test_v15_plain_dhcp_of_the_firmware(site):
    site.pxe.silent(dhcp.captured("ovmf-x64-syslinux-discover-2"))


def test_v16_requests_on_67_are_for_another_server(site):
    """B10: every captured broadcast REQUEST names a lease server."""
    index = dhcp.captured_index()
    names = [name for name in index if "-request" in name and index[name]["dst"].endswith(":67")]
    check.at_least(len(names), 8, "captured requests")
    for name in names:
        site.pxe.silent(dhcp.captured(name), grace=0.03)


def test_v17_uboot_own_class(site):
    site.pxe.silent(dhcp.captured("uboot-arm64-discover"))


def test_b10_request_on_67_without_a_server(site):
    site.pxe.silent(dhcp.discover(7).set(53, bytes([dhcp.REQUEST])))


def test_b10_request_on_67_naming_us(site):
    """One generation of iPXE asks there; the answer is a PXE ACK without an address."""
    message = dhcp.discover(0).set(53, bytes([dhcp.REQUEST])).set(54, wire.ip_bytes(net.SERVER))
    reply = site.pxe.ask(message)
    dhcp.check_offer(reply, message, net.SERVER, "bios.0", site.mac, dhcp.ACK)


def test_request_for_a_lease_of_a_neighbour_with_our_address(site):
    """A DHCP server on this machine has the same option 54; option 50 tells it is its lease."""
    message = dhcp.captured("ovmf-x64-request").set(54, wire.ip_bytes(net.SERVER))
    check.that(message.option(50), "the capture has no option 50")
    site.pxe.silent(message)


def test_b16_unknown_architecture(site):
    site.pxe.silent(dhcp.discover(27))
    site.pxe.silent(dhcp.discover(0x1234))


def test_no_class_at_all(site):
    site.pxe.silent(dhcp.discover(7).drop(60))


def test_class_that_only_begins_alike(site):
    site.pxe.silent(dhcp.discover(7).set(60, b"PXEClien"))
    site.pxe.silent(dhcp.discover(7).set(60, b"pxeclient:Arch:00007:UNDI:003016"))


def test_b81_ignored_host(site):
    site.pxe.silent(from_mac(dhcp.discover(7), HOST_IGNORED))


def test_ignored_uuid_in_either_byte_order(site):
    for text in ("00" + UUID_IGNORED.replace("-", ""), "0033221100554477668899aabbccddee01"):
        site.pxe.silent(dhcp.discover(7).set(97, bytes.fromhex(text)))


def test_boot_file_missing_on_disk(site):
    site.pxe.silent(from_mac(dhcp.discover(7), HOST_MISSING))


def test_other_message_types(site):
    for kind in (dhcp.OFFER, dhcp.DECLINE, dhcp.ACK, dhcp.NAK, dhcp.RELEASE, 0, 200):
        site.pxe.silent(dhcp.discover(7).set(53, bytes([kind])), grace=0.03)
    site.pxe.silent(dhcp.discover(7).drop(53))


def test_replies_of_others(site):
    site.pxe.silent(dhcp.discover(7, op=2))


def test_frames_for_another_machine(site):
    """A DISCOVER relayed to somebody else's address is none of ours, though we see it."""
    where = {"dst": "10.77.0.254", "dst_mac": wire.mac_bytes("02:00:00:00:00:99"),
             "src": net.CLIENT, "sport": 67}
    site.pxe.silent(dhcp.discover(7, giaddr=net.CLIENT, hops=1), where)


def test_tagged_frames(site):
    """Never answered: the answer would leave untagged, on the wrong network."""
    for vlan in (5, 4094):
        site.pxe.silent(dhcp.discover(7), {"vlan": vlan})


def test_frames_with_a_priority(site):
    """Converged adapters send a tag of VLAN 0, which is no network."""
    for tag in (0, 7 << 13):
        check.that(site.pxe.ask(dhcp.discover(7), {"vlan": tag}), "an offer")


def test_wrong_port(site):
    site.pxe.silent(dhcp.discover(7), {"dport": 4012})
    site.pxe.silent(dhcp.discover(7), {"dport": 68})


def test_malformed_messages(site):
    """Whatever is broken is ignored, and the next good request is answered."""
    good = site.pxe.prepare(dhcp.discover(7))
    data = good.pack()
    broken = [b"", b"\0", data[:100], data[:239], data[:240], data[:241], data[:245],
              data[:236] + b"\x63\x82\x53\x64" + data[240:],
              data[:2] + b"\xff" + data[3:],
              data[:240] + b"\x35\xff\x01", data[:240] + b"\x35",
              data[:240] + b"\x35\x00" + data[243:],
              data[:240] + b"\x34\x01\x07" + data[240:],
              data[:240] + b"\x3c\xff" * 300, b"\xff" * 1400]
    for payload in broken:
        site.pxe.wire.send(wire.udp_frame(site.pxe.mac, wire.BROADCAST_MAC, "0.0.0.0",
                                          "255.255.255.255", 68, 67, payload))
    site.pxe.wire.drain()
    site.good_offer(dhcp.discover(7), "x64.efi")


def test_malformed_frames(site):
    """Lengths that lie, headers that end early, fragments: nothing is answered."""
    message = site.pxe.prepare(dhcp.discover(7))
    src, dst = wire.ip_bytes("0.0.0.0"), wire.ip_bytes("255.255.255.255")
    body = wire.udp_bytes(src, dst, 68, 67, message.pack())
    lying = body[:4] + struct.pack("!H", 0xffff) + body[6:]
    short = body[:4] + struct.pack("!H", 3) + body[6:]
    packets = [wire.ip_packet(src, dst, lying), wire.ip_packet(src, dst, short),
               wire.ip_packet(src, dst, body, fragment=0x2000),
               wire.ip_packet(src, dst, body, fragment=0x0010),
               b"\x4f" + wire.ip_packet(src, dst, body)[1:40],
               b"\x41" + wire.ip_packet(src, dst, body)[1:],
               wire.ip_packet(src, dst, body)[:24]]
    for packet in packets:
        site.pxe.wire.send(wire.frame(site.pxe.mac, wire.BROADCAST_MAC, packet))
    check.equal(len(site.pxe.replies(0.3, {message.xid})), 0, "answers to malformed frames")
    site.good_offer(dhcp.discover(7), "x64.efi")


def test_ip_options_are_no_obstacle(site):
    message = site.pxe.prepare(dhcp.discover(7))
    src, dst = wire.ip_bytes("0.0.0.0"), wire.ip_bytes("255.255.255.255")
    body = wire.udp_bytes(src, dst, 68, 67, message.pack())
    packet = wire.ip_packet(src, dst, body, options=b"\x94\x04\x00\x00")
    site.pxe.wire.send(wire.frame(site.pxe.mac, wire.BROADCAST_MAC, packet))
    check.equal(len(site.pxe.replies(check.PATIENCE, {message.xid}, stop=lambda reply: True)), 1, "answers")
