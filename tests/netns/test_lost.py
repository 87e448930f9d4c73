"""Packets that come while the host is too busy to read them are counted, and told."""
import json
import os
import subprocess

import check
import dhcp
import dhcp6
import net
import tftp
import web
import wire
from harness import fixture

FRAMES = 4000  # the buffer of a capture holds some 1,900
BURST = 500


class Site:
    def __init__(self, network, listen="capture"):
        self.server, self.client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        self.configuration = dict(
            net.config(root, [{"name": "eth0", "listen": listen}]),
            control=os.path.join(network.folder, "control.sock"), http={"listen": "0.0.0.0:8069"})
        self.pxed = network.pxed(self.server, self.configuration)
        self.pxe = dhcp.Client(self.client)

    def dropped(self, table, port):
        """What the kernel says of the sockets of that port: its own count."""
        return sum(int(line.split()[-1]) for line in self.server.read_proc(table).splitlines()[1:]
                   if line.split()[1].endswith(":%04X" % port))

    def overflow(self, table, port, send):
        """Stops it, sends until the socket takes no more; how many were dropped."""
        with self.pxed.held_up():
            for _ in range(200):
                for _ in range(BURST):
                    send()
                if self.dropped(table, port):
                    break
        return self.dropped(table, port)

    def lost(self, socket, iface=""):
        return web.metrics(self.server)[0]['pxed_packets_lost_total{iface="%s",socket="%s"}' % (iface, socket)]

    def run(self, *words):
        return subprocess.run(["ip", "netns", "exec", self.server.name, net.binary(), *words, "-c",
                               self.pxed.config_path], text=True, capture_output=True, timeout=60).stdout

    def told(self):
        return json.loads(self.run("status", "--json"))


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def test_frames_the_capture_had_no_room_for(site):
    check.equal((site.lost("capture", "eth0"), site.told()["lost"]), (0, []), "nothing was lost yet")
    message = site.pxe.prepare(dhcp.discover(7))
    frame = wire.udp_frame(site.pxe.mac, wire.BROADCAST_MAC, "0.0.0.0", "255.255.255.255", 68, 67,
                           message.pack())
    with site.pxed.held_up():
        for _ in range(FRAMES):
            site.pxe.wire.send(frame)
    check.until("it is counted", lambda: site.lost("capture", "eth0") > 0)
    site.pxed.wait_log("packets lost socket=capture interface=eth0 reason=not-read-in-time lost=")
    status = site.told()
    number = status["interfaces"][0]["lost"]
    check.that(0 < number < FRAMES, "%d of %d were lost" % (number, FRAMES))
    check.equal(number, site.lost("capture", "eth0"), "the metric")
    check.equal([(one["socket"], one["interface"], one["count"]) for one in status["lost"]],
                [("capture", "eth0", number)], "where some were lost lately")
    check.that("lost" in site.run("status") and "were not heard" in site.run("status"), "pxed status tells it")
    findings = json.loads(site.run("doctor", "--json"))["findings"]
    check.that(any(one["what"] == status["lost"][0]["sentence"] and one["severity"] == "warning"
                   for one in findings), "pxed doctor tells it: %s" % findings)
    site.pxe.wire.drain()
    check.that(site.pxe.ask(dhcp.discover(7)), "whoever asks again is answered")


def udp_sender(site, port):
    sock = site.client.udp(net.CLIENT, 0)
    return lambda: sock.sendto(tftp.rrq("x64.efi"), (net.SERVER, port))


def expect_counted(site, socket, table, port, send, iface=""):
    number = site.overflow(table, port, send)
    check.that(number > 0, "the socket had room for all")
    check.until("as many as the kernel says, %d" % number,
                lambda: site.lost(socket, iface) == site.dropped(table, port))
    site.pxed.wait_log("packets lost socket=%s.* lost=" % socket)
    told = {one["socket"]: one["count"] for one in site.told()["lost"]}
    check.equal(told.get(socket), site.lost(socket, iface), "the document: %s" % told)


def test_datagrams_to_port_69(site):
    expect_counted(site, "udp-69", "udp", 69, udp_sender(site, 69))


def test_datagrams_to_port_4011(site):
    expect_counted(site, "udp-4011", "udp", 4011, udp_sender(site, 4011))


def test_datagrams_of_transfers(site):
    ports = {int(line.split()[1].rsplit(":", 1)[1], 16) for line in site.server.read_proc("udp").splitlines()[1:]}
    port = min(ports - {67, 69, 4011})
    expect_counted(site, "tftp-data", "udp", port, udp_sender(site, port))


def test_requests_over_ipv6(site):
    """Those to other ports pass by the same socket, and are none."""
    client = dhcp6.Client(site.client)
    message = dhcp6.solicit().pack()

    def send():
        client.send(message, port=5555)
        client.send(message)

    expect_counted(site, "udp-547", "raw6", 17, send)


def test_requests_heard_by_a_socket():
    with net.Net() as network:
        site = Site(network, "udp")
        data = site.pxe.prepare(dhcp.discover(7)).pack()
        frame = wire.udp_frame(site.pxe.mac, wire.BROADCAST_MAC, "0.0.0.0", "255.255.255.255", 68, 67, data)
        expect_counted(site, "udp-67", "udp", 67, lambda: site.pxe.wire.send(frame), "eth0")
        check.equal(site.told()["interfaces"][0]["lost"], site.lost("udp-67", "eth0"), "of the interface")
