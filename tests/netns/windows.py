"""Windows Boot Manager as its server sees it: what it asks for, in which order and how.

From public descriptions and traces: its own TFTP client, blocks of 1456, windows of 4 that grow
where the server knows msftwindow; names with backslashes; a dozen that nobody has.
"""
import json
import os
import re

import check
import net
import tftp

MSFT_ASKED, MSFT_GRANTED = "31416", "27182"
NOT_THERE = ("\\EFI\\Microsoft\\Boot\\SecureBootPolicy.p7b", "\\EFI\\Microsoft\\Boot\\SiPolicy.p7b",
             "\\EFI\\Microsoft\\Boot\\UnlockToken.pol", "\\EFI\\Microsoft\\Boot\\winsipolicy.p7b",
             "\\Boot\\boot.stl", "\\EFI\\Microsoft\\Boot\\Fonts\\chs_boot.ttf", "\\BCD")
FONTS = ("\\boot\\fonts\\segmono_boot.ttf", "\\boot\\fonts\\segoe_slboot.ttf",
         "\\boot\\fonts\\segoen_slboot.ttf", "\\boot\\fonts\\wgl4_boot.ttf")
DOCUMENT = os.path.join(net.TOP, "docs", "windows.md")


class Download(tftp.Download):
    """One file.  With msftwindow each ACK has a fifth octet, the blocks wanted next: more after a
    window without a loss, drastically less after one."""

    def __init__(self, client, name, options, keep):
        self.largest = 0
        super().__init__(client, name, options=options, keep=keep)

    def varies(self):
        return bool(self.oack) and self.oack.get("msftwindow") == MSFT_GRANTED

    def send(self, data):
        if self.varies() and data[:2] == b"\0\4":
            data += bytes([self.window])
        super().send(data)

    def acknowledge(self):
        if self.varies():
            self.window = max(1, self.window // 4) if self.gap else min(255, self.window + 1)
            self.largest = max(self.largest, self.window)
        super().acknowledge()


class BootManager:
    """Runs on a machine whose firmware has loaded bootmgfw.efi; bcd: option 252, NUL and all."""

    def __init__(self, namespace, server, bcd=b"\\Boot\\BCD\0"):
        self.namespace, self.server = namespace, server
        self.bcd = bcd.rstrip(b"\0").decode()
        self.windows = []

    def read(self, name, keep=True):
        """The file, or None when it is refused."""
        client = tftp.Client(self.namespace, self.server)
        options = {"tsize": 0, "blksize": 1456, "windowsize": 4, "msftwindow": MSFT_ASKED}
        transfer = Download(client, name, options, keep)
        transfer.run(1.0)
        client.close()
        if transfer.fault and "ERROR 1" in transfer.fault:
            return None
        check.equal(transfer.fault, None, "download of " + name)
        check.equal(str(transfer.length), transfer.oack["tsize"], "size of " + name)
        self.windows.append(transfer.largest or transfer.window)
        return transfer

    def boot(self):
        """Everything up to the image; the Downloads of what is needed, by name."""
        for name in NOT_THERE:
            check.that(self.read(name) is None, name + " is there")
        names = (self.bcd, "\\Boot\\boot.sdi", "\\sources\\boot.wim")
        for font in FONTS:
            self.read(font)
        found = {name: self.read(name, keep=not name.endswith(".wim")) for name in names}
        for name, transfer in found.items():
            check.that(transfer, name + " is not there")
        return found


def configurations():
    """Those of docs/windows.md, in their order."""
    with open(DOCUMENT) as file:
        return [json.loads(text) for text in re.findall(r"```json\n(.*?)```", file.read(), re.S)]


def firmware_loads(namespace, server, name):
    """EDK2: a probe for the size, given up as soon as it is known, then the file."""
    client = tftp.Client(namespace, server)
    client.request(name, options={"tsize": 0, "blksize": 1468, "windowsize": 4})
    packet = client.expect("an OACK")
    check.equal(packet.op, tftp.OACK, "answer to the probe for %s: %s" % (name, packet))
    client.send(tftp.error(8, "User aborted the transfer"))
    client.close()
    return tftp.download(namespace, server, name, options={"blksize": 1468, "windowsize": 4}).data
