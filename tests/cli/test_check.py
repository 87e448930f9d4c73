"""What `pxed check` finds beyond the text of the configuration."""
import json
import os
import struct
import unittest

from site_dir import Site

X64, IA32 = 0x8664, 0x14c


def efi(machine=X64, signed=True):
    """The headers of an EFI application, which is all that is looked at."""
    plus = machine != IA32
    dos = b"MZ" + bytes(58) + struct.pack("<I", 64)
    optional = bytearray(240 if plus else 224)
    struct.pack_into("<H", optional, 0, 0x20b if plus else 0x10b)
    struct.pack_into("<H", optional, 68, 10)
    struct.pack_into("<I", optional, 108 if plus else 92, 16)
    coff = struct.pack("<HHIIIHH", machine, 0, 0, 0, 0, len(optional), 2)
    if signed:
        struct.pack_into("<II", optional, (112 if plus else 96) + 32, 512, 8)
    return (dos + b"PE\0\0" + coff + bytes(optional)).ljust(520, b"\0")


class Strict(Site):
    def test_warnings_are_faults_when_strict(self):
        self.configure(hosts=[{"mac": "52:*"}, {"mac": "52:54:*"}])
        self.assertIn("warning: hosts[1].mac: is never reached", self.check().stderr)
        said = self.check("--strict", code=1)
        self.assertIn("hosts[1].mac: is never reached", said.stderr)
        self.assertNotIn("warning", said.stderr)
        self.assertIn("1 fault, 0 warnings", said.stdout)
        told = json.loads(self.check("--strict", "--json", code=1).stdout)
        self.assertEqual((told["good"], told["faults"][0]["severity"]), (False, "error"))

    def test_a_good_file_is_good_when_strict(self):
        self.check("--strict")


class Shim(Site):
    def setUp(self):
        super().setUp()
        self.configure(profiles={"default": {"x64-uefi": "x64/shimx64.efi"}})
        self.write("root/x64/shimx64.efi", efi())

    def test_a_whole_chain_is_good(self):
        self.write("root/x64/grubx64.efi", efi())
        self.check("--strict")

    def test_a_second_stage_that_is_missing(self):
        self.write("root/grubx64.efi", efi())
        self.assertIn('profiles.default.x64-uefi: this shim loads "x64/grubx64.efi" next, which '
                      "does not exist", self.check().stderr)

    def test_a_second_stage_of_another_machine(self):
        self.write("root/x64/grubx64.efi", efi(IA32))
        self.assertIn('next, which is an EFI application for x86', self.check().stderr)

    def test_a_second_stage_without_a_signature(self):
        self.write("root/x64/grubx64.efi", efi(signed=False))
        self.assertIn("is not signed", self.check().stderr)
        self.write("root/x64/shimx64.efi", efi(signed=False))
        self.check("--strict")

    def test_names_of_shims(self):
        for name, arch, code, grub in (
                ("shimia32.efi", "x86-uefi", IA32, "grubia32.efi"),
                ("shimaa64.efi.signed", "arm64-uefi", 0xaa64, "grubaa64.efi"),
                ("a\\\\SHIMRISCV64.EFI", "riscv64-uefi", 0x5064, "a/grubriscv64.efi")):
            self.write("root/" + name.replace("\\\\", "/"), efi(code))
            self.configure(profiles={"default": {arch: name.replace("\\\\", "\\")}})
            self.assertIn(f'this shim loads "{grub}" next', self.check().stderr)
        self.write("root/shimmer.efi", efi())
        self.configure(profiles={"default": {"x64-uefi": "shimmer.efi"}})
        self.check("--strict")


@unittest.skipUnless(os.geteuid() == 0, "only root can look with another user's eyes")
class ServiceUser(Site):
    def setUp(self):
        super().setUp()
        self.configure(user="nobody")

    def test_all_can_be_read(self):
        self.check("--strict")

    def test_a_boot_file_that_only_root_can_read(self):
        os.chmod(self.dir / "root/boot.ipxe", 0o600)
        said = self.check(code=1).stderr
        self.assertIn('profiles.default.ipxe: user "nobody", whom pxed becomes, may not read '
                      '"boot.ipxe" beneath', said)
        self.assertNotIn("rescue.ipxe", said)

    def test_a_directory_on_the_way_that_is_closed(self):
        os.chmod(self.dir / "root", 0o700)
        said = self.check(code=1).stderr
        self.assertIn("warning: tftp.root: user", said)
        self.assertIn('may not read "rescue.ipxe"', said)

    def test_a_configuration_that_only_root_can_read(self):
        self.write("hosts.d/a.json", "[]")
        os.chmod(self.hosts / "a.json", 0o600)
        os.chmod(self.config, 0o600)
        said = self.check().stderr
        self.assertIn("pxed.json: warning: user", said)
        self.assertIn("hosts.d/a.json: warning: user", said)


if __name__ == "__main__":
    unittest.main()
