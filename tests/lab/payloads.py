"""The boot files of the lab, made by hand: no compiler is needed, for any architecture.

A probe prints one line on the machine's console and switches it off.  The code is short
enough to stand here as bytes, each line with its assembly beside it.
"""
import os
import shutil
import struct
import subprocess

MARKER = "PXED-OK"
SERVER = "10.77.0.2"    # where pxed is, for what must have it built in
GRUB = "/usr/lib/grub/x86_64-efi/hashsum.mod"
KERNEL = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                       "../../build/lab/vmlinuz"))

# Loaders from Debian packages: name under the TFTP root -> where the package puts it.
PACKAGED = {
    "pxelinux.0": "/usr/lib/PXELINUX/pxelinux.0",
    "ldlinux.c32": "/usr/lib/syslinux/modules/bios/ldlinux.c32",
    "syslinux.efi": "/usr/lib/SYSLINUX.EFI/efi64/syslinux.efi",
    "ldlinux.e64": "/usr/lib/syslinux/modules/efi64/ldlinux.e64",
    "snponly.efi": "/usr/lib/ipxe/snponly.efi",
    "shimx64.efi": "/usr/lib/shim/shimx64.efi.signed",
    "grubx64.efi": "/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed",
}

TEXTS = {
    "ok.ipxe": "#!ipxe\necho %s ipxe script\nsleep 2\nexit\n" % MARKER,
    "big.ipxe": "#!ipxe\nimgfetch big.bin && echo %s ipxe script\nsleep 2\nexit\n" % MARKER,
    "pxelinux.cfg/default": "SERIAL 0 115200\nSAY %s pxelinux\nDEFAULT probe\nPROMPT 0\n"
                            "TIMEOUT 1\nLABEL probe\n  KERNEL probe.0\n" % MARKER,
}


def bios_probe(text):
    """A PXE boot program for BIOS: 16-bit code, loaded at 0000:7c00 and called."""
    code = bytes.fromhex(
        "0e 1f"        # push cs; pop ds
        "fc"           # cld
        "e8 00 00"     # call next
        "5e"           # next: pop si
        "83 c6 25"     # add si, text - next
        "ac"           # char: lodsb
        "84 c0"        # test al, al
        "74 12"        # jz off
        "88 c4"        # mov ah, al
        "ba fd 03"     # mov dx, 0x3fd     (COM1, line status)
        "ec"           # full: in al, dx
        "a8 20"        # test al, 0x20     (room for a character?)
        "74 fb"        # jz full
        "88 e0"        # mov al, ah
        "ba f8 03"     # mov dx, 0x3f8     (COM1)
        "ee"           # out dx, al
        "eb e9"        # jmp char
        "ba 04 06"     # off: mov dx, 0x604  (QEMU's ACPI power register)
        "b8 00 20"     # mov ax, 0x2000
        "ef"           # out dx, ax
        "f4"           # halt: hlt
        "eb fd")       # jmp halt
    return code + line(text).encode() + b"\0"


# The entry point of a UEFI program gets (image handle, system table).  Each of these calls
#     system->con_out->output_string(con_out, text)
#     system->runtime->reset_system(2 = switch off, 0, 0, NULL)
# with the text, in UTF-16, right behind the code.
EFI_X64 = bytes.fromhex(
    "48 83 ec 28"           # sub rsp, 40          room for the callee, stack aligned to 16
    "48 89 d3"              # mov rbx, rdx         the system table
    "48 8b 4b 40"           # mov rcx, [rbx+64]    con_out
    "48 8d 15 1a 00 00 00"  # lea rdx, [rip+26]    the text
    "ff 51 08"              # call [rcx+8]         output_string
    "48 8b 43 58"           # mov rax, [rbx+88]    runtime services
    "6a 02 59"              # push 2; pop rcx
    "31 d2"                 # xor edx, edx
    "45 31 c0"              # xor r8d, r8d
    "45 31 c9"              # xor r9d, r9d
    "ff 50 68"              # call [rax+104]       reset_system
    "eb fe"                 # jmp here
    "90 90 90")             # nop
EFI_IA32 = bytes.fromhex(
    "8b 5c 24 08"           # mov ebx, [esp+8]     the system table
    "e8 00 00 00 00"        # call next
    "58"                    # next: pop eax
    "83 c0 1f"              # add eax, 31          the text
    "50"                    # push eax
    "8b 4b 2c"              # mov ecx, [ebx+44]    con_out
    "51"                    # push ecx
    "ff 51 04"              # call [ecx+4]         output_string
    "8b 43 38"              # mov eax, [ebx+56]    runtime services
    "6a 00 6a 00 6a 00"     # push 0; push 0; push 0
    "6a 02"                 # push 2
    "ff 50 40"              # call [eax+64]        reset_system
    "eb fe"                 # jmp here
    "90 90 90")             # nop
EFI_AA64 = struct.pack(
    "<14I",
    0xaa0103f3,             # mov x19, x1          the system table
    0xf9402260,             # ldr x0, [x19, #64]   con_out
    0x10000181,             # adr x1, .+48         the text
    0xf9400408,             # ldr x8, [x0, #8]     output_string
    0xd63f0100,             # blr x8
    0xf9402e68,             # ldr x8, [x19, #88]   runtime services
    0xf9403508,             # ldr x8, [x8, #104]   reset_system
    0xd2800040,             # mov x0, #2
    0xd2800001,             # mov x1, #0
    0xd2800002,             # mov x2, #0
    0xd2800003,             # mov x3, #0
    0xd63f0100,             # blr x8
    0x14000000,             # b .
    0xd503201f)             # nop

# name of the architecture: (machine type in the PE header, code)
EFI = {"x64": (0x8664, EFI_X64), "ia32": (0x014c, EFI_IA32), "aa64": (0xaa64, EFI_AA64)}


def efi_probe(arch, text):
    """A UEFI program: the smallest PE image that firmware takes, with one section."""
    machine, code = EFI[arch]
    body = code + line(text).encode("utf-16-le") + b"\0\0"
    page, head = 4096, 512
    raw = -(-len(body) // head) * head
    wide = machine != 0x014c
    coff = struct.pack("<HHIIIHH", machine, 1, 0, 0, 0, 240 if wide else 224,
                       0x0022 if wide else 0x0102)         # executable; large address | 32 bit
    optional = struct.pack("<HBBIIIII", 0x20b if wide else 0x10b, 0, 0, raw, 0, 0, page, page)
    optional += struct.pack("<Q", 0) if wide else struct.pack("<II", 2 * page, 0)  # image base
    optional += struct.pack("<IIHHHHHHIIIIHH", page, head, 0, 0, 0, 0, 0, 0, 0, 2 * page, head, 0,
                            10, 0)                         # subsystem 10: EFI application
    optional += struct.pack("<4Q" if wide else "<4I", 0, 0, 0, 0)    # stack, heap: not for EFI
    optional += struct.pack("<II", 0, 16) + bytes(16 * 8)            # no data directories
    section = struct.pack("<8sIIIIIIHHI", b".text", len(body), page, raw, head, 0, 0, 0, 0,
                          0x60000020)                      # code, executable, readable
    dos = b"MZ" + bytes(58) + struct.pack("<I", 64)        # the PE header starts at 64
    image = dos + b"PE\0\0" + coff + optional + section
    return image.ljust(head, b"\0") + body.ljust(raw, b"\0")


# The first process of a Linux for x86-64:  write(1, text, length); reboot(..., POWER_OFF)
INIT = bytes.fromhex(
    "b8 01 00 00 00"        # mov eax, 1           write
    "bf 01 00 00 00"        # mov edi, 1           the console
    "48 8d 35 25 00 00 00"  # lea rsi, [rip+37]    the text
    "ba 00 00 00 00"        # mov edx, length      filled in below
    "0f 05"                 # syscall
    "b8 a9 00 00 00"        # mov eax, 169         reboot
    "bf ad de e1 fe"        # mov edi, 0xfee1dead
    "be 69 19 12 28"        # mov esi, 0x28121969
    "ba dc fe 21 43"        # mov edx, 0x4321fedc  switch off
    "0f 05"                 # syscall
    "eb fe"                 # jmp here
    "90 90 90 90 90 90")    # nop


def init_elf(text):
    """The smallest ELF program: one segment, at 4 MiB."""
    said = line(text).encode()
    code = INIT.replace(b"\xba\0\0\0\0", b"\xba" + struct.pack("<I", len(said))) + said
    base, head = 0x400000, 64 + 56
    elf = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, base + head, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    size = head + len(code)
    return elf + struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, size, size, 4096) + code


def cpio(files):
    """An initrd: name -> (mode, content)."""
    out = b""
    for number, (name, (mode, data)) in enumerate([*files.items(), ("TRAILER!!!", (0, b""))], 1):
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        out += b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    return out


def line(text):
    """On a line of its own, whatever the firmware has left on the screen."""
    return "\r\n%s\r\n" % text


def probe_text(arch):
    """What the usual probe of an architecture ("bios", "x64", "ia32", "aa64") prints."""
    return "%s %s probe" % (MARKER, arch)


def grub_image(root, name, prefix, *early):
    """A GRUB that knows its server: the packaged one reads only the DHCP server's ACK."""
    config = os.path.join(root, "early.cfg")
    if not os.path.exists(GRUB):
        return
    with open(config, "w") as f:
        f.write("".join(early))
    subprocess.run(["grub-mkimage", "-O", "x86_64-efi", "-o", os.path.join(root, name),
                    "-p", "(tftp,%s)/%s" % (SERVER, prefix), *(["-c", config] if early else []),
                    "efinet", "tftp", "net", "echo", "normal", "configfile", "halt", "sleep",
                    "hashsum", "gcry_sha256", "linux", "boot"], check=True)
    os.unlink(config)


def build(root):
    """Fills the TFTP root.  What is not installed is left out."""
    def put(name, data, size=0):
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
            f.truncate(max(size, len(data)))       # zeros behind: a larger file that still runs

    put("probe.0", bios_probe(probe_text("bios")))
    put("probe-400k.0", bios_probe(probe_text("bios")), 400 << 10)
    put("own.0", bios_probe(MARKER + " own file"))
    for arch in EFI:
        put("probe%s.efi" % arch, efi_probe(arch, probe_text(arch)))
    put("probex64-8m.efi", efi_probe("x64", probe_text("x64")), 8 << 20)
    put("big.bin", b"big", 32 << 20)
    put("ownx64.efi", efi_probe("x64", MARKER + " own file"))
    for name, text in TEXTS.items():
        put(name, text.encode())
    grub_image(root, "grub-own.efi", "grub", "configfile (tftp,%s)/grub/grub.cfg\n" % SERVER)
    grub_image(root, "grub-search.efi", "search")
    init = (0o100755, init_elf(MARKER + " linux"))
    put("initrd", cpio({"init": init}))
    put("initrd-48m", cpio({"init": init, "ballast": (0o100644, bytes(48 << 20))}))
    if os.path.exists(KERNEL):
        shutil.copyfile(KERNEL, os.path.join(root, "vmlinuz"))
    put("grub/grub.cfg", ("sha256sum (tftp,%s)/probex64-8m.efi\necho %s grub\nsleep 1\nhalt\n" % (
        SERVER, MARKER)).encode())
    for name, source in PACKAGED.items():
        if os.path.exists(source):
            shutil.copyfile(source, os.path.join(root, name))
