"""Virtual PCs with real firmware, in QEMU."""
import os
import shutil
import signal
import time
from dataclasses import dataclass

from network import LabError, clean, spawn, tail

OVMF = "/usr/share/OVMF/"
X86 = "qemu-system-x86_64"


@dataclass(frozen=True)
class Firmware:
    """code, variables: the flash images of a UEFI machine.  smm: needed by Secure Boot."""
    qemu: str
    code: str = ""
    variables: str = ""
    smm: bool = False


FIRMWARE = {
    "bios": Firmware(X86),
    "x64": Firmware(X86, OVMF + "OVMF_CODE_4M.fd", OVMF + "OVMF_VARS_4M.fd"),
    # Secure Boot on, with Microsoft's keys
    "x64-sb": Firmware(X86, OVMF + "OVMF_CODE_4M.secboot.fd", OVMF + "OVMF_VARS_4M.ms.fd", True),
    "ia32": Firmware(X86, OVMF + "OVMF32_CODE_4M.secboot.fd", OVMF + "OVMF32_VARS_4M.fd", True),
    "aa64": Firmware("qemu-system-aarch64", "/usr/share/AAVMF/AAVMF_CODE.fd",
                     "/usr/share/AAVMF/AAVMF_VARS.fd"),
    "aa64-sb": Firmware("qemu-system-aarch64", "/usr/share/AAVMF/AAVMF_CODE.ms.fd",
                        "/usr/share/AAVMF/AAVMF_VARS.ms.fd"),
}


# What firmware prints when it has given up booting by PXE.
GIVEN_UP = (">>Start HTTP Boot", "No more network devices")


def mac(index):
    """The address of the network card of machine 0, 1 ..."""
    return "52:54:00:77:00:%02x" % (index + 1)


def qemu_argv(name, index=0, nic="virtio-net-pci", rom=None, ip="4"):
    """The machine on tap<index>.

    rom: None takes what is usual here: iPXE's ROM for BIOS; none for UEFI, where a ROM would
    keep the firmware's own network stack from running at all.  "default" is QEMU's choice.
    ip: the versions by which UEFI tries PXE: "4", "6" or "".
    """
    fw = FIRMWARE[name]
    x86 = fw.qemu == X86
    machine = "q35,accel=tcg,usb=off,graphics=off,smm=%s" % ("on" if fw.smm else "off")
    argv = [fw.qemu, "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none",
            "-serial", "stdio", "-no-reboot",
            "-machine", machine if x86 else "virt,accel=tcg",
            "-cpu", "max" if x86 else "cortex-a57", "-m", "512" if fw.code else "256",
            "-uuid", "00112233-4455-6677-8899-aabbccddee%02x" % (index + 1),
            "-boot", "menu=on,splash-time=0"]
    argv += flash_argv(fw, index, ip) if fw.code else []
    card = "%s,netdev=n0,mac=%s,bootindex=1" % (nic, mac(index))
    if rom != "default" and fw.code:
        card += ",romfile="
    return argv + ["-netdev", "tap,id=n0,ifname=tap%d,script=no,downscript=no" % index,
                   "-device", card]


def flash_argv(fw, index, ip):
    """UEFI: the code, a copy of the variables, and PXE over these versions of IP alone."""
    copy = "variables%d.fd" % index
    try:
        shutil.copyfile(fw.variables, copy)
    except FileNotFoundError as e:
        raise LabError("%s is not installed" % e.filename) from e
    argv = ["-drive", "if=pflash,unit=0,format=raw,readonly=on,file=" + fw.code,
            "-drive", "if=pflash,unit=1,format=raw,file=" + copy]
    for version in "46":
        argv += ["-fw_cfg", "name=opt/org.tianocore/IPv%sPXESupport,string=%s" % (
            version, "y" if version in ip else "n")]
    if fw.smm:
        argv += ["-global", "driver=cfi.pflash01,property=secure,value=on",
                 "-global", "ICH9-LPC.disable_s3=1"]
    return argv


class Machine:
    """A running machine; what it prints on its serial line grows in its log."""

    def __init__(self, argv, index=0):
        self.log = "serial%d.log" % index
        self.started = time.monotonic()
        self.proc = spawn(argv, self.log)

    def seconds(self):
        """Since it was powered on."""
        return time.monotonic() - self.started

    def text(self):
        """All it has printed, without the terminal's escape sequences."""
        with open(self.log, encoding="latin-1", newline="") as f:
            return clean(f.read())

    def wait_for(self, marker, timeout, each_round=lambda: None, given_up=GIVEN_UP):
        """None when the marker has been printed, else why it was not."""
        while True:
            ended = self.proc.poll() is not None
            each_round()
            text = self.text()
            if marker in text:
                return None
            for words in given_up:
                if words in text:
                    return "no '%s': the firmware has given up" % marker
            if ended:
                return "the machine ended: " + tail(self.log, 1)
            if self.seconds() > timeout:
                return "no '%s' in %d s" % (marker, timeout)
            time.sleep(0.02)

    def stop(self):
        """Pulls the plug."""
        if self.proc.poll() is None:
            os.kill(self.proc.pid, signal.SIGKILL)
            self.proc.wait()
