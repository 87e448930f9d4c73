"""Raspberry Pis as their server sees them: the boot ROM of a Pi 3, the EEPROM of a Pi 4 or 5.

From Raspberry Pi's documentation and public logs: the names in their order, the directory of its
own (serial number or MAC address) that is given up when its first file is not there, the
options, and the answer without which it does not go on.
"""
import check
import dhcp
import tftp
import wire

MENU = b"\x06\x01\x03\x0a\x04\x00PXE\x09\x14\x00\x00\x11Raspberry Pi Boot\xff"


class Pi:
    """A machine; files: what it needs for its boot, model by model."""
    optional, needed, first = (), (), ()
    options = {}

    def __init__(self, namespace, server, mac, serial, prefix=None):
        self.namespace, self.server, self.mac = namespace, server, mac
        self.own = (serial if prefix is None else prefix) + "/"
        self.refused = []

    def discover(self):
        message = dhcp.discover(0, chaddr=wire.mac_bytes(self.mac).ljust(16, b"\0"), secs=0, flags=0)
        return message.set(60, b"PXEClient:Arch:00000:UNDI:002001").set(97, self.machine_id())

    def takes(self, offer):
        """Whether this offer is one it goes on with."""
        return (offer.option(60) or b"").startswith(b"PXEClient") and offer.option(43) == MENU and \
            offer.option(66) == self.server.encode() and offer.siaddr == self.server

    def read(self, name, wanted=True):
        """The file, or None; `wanted`: it must be there."""
        client = tftp.Client(self.namespace, self.server)
        transfer = tftp.Download(client, name, options=self.options)
        transfer.run(1.0)
        client.close()
        if transfer.fault and "ERROR 1" in transfer.fault:
            check.that(not wanted, name + " is not there")
            self.refused.append(name)
            return None
        check.equal(transfer.fault, None, "download of " + name)
        return transfer.data

    def boot(self):
        """Reads its whole list; the needed files by their names without a directory."""
        for name in self.first:
            self.read(name, wanted=name == "bootcode.bin")
        found = {}
        start = self.needed[0]
        found[start] = self.read(self.own + start, wanted=False)
        if found[start] is None:
            self.own = ""       # from here on everything is asked for in the root
            found[start] = self.read(start)
        for name in self.optional:
            self.read(self.own + name, wanted=False)
        for name in self.needed[1:]:
            found[name] = self.read(self.own + name)
        return found


class Pi3(Pi):
    """Its ROM: blocks of 512, no option but the size; the same UUID in all of them."""
    first = ("bootcode.bin", "bootsig.bin")
    needed = ("start.elf", "config.txt", "fixup.dat", "cmdline.txt", "bcm2710-rpi-3-b.dtb", "kernel8.img")
    optional = ("autoboot.txt", "recovery.elf", "dt-blob.bin", "bootcfg.txt", "armstub8-32.bin",
                "kernel8-32.img")
    options = {"tsize": 0}

    def machine_id(self):
        return b"\0" + b"\x44" * 16


class Pi4(Pi):
    """Its EEPROM; the UUID names model, MAC address and serial number."""
    needed = ("config.txt", "start4.elf", "fixup4.dat", "cmdline.txt", "bcm2711-rpi-4-b.dtb", "kernel8.img")
    optional = ("autoboot.txt", "pieeprom.sig", "recover4.elf", "recovery.elf", "dt-blob.bin", "bootcfg.txt",
                "armstub8-gic.bin", "overlays/overlay_map.dtb")
    options = {"tsize": 0, "blksize": 1024}

    def machine_id(self):
        return b"\0RPi4" + bytes.fromhex("11 31 c0 00") + wire.mac_bytes(self.mac)[2:] + b"\x9f\xfe\xfd\xef"


class Pi5(Pi4):
    needed = ("config.txt", "cmdline.txt", "bcm2712-rpi-5-b.dtb", "kernel_2712.img")
    options = {"tsize": 0, "blksize": 1468}

    def machine_id(self):
        return b"\0RPi5" + super().machine_id()[5:]
