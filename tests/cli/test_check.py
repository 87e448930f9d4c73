"""What `pxed check` finds beyond the text of the configuration."""
import json
import os
import socket
import struct
import unittest

from site_dir import BASE, PXED, Site

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


def grub(prefix, machine=X64):
    """An EFI application whose section "mods" is that of a GRUB with this prefix."""
    text = prefix.encode() + b"\0"
    listed = struct.pack("<II", 3, 8 + len(text)) + text
    mods = struct.pack("<IIQQ", 0x676d696d, 0, 24, 24 + len(listed)) + listed
    image = bytearray(efi(machine))
    struct.pack_into("<H", image, 64 + 6, 1)                       # one section
    section = 64 + 24 + struct.unpack_from("<H", image, 64 + 20)[0]
    struct.pack_into("<8sIIII", image, section, b"mods", 0, 0, len(mods), 1024)
    return bytes(image).ljust(1024, b"\0") + mods


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


class Hosts(Site):
    """Boot files that hosts name over their profiles."""

    def test_they_are_opened_at_the_place_where_they_stand(self):
        menu = {"items": [{"name": "a", "file": "gone.efi"}, {"name": "d", "action": "local"}]}
        self.configure(hosts=[{"mac": "52:54:00:00:00:01"},
                              {"name": "h", "mac": "52:54:00:00:00:02", "ipxe": "boot.ipx", "menu": menu},
                              {"mac": "52:54:00:00:00:03", "7": "e.efi", "next_server": "10.0.0.9"}])
        self.write("hosts.d/a.json", '{"mac": "52:54:00:00:00:04",\n "x64-uefi": "no.efi"}')
        self.write("hosts.d/b.json", '[{"mac": "52:54:00:00:00:05"},\n {"mac": "52:54:00:00:00:06",\n'
                                     ' "x64-uefi": "bios.efi"}]')
        self.write("root/bios.efi", efi(IA32))
        told = json.loads(self.check("--json", code=1).stdout)
        self.assertEqual(
            [(os.path.basename(f["file"]), f["line"], f["path"], f["message"].split(" beneath")[0].split(", not")[0])
             for f in told["faults"]],
            [("pxed.json", 24, "hosts[1].ipxe", '"boot.ipx" does not exist'),
             ("pxed.json", 29, "hosts[1].menu.items[0].file", '"gone.efi" does not exist'),
             ("a.json", 2, "x64-uefi", '"no.efi" does not exist'),
             ("b.json", 3, "[1].x64-uefi", '"bios.efi" is an EFI application for x86')])
        own = [(f["host"], f["architecture"], f["item"], f["exists"]) for f in told["boot_files"] if f["host"]]
        self.assertEqual(own, [("h", "ipxe", None, False), ("h", None, "a", False),
                               ("on line 38", "x64-uefi", None, None),
                               ("on line 1", "x64-uefi", None, False),
                               ("on line 2", "x64-uefi", None, True)])
        self.assertIn("host h, ipxe", self.check(code=1).stdout)

    def test_explain_names_the_line_of_the_host(self):
        self.write("hosts.d/a.json", '{"mac": "52:54:00:00:00:04",\n "x64-uefi": "h.efi"}')
        self.write("root/h.efi", efi())
        self.check("--strict")
        told = json.loads(self.run_pxed("explain", "-c", self.config, "--mac", "52:54:00:00:00:04",
                                        "--arch", "7", "--json").stdout)["requests"][0]
        self.assertEqual(told["file"], "h.efi")
        rule = told["rules"][2]
        self.assertEqual((os.path.basename(rule["file"]), rule["line"], rule["rule"], rule["text"]),
                         ("a.json", 2, "arch", '"x64-uefi" of this host'))


class Boots(Site):
    """What "boot" names."""

    def told(self, boot, code=1, **keys):
        self.configure(profiles={"default": {"ipxe": "boot.ipxe", "boot": boot}}, **keys)
        return self.check(code=code).stderr

    def setUp(self):
        super().setUp()
        self.write("root/deb/linux", (b"MZ".ljust(0x202, b"\0") + b"HdrS").ljust(600, b"\0"))
        self.write("root/deb/linux.efi", efi())
        self.write("root/deb/initrd", "0707")

    def test_what_is_there_is_good(self):
        for kernel in ("deb/linux", "/deb/linux.efi"):
            self.assertEqual(self.told({"kernel": kernel, "initrd": "deb/initrd"}, 0), "")

    def test_what_is_missing_has_its_place(self):
        told = self.told({"kernel": "deb/linus", "initrd": ["deb/initrd", "nothing"]})
        self.assertIn(':12:19: profiles.default.boot.kernel: "deb/linus" does not exist', told)
        self.assertIn('did you mean "linux"?', told)
        self.assertIn('profiles.default.boot.initrd: "nothing" does not exist', told)

    def test_what_is_no_kernel(self):
        self.assertIn('"deb/initrd" is no kernel: neither a bzImage nor an EFI program (it looks '
                      "like: text file)", self.told({"kernel": "deb/initrd"}))
        self.write("root/deb/empty", "")
        self.assertIn('boot.initrd: "deb/empty" is empty',
                      self.told({"kernel": "deb/linux", "initrd": "deb/empty"}))

    def test_variables_that_nobody_sets(self):
        told = self.told({"kernel": "${vars.k}/x", "args": "a=${hots} ${vars.r:-}"})
        self.assertIn('boot.kernel: no host or profile has "k" among its "vars"', told)
        self.assertIn("boot.args: unknown variable ${hots}; did you mean ${host}?", told)
        self.write("hosts.d/a.json", json.dumps(
            {"name": "pc", "mac": "52:54:00:00:00:01", "boot": {"kernel": "${vars.k}/linux"}}))
        self.write("hosts.d/b.json", json.dumps(
            {"mac": "52:54:00:00:00:02", "vars": {"k": "x"}}))
        self.assertIn('hosts.d/a.json:1:63: hosts.pc.boot.kernel: no host or profile has "k"',
                      self.told({"kernel": "deb/linux"}))

    def test_explain_tells_it(self):
        self.told({"kernel": "deb/linux", "initrd": "deb/initrd"}, 0)
        told = self.run_pxed("explain", "-c", self.config, "--mac", "52:54:00:00:00:01",
                             "--ipxe").stdout
        self.assertIn("its loader is told to boot deb/linux with initrd deb/initrd", told)


class Shim(Site):
    def setUp(self):
        super().setUp()
        self.configure(profiles={"default": {"x64-uefi": "x64/shimx64.efi"}})
        self.write("root/x64/shimx64.efi", efi())

    def test_a_whole_chain_is_good(self):
        self.write("root/x64/grubx64.efi", efi())
        self.check("--strict")

    def test_a_grub_that_stops_behind_a_proxy(self):
        self.write("root/x64/grubx64.efi", grub("/grub"))
        self.assertIn("profiles.default.x64-uefi: leads to a GRUB that learns no server",
                      self.check("--strict", code=1).stderr)
        self.assertIn("but\n", self.explain())
        self.assertIn("leads to a GRUB that learns no server", self.explain())

    def test_but_not_with_the_dhcp_servers_help(self):
        self.write("root/x64/grubx64.efi", grub("/grub"))
        self.configure(profiles={"default": {"x64-uefi": "x64/shimx64.efi"}},
                       dhcp={"next_server_is_us": True})
        self.check("--strict")
        self.assertNotIn("GRUB", self.explain())

    def test_nor_with_a_server_built_in(self):
        self.write("root/x64/grubx64.efi", grub("(tftp,10.0.0.1)/grub"))
        self.check("--strict")

    def test_a_grub_without_shim(self):
        self.configure(profiles={"default": {"x64-uefi": "grubnetx64.efi"}})
        self.write("root/grubnetx64.efi", grub("/grub"))
        self.assertIn("leads to a GRUB that learns no server", self.check().stderr)

    def test_a_shim_by_http(self):
        self.write("root/x64/grubx64.efi", grub("/grub"))
        self.configure(profiles={"default": {"x64-uefi-http": "x64/shimx64.efi"}},
                       http={"listen": ":8069", "boot_files": True})
        self.assertIn("cannot read by HTTP and stops at its prompt", self.check().stderr)

    def explain(self):
        return self.run_pxed("explain", "-c", self.config, "--mac", "52:54:00:00:00:01",
                             "--arch", "x64-uefi").stdout

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


class NoFile(Site):
    """What stands where a file should, and neither hangs anything nor fills memory."""

    MAKE = {
        "a pipe nobody writes to": (os.mkfifo, "nobody writes to this pipe"),
        "a directory": (os.mkdir, "it is a directory"),
        "a device": (lambda path: os.symlink("/dev/zero", path), "it is a device"),
        "a socket": (lambda path: bind(path), "No such device"),
        "a link to itself": (lambda path: os.symlink(path, path), "Too many levels"),
        "a huge file": (lambda path: huge(path), "it is too large"),
    }

    def test_as_configuration(self):
        for what, (make, said) in self.MAKE.items():
            path = self.dir / ("as " + what + ".json")
            make(path)
            for command in ("check", "run", "explain"):
                more = ("--mac", "52:54:00:00:00:01") if command == "explain" else ()
                done = self.run_words((os.path.abspath(PXED), command, "-c", str(path), *more))
                self.assertNotEqual(done.returncode, 0, what)
                self.assertIn(said, done.stderr, (what, command))

    def test_as_recording(self):
        for what, (make, said) in self.MAKE.items():
            if what != "a huge file":  # is read piece by piece
                path = self.dir / ("as " + what + ".pcap")
                make(path)
                done = self.run_pxed("explain", "-c", self.config, "--pcap", path, code=1)
                self.assertIn(said, done.stderr, what)

    def test_as_host_file(self):
        for what, (make, _) in self.MAKE.items():
            path = self.hosts / "it.json"
            make(path)
            self.assertRegex(self.check(code=1).stderr, "it.json: (error: )?cannot be read: ", what)
            os.rmdir(path) if what == "a directory" else os.remove(path)

    def test_as_template_and_boot_file(self):
        self.configure(files={"a.cfg": {"template": "it"}},
                       profiles={"default": {"ipxe": "it"}, "rescue": {"ipxe": "rescue.ipxe"}})
        for what, (make, _) in self.MAKE.items():
            for path in (self.dir / "it", self.dir / "root/it"):
                make(path)
            said = self.check(code=1).stderr
            self.assertRegex(said, "cannot read it: |it has more than 64 KiB", what)
            if what != "a huge file":
                self.assertIn("profiles.default.ipxe", said, what)
            for path in (self.dir / "it", self.dir / "root/it"):
                os.rmdir(path) if what == "a directory" else os.remove(path)

    def test_a_pipe_somebody_writes_to(self):
        """`pxed check -c <(...)`, in portions."""
        words = ["sh", "-c", "(cat %s; sleep 0.3; echo ' ') | %s check -c /dev/stdin" % (
            self.dir / "part.json", os.path.abspath(PXED))]
        self.write("part.json", json.dumps({**BASE, "tftp": {"root": str(self.dir / "root")},
                                            "host_files": str(self.hosts)}))
        done = self.run_words(words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def bind(path):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))


def huge(path):
    with open(path, "wb") as file:
        file.truncate(1 << 40)


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

    def test_a_template_that_only_root_can_read(self):
        """Else root would read it at the start, and everybody would be served it."""
        secret = self.write("closed/secret", "for root alone\n")
        self.configure(user="nobody", files={"s.txt": {"template": "it"}})
        said = 'files.s.txt.template: user "nobody", whom pxed becomes, may not read it'
        (self.dir / "it").symlink_to(secret)
        self.check()
        for path, mode in ((secret, 0o600), (secret.parent, 0o700)):
            before = path.stat().st_mode
            path.chmod(mode)
            self.assertIn(said, self.check(code=1).stderr)
            self.assertIn(said, self.run_pxed("run", "-c", self.config, code=1).stderr)
            path.chmod(before)

    def test_a_configuration_that_only_root_can_read(self):
        self.write("hosts.d/a.json", "[]")
        os.chmod(self.hosts / "a.json", 0o600)
        os.chmod(self.config, 0o600)
        said = self.check().stderr
        self.assertIn("pxed.json: warning: user", said)
        self.assertIn("hosts.d/a.json: warning: user", said)


if __name__ == "__main__":
    unittest.main()
