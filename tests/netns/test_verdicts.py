"""Why machines do not boot: each situation is made, and the sentence of its verdict is read.

All scenes of a stage begin together, so that their silences are waited for once.
"""
import os
import socket
import time

import check
import dhcp
import net
import tftp
from harness import fixture
from crowd import lease_request
from test_boots import of, question
from test_radar import both_seen

TEST_SECONDS = 120
OTHER = "10.77.0.254"


class Scene:
    """A client, pxed and, elsewhere, a DHCP server, on one bridge."""

    def __init__(self, network, *dnsmasq, server=True, **settings):
        self.network = network
        self.switch = network.namespace("sw")
        network.bridge(self.switch)
        for number, tag in enumerate(("client", "server", "other")):
            machine = network.namespace(tag[:3])
            setattr(self, tag, machine)
            network.link(self.switch, "port%d" % number, machine, "eth0")
            self.switch.ip("link", "set", "port%d" % number, "master", "br0")
        self.client.addr("eth0", net.CLIENT_NET)
        self.server.addr("eth0", net.SERVER_NET)
        self.other.addr("eth0", OTHER + "/24")
        self.root = network.root()
        net.write_boot_files(self.root)
        for name in ("shimx64.efi", "grubx64.efi", "undionly.kpxe"):
            self.root.write(name, b"x" * 3000)
        self.socket = "%s/%s.sock" % (network.folder, self.server.name)
        self.pxed = network.pxed(self.server, dict(net.config(self.root, **settings),
                                                   control=self.socket))
        if server:
            network.dnsmasq(self.other, *dnsmasq)
        self.pxe = dhcp.Client(self.client)

    def connect(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(self.socket)
        return sock

    def discover(self, arch=7, ipxe=False):
        """A DISCOVER, and the offers that come."""
        message = dhcp.discover(arch)
        if ipxe:
            message.set(77, b"iPXE").set(175, b"\x13\x01\x01\x15\x01\x01")
        self.pxe.send(message)
        self.pxe.replies(1.0, {message.xid}, both_seen())
        return message

    def lease(self, arch=7, ipxe=False, server=OTHER):
        """DISCOVER to REQUEST, as one client."""
        message = self.discover(arch, ipxe)
        request = lease_request(arch, server)
        self.pxe.send(request.change(xid=message.xid))

    def fetch(self, name):
        tftp.download(self.client, net.SERVER, name, options={"blksize": 1468, "windowsize": 4})

    def request(self, name, options=()):
        """A file's first packet is awaited, and answered."""
        client = tftp.Client(self.client, net.SERVER)
        client.request(name, options=options)
        client.expect("an answer")
        return client

    def block(self, machine, *rule):
        """A firewall in front of this machine's sockets."""
        machine.run("nft", "-f", "-", stdin="table inet t {\nchain c {\ntype filter hook input "
                                            "priority 0;\n%s\n}\n}\n" % " ".join(rule))

    def verdict(self):
        """The first boot of the client that has ended."""
        after = 0
        while True:
            answer = question(self, verb="log", after=after, wait=60)
            boots = of(answer["boots"], self.pxe.mac)
            if boots:
                return boots[0]
            check.that(answer["boots"] or answer["next"] == after, "no verdict within a minute")
            after = answer["next"]


def booted(network):
    scene = Scene(network)
    scene.lease()
    scene.fetch("x64.efi")
    scene.lease(ipxe=True)
    scene.fetch("boot.ipxe")
    return scene


def only_us(network):
    scene = Scene(network, server=False)
    scene.discover(0)
    scene.discover(0)
    return scene


def no_file(network):
    scene = Scene(network)
    scene.discover(27)
    return scene


def file_missing(network):
    scene = Scene(network)
    os.unlink(scene.root.at("x64.efi"))
    scene.discover()
    return scene


def ignored(network):
    scene = Scene(network, hosts=[{"name": "phones", "arch": "x86-bios", "action": "ignore"}])
    scene.lease(0)
    return scene


def held(network):
    scene = Scene(network, unknown={"action": "hold"})
    scene.discover(0)
    return scene


def asked_other_4011(network):
    scene = Scene(network, "--dhcp-option-force=60,PXEClient")
    scene.lease()
    return scene


def seen_to_ask_another_4011(network):
    scene = Scene(network)
    scene.lease()
    scene.client.ip("route", "add", "default", "via", net.SERVER)  # pxed's host is the gateway
    scene.client.udp(net.CLIENT, 4011).sendto(dhcp.request4011(7).pack(), ("192.0.2.9", 4011))
    return scene


def deaf(network):
    """By UDP pxed does not hear what other servers say."""
    scene = Scene(network, interfaces=[{"name": "eth0", "listen": "udp"}])
    scene.discover()
    return scene


def other_server_won(network):
    scene = Scene(network, "--dhcp-boot=other/evil.ipxe,boothost,10.77.0.253")
    scene.lease(ipxe=True)
    return scene


def port_69_closed(network):
    scene = Scene(network)
    scene.block(scene.server, "udp dport 69 drop")
    scene.lease()
    tftp.Client(scene.client, net.SERVER).request("x64.efi")
    return scene


def size_probe(network):
    scene = Scene(network)
    scene.lease()
    scene.request("x64.efi", {"tsize": 0, "blksize": 1468}).send(tftp.error(8, "User aborted"))
    return scene


def second_stage_elsewhere(network):
    scene = Scene(network)
    scene.lease()
    scene.fetch("shimx64.efi")
    scene.client.ip("route", "add", "default", "via", net.SERVER)  # pxed's host is the gateway
    tftp.Client(scene.client, "192.0.2.9").request("grubx64.efi")
    return scene


def reply_path_blocked(network):
    scene = Scene(network)
    scene.block(scene.client, "udp sport 40000-40003 drop")
    scene.lease()
    tftp.Client(scene.client, net.SERVER).request("x64.efi", options={"blksize": 1468})
    return scene


def block_above_mtu(network):
    scene = Scene(network)
    scene.switch.ip("link", "set", "port0", "mtu", "1400")
    scene.lease()
    scene.request("x64.efi", {"blksize": 1468, "tsize": 0}).send(tftp.ack(0))
    return scene


def aborted(network):
    scene = Scene(network)
    scene.root.sparse("boot.img", 10 << 20)
    scene.lease()
    client = scene.request("boot.img", {"blksize": 1024})
    client.send(tftp.ack(0))
    client.drain_to(tftp.DATA, 1)
    client.send(tftp.ack(1))
    client.drain_to(tftp.DATA, 2)
    client.send(tftp.error(3, "out of memory"))
    return scene


def refused(network):
    scene = Scene(network)
    scene.lease()
    tftp.Client(scene.client, net.SERVER).request("missing.efi")
    return scene


def not_allowed(network):
    scene = Scene(network, tftp={"allow": ["10.9.0.0/16"]})
    scene.lease()
    tftp.Client(scene.client, net.SERVER).request("x64.efi")
    return scene


def loop(network):
    scene = Scene(network, profiles={"default": {"x86-bios": "undionly.kpxe"}})
    for ipxe in (False, True, True):
        scene.lease(0, ipxe)
        scene.fetch("undionly.kpxe")
    return scene


def grub_silent(network):
    scene = Scene(network, profiles={"default": {"x64-uefi": "shimx64.efi"}})
    scene.lease()
    scene.fetch("shimx64.efi")
    scene.fetch("grubx64.efi")
    return scene


def did_not_start(network):
    scene = Scene(network)
    scene.lease()
    scene.fetch("x64.efi")
    time.sleep(0.2)
    scene.discover()
    return scene


SCENES = (booted, seen_to_ask_another_4011, deaf, only_us, no_file, file_missing, ignored, held, asked_other_4011,
          other_server_won, port_69_closed, size_probe, second_stage_elsewhere,
          reply_path_blocked, block_above_mtu, aborted, refused, not_allowed, loop, grub_silent, did_not_start)


@fixture
def stage():
    """Every scene, or the fault that it met."""
    with net.Net() as network:
        scenes = {}
        for scene in SCENES:
            try:
                scenes[scene.__name__] = scene(network)
            except (check.Failed, net.NetError) as fault:
                scenes[scene.__name__] = fault
        yield scenes


def expect(stage, scene, verdict, state, *parts, screen=None):
    if isinstance(stage[scene], Exception):
        raise stage[scene]
    boot = stage[scene].verdict()
    check.equal((boot["verdict"], boot["state"]), (verdict, state),
                "verdict of: %s %s" % (boot["sentence"], [file["end"] for file in boot["files"]]))
    for part in parts:
        check.that(part in boot["sentence"], "%r is not in: %s" % (part, boot["sentence"]))
    if screen:
        check.that(screen in (boot["screen"] or ""), "screen: %s" % boot["screen"])
    stage[scene].pxed.wait_log("verdict=" + verdict)
    return boot


def test_booted(stage):
    boot = expect(stage, "booted", "booted", "booted", "loaded 2 files, the last \"boot.ipxe\"")
    check.equal([file["name"] for file in boot["files"]], ["x64.efi", "boot.ipxe"], "files")
    check.equal((boot["ip"], boot["remedy"]), (net.CLIENT, None), "address, remedy")


def test_only_us(stage):
    expect(stage, "only_us", "only-us", "stopped", "asked 2 times, and only pxed answered",
           screen="PXE-E52")


def test_no_file(stage):
    boot = expect(stage, "no_file", "no-file-for-arch", "stopped", "has none for riscv64-uefi",
                  screen="PXE-E16")
    check.that("\"riscv64-uefi\"" in boot["remedy"], boot["remedy"])


def test_file_missing(stage):
    expect(stage, "file_missing", "file-missing", "stopped", "\"x64.efi\" is not there")


def test_ignored(stage):
    boot = expect(stage, "ignored", "host-ignored", "silent", "phones", "\"ignore\"",
                  screen="PXE-E53")
    check.equal(boot["host"], "phones", "host")


def test_held(stage):
    boot = expect(stage, "held", "host-held", "silent", "waits for approval")
    check.equal(boot["remedy"], "Run: pxed approve " + boot["mac"], "remedy")
    held = question(stage["held"], verb="status")["held"]
    check.equal([machine["mac"] for machine in held], [boot["mac"]], "held machines")


def test_asked_other_4011(stage):
    expect(stage, "asked_other_4011", "asked-other-4011", "stopped",
           "asks %s on port 4011" % OTHER, screen="PXE-E16")


def test_seen_to_ask_another_4011(stage):
    boot = expect(stage, "seen_to_ask_another_4011", "asked-other-4011", "stopped",
                  "asks 192.0.2.9 on port 4011")
    event = [event for event in boots_of(stage, boot)[0]["events"] if event["kind"] == "other-4011"]
    check.equal([one["server"] for one in event], ["192.0.2.9:4011"], "events")


def boots_of(stage, boot):
    scene = next(scene for scene in stage.values() if not isinstance(scene, Exception) and
                 ":".join("%02x" % octet for octet in scene.pxe.mac) == boot["mac"])
    return question(scene, verb="boots", id=boot["id"])["boots"]


def test_deaf(stage):
    expect(stage, "deaf", "went-silent", "stopped", "was not heard again")


def test_other_server_won(stage):
    expect(stage, "other_server_won", "other-server-won", "stopped",
           "DHCP server %s" % OTHER, "other/evil.ipxe")


def test_port_69_closed(stage):
    expect(stage, "port_69_closed", "no-request-for-file", "stopped", "address from " + OTHER,
           "UDP port 69", screen="PXE-E18")


def test_size_probe(stage):
    expect(stage, "size_probe", "size-probe", "stopped", "size of \"x64.efi\"")


def test_second_stage_elsewhere(stage):
    expect(stage, "second_stage_elsewhere", "second-stage-elsewhere", "stopped",
           "192.0.2.9 (port 69) for \"grubx64.efi\"")


def test_reply_path_blocked(stage):
    boot = expect(stage, "reply_path_blocked", "reply-path-blocked", "stopped",
                  "UDP port 4000", "never acknowledged", screen="PXE-E18")
    check.that("data_ports" in boot["remedy"], boot["remedy"])


def test_aborted(stage):
    expect(stage, "aborted", "transfer-aborted", "stopped", "after 1.0kB of 10MB")


def test_refused(stage):
    expect(stage, "refused", "file-refused", "stopped", "\"missing.efi\", got \"file not found\"",
           screen="PXE-E23")


def test_not_allowed(stage):
    boot = expect(stage, "not_allowed", "not-allowed", "stopped", "asked for \"x64.efi\" and got no answer",
                  net.CLIENT + " is not in tftp.allow", screen="PXE-E18")
    check.that("tftp.allow" in boot["remedy"], boot["remedy"])


def test_loop(stage):
    expect(stage, "loop", "loop", "stopped", "loaded \"undionly.kpxe\" 3 times")


def test_grub_elsewhere(stage):
    """This DHCP server names itself as next server."""
    expect(stage, "grub_silent", "grub-elsewhere", "stopped", "loaded \"grubx64.efi\"")


def test_did_not_start(stage):
    expect(stage, "did_not_start", "did-not-start", "stopped", "its firmware asked anew")


def test_block_above_mtu(stage):
    boot = expect(stage, "block_above_mtu", "block-above-mtu", "stopped", "blocks of 1468 octets")
    check.that("1360 or less" in boot["remedy"], boot["remedy"])
