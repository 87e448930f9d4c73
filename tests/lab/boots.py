"""What the lab boots: one row for each."""
import os
from dataclasses import dataclass, field

from machine import mac
from network import PXE
from payloads import GRUB, KERNEL, MARKER, PACKAGED, probe_text
from servers import UNPACKED

SCRIPT = MARKER + " ipxe script"
OWN = MARKER + " own file"


@dataclass(frozen=True)
class Boot:
    """One boot of one machine.

    It passes when the machine prints the marker, and what `also` says, within the timeout.
    """
    name: str
    firmware: str
    marker: str
    also: str = ""
    files: dict = field(default_factory=dict)   # over USUAL_FILES, in the default profile
    profiles: dict = field(default_factory=dict)
    hosts: tuple = ()
    templates: dict = field(default_factory=dict)   # virtual file -> its text
    tftp: dict = field(default_factory=dict)    # settings of TFTP
    nic: str = "virtio-net-pci"
    rom: str = None
    dhcp: str = "dnsmasq"   # over IPv6: "dnsmasq6", or "stateless6" for addresses without DHCP
    ip: str = "4"           # which PXE the firmware tries: "4", "6", or "" for HTTP Boot alone
    http: bool = False      # pxed serves the boot files by HTTP, too
    goes_on: bool = False   # the firmware is to try HTTP Boot after PXE
    same_host: str = ""     # "dhcp-first" or "pxed-first": one host for both, started in this order
    loss: float = 0         # percent of TFTP's packets, each way
    refused: bool = False   # pxed must send this machine no file at all
    timeout: int = 60
    judged: str = ""        # a pattern for the verdict in pxed's log; "": not waited for
    # kinds of events, a regular expression (watcher.py): pxed is asked at all its doors while
    # the machine boots and after, and all must tell the same
    timeline: str = ""
    needs: tuple = ()       # files; without them the boot is skipped
    # arguments of `pxed init`, whose boot root is served then, by its own configuration with
    # `files` and `hosts` put into it; None: the lab's root
    init: tuple = None


BIOS, X64, IA32, AA64 = (probe_text(arch) for arch in ("bios", "x64", "ia32", "aa64"))
KINDS = (("bios", BIOS), ("x64", X64), ("aa64", AA64))
SHIM = ("shimx64.efi", "grubx64.efi")
NO_OFFER = "PXE-E16"    # EDK2's words for: addresses were offered, but no boot file
NO_OFFER6 = "PXE-E21"   # and over IPv6
PROMPT = "Press F8 for the lab's menu"
DISK = {"name": "The disk", "action": "local"}


def menu(arch, *first):
    """Items for one architecture; `first` go before the usual probe."""
    usual = {"name": "Probe", "file": {"x64": "probex64.efi", "aa64": "probeaa64.efi",
                                       "bios": "own.0"}[arch]}
    return {"prompt": PROMPT, "timeout": 1, "items": [*first, usual, {"name": "Own",
                                                                      "file": "own.0"}]}


OWN_PROFILE = {"own": {"x86-bios": "own.0", "x64-uefi": "ownx64.efi"}}

BOOTS = [
    Boot("bios-virtio", "bios", BIOS),
    Boot("bios-e1000", "bios", BIOS, nic="e1000"),
    Boot("bios-pxelinux", "bios", BIOS, also=MARKER + " pxelinux",
         files={"x86-bios": "pxelinux.0"}),
    Boot("bios-ipxe-script", "bios", SCRIPT, files={"ipxe": "ok.ipxe"}, judged="booted"),
    # 32 MiB to iPXE, which knows no windows: sent ahead, and in lock-step for comparison
    Boot("bios-ipxe-32m", "bios", SCRIPT, files={"ipxe": "big.ipxe"}),
    Boot("bios-ipxe-32m-lockstep", "bios", SCRIPT, files={"ipxe": "big.ipxe"},
         tftp={"send_ahead": "off"}),
    Boot("bios-ipxe-32m-loss", "bios", SCRIPT, files={"ipxe": "big.ipxe"}, loss=0.5),
    Boot("bios-ipxe-template", "bios", "%s for pc-1 db" % SCRIPT, files={"ipxe": "own.ipxe"},
         templates={"own.ipxe": "#!ipxe\necho %s for ${host} ${vars.role}\nsleep 2\nexit\n" % SCRIPT},
         hosts=({"name": "pc-1", "mac": mac(0), "vars": {"role": "db"}},)),
    Boot("bios-400k-loss", "bios", BIOS, files={"x86-bios": "probe-400k.0"}, loss=2),
    Boot("x64", "x64", X64),
    Boot("x64-8m", "x64", X64, files={"x64-uefi": "probex64-8m.efi"}),
    Boot("x64-8m-loss", "x64", X64, files={"x64-uefi": "probex64-8m.efi"}, loss=0.2, timeout=90),
    Boot("x64-ipxe-chain", "x64", SCRIPT, files={"x64-uefi": "snponly.efi", "ipxe": "ok.ipxe"},
         judged="booted"),
    Boot("x64-ipxe-rom", "x64", SCRIPT, rom="default", files={"ipxe": "ok.ipxe"}),
    Boot("x64-syslinux", "x64", MARKER + " pxelinux", files={"x64-uefi": "syslinux.efi"}),
    Boot("x64-grub", "x64", MARKER + " grub", files={"x64-uefi": "grub-own.efi"}, needs=(GRUB,)),
    Boot("x64-secure-shim", "x64-sb", "Welcome to GRUB!", files={"x64-uefi": "shimx64.efi"},
         needs=tuple(PACKAGED[name] for name in SHIM), judged="grub-elsewhere"),
    # Afterwards it tries HTTP Boot, which the machine may or may not live to do here.
    Boot("x64-secure-refuses", "x64-sb", "Access Denied", judged="loaded|did-not-start"),
    Boot("ia32", "ia32", IA32),
    Boot("aa64", "aa64", AA64),
    # the host table
    Boot("bios-host-profile", "bios", OWN, profiles=OWN_PROFILE,
         hosts=({"name": "pc", "mac": mac(0), "profile": "own"},)),
    Boot("x64-host-profile", "x64", OWN, profiles=OWN_PROFILE,
         hosts=({"name": "pc", "mac": mac(0), "profile": "own"},)),
    Boot("bios-host-ignored", "bios", "Nothing to boot", refused=True, judged="host-ignored",
         hosts=({"name": "pc", "mac": mac(0), "action": "ignore"},)),
    Boot("x64-host-ignored", "x64", NO_OFFER, refused=True, timeout=100, judged="host-ignored",
         hosts=({"name": "pc", "mac": mac(0), "action": "ignore"},)),
]
# what the operator sees of them: iPXE's offers of addresses come to it alone; EDK2 asks twice
# for its file, first for its size
BY_EDK2 = "discover (offer other-offer|other-offer offer) request file probe done silence loaded"
BOOTS += [
    Boot("bios-timeline", "bios", BIOS, files={"x86-bios": "probe-400k.0"},
         timeline="discover offer request file done silence booted"),
    Boot("x64-timeline", "x64", X64, files={"x64-uefi": "probex64-8m.efi"}, timeline=BY_EDK2),
    Boot("aa64-timeline", "aa64", AA64, timeline=BY_EDK2),
]
# forms of the offer; menus that the firmware shows itself, and whose first item comes unasked
BOOTS += [Boot("%s-%s" % (name, form), name, marker, files={"offer": form})
          for name, marker in (*KINDS, ("ia32", IA32)) for form in ("pxe", "binl", "both")]
# chains whose later stages read the offer again, or the answer of port 4011
CHAINS = (("bios-pxelinux", "bios", BIOS, {"x86-bios": "pxelinux.0"}, ""),
          ("x64-syslinux", "x64", MARKER + " pxelinux", {"x64-uefi": "syslinux.efi"}, ""),
          ("x64-ipxe-chain", "x64", SCRIPT, {"x64-uefi": "snponly.efi", "ipxe": "ok.ipxe"}, ""),
          ("x64-ipxe-rom", "x64", SCRIPT, {"ipxe": "ok.ipxe"}, "default"))
BOOTS += [Boot("%s-%s" % (name, form), firmware, marker, files={**files, "offer": form},
               rom=rom or None)
          for name, firmware, marker, files, rom in CHAINS for form in ("binl", "both")]
BOOTS += [Boot("x64-secure-shim-%s" % form, "x64-sb", "Welcome to GRUB!",
               files={"x64-uefi": "shimx64.efi", "offer": form},
               needs=tuple(PACKAGED[name] for name in SHIM)) for form in ("binl", "both")]
BOOTS += [Boot("%s-menu" % name, name, marker, also=PROMPT, files={"menu": menu(name)})
          for name, marker in KINDS[1:]]
BOOTS += [
    Boot("x64-menu-binl", "x64", X64, also=PROMPT, files={"menu": menu("x64"), "offer": "binl"}),
    Boot("x64-menu-disk", "x64", "PXE-E21", also=PROMPT, refused=True,
         files={"menu": menu("x64", DISK)}),
    Boot("bios-menu", "bios", BIOS, files={"menu": menu("bios")}),     # iPXE: is shown none
    Boot("x64-host-local", "x64", NO_OFFER, refused=True, timeout=100,
         hosts=({"name": "pc", "mac": mac(0), "action": "local"},)),
]
# Linux, by each loader's configuration as it is made of the host table
LINUX = {"kernel": "vmlinuz", "initrd": "initrd",
         "args": "console=ttyS0 panic=-1 role=${vars.role} title=\"a b\" ---"}
LOADERS = (("bios-ipxe", "bios", {}), ("x64-ipxe", "x64", {"x64-uefi": "snponly.efi"}),
           ("bios-pxelinux", "bios", {"x86-bios": "pxelinux.0", "ipxe": "pxelinux.0"}),
           ("x64-syslinux", "x64", {"x64-uefi": "syslinux.efi"}),
           ("x64-grub", "x64", {"x64-uefi": "grub-search.efi"}))
BOOTS += [Boot(name + "-linux", firmware, MARKER + " linux", also="role=db", timeout=150,
               files={**files, "boot": LINUX}, needs=(KERNEL, *([GRUB] if "grub" in name else [])),
               hosts=({"name": "pc", "mac": mac(0), "vars": {"role": "db"}},))
          for name, firmware, files in LOADERS]
# other DHCP servers; one and the same host for both programs
BOOTS += [Boot("%s-%s" % (name, dhcp), name, marker, dhcp=dhcp)
          for dhcp in ("isc", "kea", "udhcpd") for name, marker in KINDS]
BOOTS += [Boot("%s-same-host-%s" % (name, order), name, marker, same_host=order)
          for order in ("dhcp-first", "pxed-first") for name, marker in KINDS[:2]]
# UEFI HTTP Boot: a URL of pxed in the offer
HTTP = {"x64-uefi-http": "probex64.efi", "arm64-uefi-http": "probeaa64.efi"}
BOOTS += [Boot("%s-http" % arch, arch, marker, ip="", http=True, timeout=90, files=HTTP)
          for arch, marker in (("x64", X64), ("aa64", AA64))]
# iPXE goes on by HTTP: a kernel and an initrd of 48 MiB
BY_HTTP = """#!ipxe
kernel ${http}/vmlinuz console=ttyS0 panic=-1 initrd=initrd-48m
initrd ${http}/initrd-48m
boot
"""
BOOTS += [Boot("%s-ipxe-http-linux" % name, name, MARKER + " linux", http=True, timeout=120,
               files={**files, "ipxe": "by-http.ipxe"}, templates={"by-http.ipxe": BY_HTTP},
               needs=(KERNEL,))
          for name, files in (("bios", {}), ("x64", {"x64-uefi": "snponly.efi"}))]
# IPv6
BOOTS += [
    Boot("x64-v6", "x64", X64, dhcp="dnsmasq6", ip="6", judged="loaded"),
    Boot("aa64-v6", "aa64", AA64, dhcp="dnsmasq6", ip="6"),
    Boot("x64-v6-same-host", "x64", X64, dhcp="dnsmasq6", ip="6", same_host="dhcp-first"),
    Boot("x64-v6-host-ignored", "x64", NO_OFFER6, dhcp="dnsmasq6", ip="6", refused=True, timeout=100,
         hosts=({"name": "pc", "mac": mac(0), "action": "ignore"},)),
    Boot("bios-v6-stateless", "bios", BIOS, dhcp="stateless6", ip="6"),
    Boot("bios-v6-script", "bios", SCRIPT, dhcp="stateless6", ip="6", files={"ipxe": "ok.ipxe"}),
    # tried after HTTP over IPv4, which takes a minute to fail
    Boot("x64-v6-http", "x64", X64, dhcp="dnsmasq6", ip="", http=True, files=HTTP, timeout=150),
    Boot("aa64-v6-http", "aa64", AA64, dhcp="dnsmasq6", ip="", http=True, files=HTTP, timeout=150),
]


# what `pxed init` makes really boots
IPXE_MENU, GRUB_MENU = "pxed on %s, to" % PXE[1], "Boot from disk"
PXELINUX_MENU = "pxed on %s: type disk" % PXE[1]
NO_IPXE = {"ipxe": None}    # the machine's ROM is an iPXE, which would get a script
GRUB_PC, GRUB_IA32, GRUB_ARM64 = (
    os.path.join(UNPACKED, "usr/lib/grub", name, "kernel.img")
    for name in ("i386-pc", "i386-efi", "arm64-efi"))
BOOTS += [
    Boot("init-bios", "bios", IPXE_MENU, init=()),
    Boot("init-bios-pxelinux", "bios", PXELINUX_MENU, init=("--loader", "pxelinux"), files=NO_IPXE),
    Boot("init-bios-grub", "bios", GRUB_MENU, init=("--loader", "grub"), files=NO_IPXE,
         needs=(GRUB_PC,)),
    Boot("init-x64", "x64", IPXE_MENU, init=()),
    Boot("init-x64-grub", "x64", GRUB_MENU, init=("--loader", "grub")),
    Boot("init-x64-syslinux", "x64", PXELINUX_MENU, init=("--loader", "pxelinux")),
    Boot("init-ia32", "ia32", GRUB_MENU, init=(), needs=(GRUB_IA32,)),
    Boot("init-ia32-syslinux", "ia32", PXELINUX_MENU, init=("--loader", "pxelinux")),
    Boot("init-arm64", "aa64", GRUB_MENU, init=(), needs=(GRUB_ARM64,)),
]
# GRUB behind a proxy, beside DHCP servers that name no next server, and (dnsmasq) themselves
BOOTS += [Boot("init-x64-grub-%s" % dhcp, "x64", GRUB_MENU, init=("--loader", "grub"), dhcp=dhcp)
          for dhcp in ("isc", "kea", "udhcpd")]
BOOTS += [Boot("init-arm64-%s" % dhcp, "aa64", GRUB_MENU, init=(), dhcp=dhcp, needs=(GRUB_ARM64,))
          for dhcp in ("isc", "kea")]
# Secure Boot, shim and Debian's signed GRUB to its menu.  By HTTP Boot of a disk the DHCP
# server need say nothing; by PXE it must name pxed its next server, or be on the same host
# and name itself.
SIGNED = tuple(PACKAGED[name] for name in SHIM)
BOOTS += [
    Boot("x64-secure-disk", "x64-sb", GRUB_MENU, init=(), ip="", goes_on=True, timeout=90, needs=SIGNED),
    Boot("x64-secure-disk-linux", "x64-sb", MARKER + " linux", also="role=db", init=(), ip="", goes_on=True,
         timeout=150, files={"boot": LINUX}, needs=(KERNEL, *SIGNED),
         hosts=({"name": "pc", "mac": mac(0), "vars": {"role": "db"}},)),
    Boot("x64-secure-disk-isc", "x64-sb", GRUB_MENU, init=(), ip="", goes_on=True, timeout=90, dhcp="isc",
         needs=SIGNED),
    # PXE is refused the unsigned loader first
    Boot("x64-secure-disk-second", "x64-sb", GRUB_MENU, also="Access Denied", init=(), timeout=150,
         goes_on=True, needs=SIGNED),
    Boot("aa64-secure-disk", "aa64-sb", GRUB_MENU, init=(), ip="", goes_on=True, timeout=90, needs=(GRUB_ARM64,)),
    Boot("aa64-secure-refuses", "aa64-sb", "Access Denied"),
    Boot("aa64-secure-shim-next-isc", "aa64-sb", GRUB_MENU, init=("--loader", "shim"),
         dhcp="isc-next", needs=(GRUB_ARM64,)),
    Boot("x64-secure-shim-same-host", "x64-sb", GRUB_MENU, init=("--loader", "shim"), needs=SIGNED,
         same_host="dhcp-first"),
]
BOOTS += [
    Boot("x64-shim-next-isc", "x64", GRUB_MENU, init=("--loader", "shim"), needs=SIGNED,
         dhcp="isc-next"),
    Boot("x64-secure-shim-next-linux", "x64-sb", MARKER + " linux", also="role=db", timeout=150,
         init=("--loader", "shim"), dhcp="isc-next", needs=(KERNEL, *SIGNED),
         files={"boot": LINUX}, hosts=({"name": "pc", "mac": mac(0), "vars": {"role": "db"}},)),
]
# and where it does not, pxed tells what is wrong
BOOTS += [Boot("x64-secure-grub-%s" % verdict, "x64-sb", "Welcome to GRUB!", dhcp=dhcp, needs=SIGNED,
               init=("--loader", "shim"), judged="grub-" + verdict)
          for verdict, dhcp in (("silent", "isc"), ("elsewhere", "dnsmasq"))]
BOOTS += [Boot("x64-secure-shim-next-%s" % dhcp, "x64-sb", GRUB_MENU, init=("--loader", "shim"),
               needs=SIGNED, dhcp=dhcp + "-next")
          for dhcp in ("dnsmasq", "isc", "kea", "udhcpd")]

