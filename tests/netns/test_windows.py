"""Windows boots: Boot Manager's files end to end, and life beside Windows Deployment Services."""
import socket
import time

import check
import dhcp
import net
import tftp
import windows
import wire
from one_client import OneClient

MAC = "52:54:00:12:34:56"
WDS = "10.77.0.50"
WIM_SIZE = 48 << 20     # make bench has one of 1.6 GB
MANAGER, OWN_BCD, WIMBOOT, IGNORED, LATE, HANDED = range(6)     # in docs/windows.md


class Site(OneClient):
    """A configuration of docs/windows.md, with its files as they lie on a medium."""

    def __init__(self, network, number, **profile):
        super().__init__(network)
        self.configuration = windows.configurations()[number]
        self.configuration.update(user="nobody", control="off", state_dir="off")
        self.configuration["tftp"]["root"] = self.root.path
        self.configuration["profiles"]["default"].update(profile)
        for name in ("bootmgfw.efi", "Boot/BCD", "Boot/kiosk.bcd", "Boot/boot.sdi", "wimboot",
                     "Boot/Fonts/wgl4_boot.ttf", "Boot/Fonts/segmono_boot.ttf"):
            self.root.write("win/" + name, name.encode() * 700)
        self.root.write("snponly.efi", b"ipxe")
        self.root.write("undionly.kpxe", b"ipxe")
        self.root.write("win/sources/boot.wim")
        self.root.sparse("win/sources/boot.wim", WIM_SIZE)
        self.pxed = network.pxed(self.server, self.configuration)

    def boots(self, offer):
        """The firmware takes this answer; what it has loaded runs."""
        check.equal(offer.siaddr, net.SERVER, "next server")
        self.take_lease(MAC)
        image = windows.firmware_loads(self.client, offer.siaddr, dhcp.file_name(offer))
        check.same_bytes(image, b"bootmgfw.efi" * 700, "Boot Manager")
        manager = windows.BootManager(self.client, offer.siaddr, offer.option(252))
        return manager, manager.boot()


def test_boot_manager_gets_all_it_needs_from_the_profiles_directory():
    with net.Net() as network:
        site = Site(network, MANAGER)
        offer = site.offer(MAC, 7).message
        check.equal(offer.option(67), b"win\\bootmgfw.efi\0", "option 67")
        check.equal(offer.option(66), net.SERVER.encode(), "option 66")
        check.equal(offer.option(252), b"\\Boot\\BCD\0", "option 252")
        manager, found = site.boots(offer)
        check.same_bytes(found["\\Boot\\BCD"].data, b"Boot/BCD" * 700, "BCD")
        check.equal(found["\\sources\\boot.wim"].length, WIM_SIZE, "octets of boot.wim")
        check.equal(set(manager.windows), {4}, "windows: msftwindow is off")
        site.pxed.wait_log("tftp refused peer=10.77.0.100 files=9 ")
        check.lacks(site.pxed.log(), "tftp failed", "log")


def test_msftwindow_grows_where_the_profile_says_so():
    with net.Net() as network:
        site = Site(network, MANAGER, msft_window=True)
        manager, found = site.boots(site.offer(MAC, 7).message)
        check.equal(found["\\sources\\boot.wim"].length, WIM_SIZE, "octets of boot.wim")
        check.at_least(max(manager.windows), 30, "blocks of the largest window")


def test_a_host_has_a_bcd_of_its_own():
    with net.Net() as network:
        site = Site(network, OWN_BCD)
        offer = site.offer(MAC, 7).message
        check.equal(offer.option(252), b"\\Boot\\kiosk.bcd\0", "option 252")
        _, found = site.boots(offer)
        check.same_bytes(found["\\Boot\\kiosk.bcd"].data, b"Boot/kiosk.bcd" * 700, "BCD")


def test_port_4011_says_the_same():
    with net.Net() as network:
        site = Site(network, MANAGER, offer="binl")
        check.equal(site.offer(MAC, 7).message.option(43), None, "option 43 of the offer")
        sock = site.client.udp(port=4011)
        request = dhcp.request4011(7, chaddr=wire.mac_bytes(MAC).ljust(16, b"\0"))
        sock.sendto(request.pack(), (net.SERVER, 4011))
        sock.settimeout(2)
        answer = dhcp.parse(sock.recv(1500))
        check.equal(answer.option(252), b"\\Boot\\BCD\0", "option 252")
        check.equal(answer.option(67), b"win\\bootmgfw.efi\0", "option 67")
        site.boots(answer)


def test_wimboot_gets_its_files_from_a_script():
    with net.Net() as network:
        site = Site(network, WIMBOOT)
        offer = site.offer(MAC, 7, ipxe=True).message
        site.take_lease(MAC, 7, ipxe=True)
        script = site.fetch(dhcp.file_name(offer).split("10.77.0.1/")[1]).splitlines()
        images = [line.split()[1].split("10.77.0.1/")[1] for line in script[1:-1]]
        check.equal([line.split()[0] for line in script],
                    ["#!ipxe", "kernel", "initrd", "initrd", "initrd", "boot"], "commands")
        check.lacks(script[1], "initrd=", "wimboot's arguments")
        check.equal(images, ["win/wimboot", "win/Boot/BCD", "win/Boot/boot.sdi",
                             "win/sources/boot.wim"], "images")
        for name in images[:-1]:
            check.equal(site.fetch(name), name[4:] * 700, name)
        wim = tftp.download(site.client, net.SERVER, images[-1], options={"blksize": 1432}, keep=False)
        check.equal(wim.length, WIM_SIZE, "octets of boot.wim")


# -- Windows Deployment Services beside us ------------------------------------------------

class Beside:
    """A client, pxed, and a host that answers as WDS does, on one bridge."""

    def __init__(self, network, number):
        switch = network.namespace("sw")
        network.bridge(switch)
        self.machines = {}
        for port, tag in enumerate(("cli", "srv", "wds")):
            self.machines[tag] = network.namespace(tag)
            network.link(switch, "port%d" % port, self.machines[tag], "eth0")
            switch.ip("link", "set", "port%d" % port, "master", "br0")
        self.machines["srv"].addr("eth0", net.SERVER_NET)
        self.machines["wds"].addr("eth0", WDS + "/24")
        root = network.root()
        root.write("win/bootmgfw.efi", b"manager")
        configuration = windows.configurations()[number]
        configuration.update(user="nobody", control="off", state_dir="off")
        configuration["tftp"]["root"] = root.path
        self.pxed = network.pxed(self.machines["srv"], configuration)
        self.client = dhcp.Client(self.machines["cli"])
        self.wds = wire.Wire(self.machines["wds"])

    def wds_answers(self, request):
        """Its offer: option 60 and nothing in 43, so that the client asks it on port 4011."""
        reply = dhcp.Message([(53, b"\2"), (54, socket.inet_aton(WDS)), (60, b"PXEClient"),
                              (97, request.option(97)), (250, bytes.fromhex("0d0208000e0100ff"))],
                             op=2, xid=request.xid, flags=request.flags, chaddr=request.chaddr,
                             siaddr=WDS)
        self.wds.send(wire.udp_frame(self.wds.mac, wire.BROADCAST_MAC, WDS, "255.255.255.255", 67,
                                     68, reply.pack()))

    def asks(self, mac, seconds, wds_is_there=True, retry_of=None):
        """One DISCOVER; who answers it within this time, in order: (siaddr, message, seconds)."""
        request = retry_of or dhcp.discover(7, chaddr=wire.mac_bytes(mac).ljust(16, b"\0"))
        self.client.send(request)
        start = time.monotonic()
        if wds_is_there:
            self.wds_answers(request)
        end, found = start + seconds, []
        while time.monotonic() < end:
            datagram = self.client.wire.receive(end - time.monotonic())
            if dhcp.is_reply(datagram) and datagram.payload[4:8] == request.xid:
                message = dhcp.parse(datagram.payload)
                found.append((message.siaddr, message, time.monotonic() - start))
        return request, found


def test_beside_wds_an_ignored_architecture_is_its_own():
    with net.Net() as network:
        site = Beside(network, IGNORED)
        _, found = site.asks(MAC, 1.0)
        check.equal([who for who, _, _ in found], [WDS], "who answers")
        site.pxed.wait_log("host-ignored|ignored")


def test_beside_wds_we_stand_in_only_when_it_is_silent():
    with net.Net() as network:
        site = Beside(network, LATE)
        _, found = site.asks(MAC, 1.5)
        check.equal([who for who, _, _ in found], [WDS], "who answers the first DISCOVER")
        other = "52:54:00:12:34:57"
        request, found = site.asks(other, 0.3, wds_is_there=False)
        check.equal(found, [], "answers to the first DISCOVER")
        request.secs = 8
        _, found = site.asks(other, 2.0, wds_is_there=False, retry_of=request)
        check.equal([who for who, _, _ in found], [net.SERVER], "who answers the second")
        check.at_least(found[0][2], 0.9, "seconds that WDS had")


def test_a_machine_is_handed_over_to_wds():
    with net.Net() as network:
        site = Beside(network, HANDED)
        _, found = site.asks(MAC, 0.5, wds_is_there=False)
        who, message, _ = found[0]
        check.equal(who, WDS, "next server")
        check.equal(dhcp.file_name(message), "boot\\x64\\wdsmgfw.efi", "file")
        check.equal(message.option(250), bytes.fromhex("0d0208000e0101ff"), "option 250")
