"""`pxed init`: boot roots from packages; here from trees that are made to look like them."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from site_dir import PXED
from test_check import efi

TOP = pathlib.Path(__file__).resolve().parents[2]
BIOS = b"\xea" + bytes(99)
IPXE = {"usr/lib/ipxe/undionly.kpxe": BIOS, "usr/lib/ipxe/snponly.efi": efi(signed=False),
        "boot/ipxe.efi": efi(signed=False)}
GRUB = {"usr/lib/grub/x86_64-efi/%s" % name: name.encode()
        for name in ("kernel.img", "normal.mod", "tftp.mod", "efinet.mod", "odd.mod", "fs.lst")}
SHIM = {"usr/lib/shim/shimx64.efi.signed": efi(),
        "usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed": efi()}

# Stands for grub-mkimage: the image is its arguments, behind the head of an EFI application.
MKIMAGE = """#!/bin/sh
while [ $# -gt 0 ]; do
    [ "$1" != -o ] || out=$2
    echo "$1" >>"$0.said"
    shift
done
cat "$(dirname "$0")/head" >"$out"
"""


class Init(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="pxed-init-"))
        self.addCleanup(shutil.rmtree, self.dir)
        self.dir.chmod(0o755)
        self.bin = self.dir / "bin"
        self.bin.mkdir()
        self.site, self.root = self.dir / "site", self.dir / "site/root"
        self.config = self.site / "pxed.json"

    def packages(self, *sets):
        for files in sets:
            for name, octets in files.items():
                path = self.dir / "packages" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(octets)

    def program(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def grub(self):
        self.packages(GRUB)
        (self.bin / "head").write_bytes(efi(signed=False))
        self.program("grub-mkimage", MKIMAGE.replace("cat ", "/bin/cat ").replace(
            "$(dirname", "$(/usr/bin/dirname"))

    def pxed(self, *arguments, code=0):
        done = subprocess.run(
            [os.path.abspath(PXED), *map(str, arguments)], cwd=self.dir, text=True, timeout=60,
            capture_output=True, check=False, env={"PATH": "%s:/usr/bin:/bin" % self.bin
                                                   if arguments[0] == "check" else str(self.bin)})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def init(self, *arguments, code=0):
        return self.pxed("init", "site", "--interface", "eth0", "--address", "10.0.0.1",
                         "--from", "packages", *arguments, code=code)

    def told(self, *arguments, code=0):
        return json.loads(self.init("--json", *arguments, code=code).stdout)

    def chains(self, *arguments):
        return {row["architecture"]: row["file"] for row in self.told(*arguments)["boots"]}


class Makes(Init):
    def test_a_root_and_a_configuration_that_is_clean(self):
        self.packages(IPXE)
        said = self.init()
        self.assertRegex(said.stdout, r"x86-bios +undionly\.kpxe +iPXE")
        self.assertRegex(said.stdout,
                         r"arm64-uefi +nothing; a package for it: grub-efi-arm64-bin")
        self.assertRegex(said.stdout, r"grub-efi-amd64-signed +x64/grubx64\.efi")
        self.assertRegex(said.stdout, r"mtools +the program mcopy")
        self.assertIn("boot root: ", said.stdout)
        self.pxed("check", "--strict", "-c", self.config)
        self.assertEqual((self.root / "undionly.kpxe").read_bytes(), BIOS)
        self.assertEqual((self.root / "undionly.kpxe").stat().st_mode & 0o777, 0o644)
        self.assertTrue((self.root / "boot.ipxe").read_text().startswith("#!ipxe\n"))
        self.assertEqual([name for name in os.listdir(self.root) if name[0] == "."],
                         [".pxed-init.json"])

    def test_what_others_may_read_whatever_the_umask(self):
        self.packages(IPXE)
        self.addCleanup(os.umask, os.umask(0o077))
        self.init()
        self.assertEqual([(path.stat().st_mode & 0o777) for path in (
            self.site, self.root, self.root / "x64", self.root / "x64/ipxe.efi", self.config)],
                         [0o755, 0o755, 0o755, 0o644, 0o644])

    def test_the_interface_and_the_address_that_were_said(self):
        self.packages(IPXE)
        told = self.told()
        self.assertEqual((told["interface"], told["address"]), ("eth0", "10.0.0.1"))
        self.assertIn('[{ "name": "eth0", "address": "10.0.0.1" }]', self.config.read_text())

    def test_a_second_run_changes_nothing(self):
        self.packages(IPXE)
        first = self.told()
        second = self.told()
        self.assertEqual((second["made"], second["same"]), (0, first["made"]))
        self.assertEqual(second["kept"], [])

    def test_the_loader_that_is_preferred(self):
        self.packages(IPXE, SHIM)
        self.assertEqual(self.chains()["x64-uefi"], "x64/snponly.efi")
        self.assertEqual(self.chains("--loader", "shim", "--force")["x64-uefi"],
                         "x64/shimx64.efi")

    def test_grub_with_our_address_and_the_modules_that_are_there(self):
        self.grub()
        self.assertEqual(self.chains()["x64-uefi"], "x64/grub.efi")
        said = (self.bin / "grub-mkimage.said").read_text().split("\n")
        self.assertIn("(tftp,10.0.0.1)/grub", said)
        self.assertEqual(said[said.index("-O") + 1], "x86_64-efi")
        self.assertEqual([w for w in said if w in ("normal", "efinet", "http", "odd")],
                         ["normal", "efinet"])
        self.assertTrue((self.root / "grub/x86_64-efi/odd.mod").exists())
        self.assertFalse((self.root / "grub/x86_64-efi/kernel.img").exists())
        self.assertIn("set root=(tftp,10.0.0.1)", (self.root / "grub/grub.cfg").read_text())
        self.pxed("check", "--strict", "-c", self.config)

    def test_without_the_program_the_package_that_has_it(self):
        self.packages(IPXE, GRUB)
        self.assertRegex(self.init().stdout, r"grub-common +the program grub-mkimage")
        self.assertFalse((self.root / "x64/grub.efi").exists())


class Keeps(Init):
    def setUp(self):
        super().setUp()
        self.packages(IPXE)

    def test_what_was_there_before(self):
        self.root.mkdir(parents=True)
        (self.root / "boot.ipxe").write_text("#!ipxe\n# mine\n")
        self.config.write_text('{"interfaces": ["eth1"], "tftp": {"root": "root"}, "profiles": '
                               '{"default": {"ipxe": "boot.ipxe"}}}')
        before = self.config.read_text()
        said = self.init()
        self.assertIn("boot.ipxe\n", said.stdout[said.stdout.index("left alone"):])
        self.assertIn(str(self.config), said.stdout[said.stdout.index("left alone"):])
        self.assertEqual((self.root / "boot.ipxe").read_text(), "#!ipxe\n# mine\n")
        self.assertEqual(self.config.read_text(), before)

    def test_not_the_configuration_that_came_with_pxed(self):
        shipped = (TOP / "packaging/default/pxed.json").read_text()
        self.site.mkdir()
        self.config.write_text(shipped)
        self.assertEqual(self.told()["kept"], [])
        self.assertIn('"eth0"', self.config.read_text())
        self.config.write_text(shipped + " ")
        self.assertEqual(self.told(code=1)["kept"], [str(self.config)])  # its root is not there

    def test_what_was_changed_since_but_not_with_force(self):
        self.init()
        made = (self.root / "boot.ipxe").read_text()
        (self.root / "boot.ipxe").write_text("#!ipxe\n# changed\n")
        self.assertEqual(self.told()["kept"], ["boot.ipxe"])
        self.assertEqual((self.root / "boot.ipxe").read_text(), "#!ipxe\n# changed\n")
        told = self.told("--force")
        self.assertEqual((told["kept"], told["made"]), ([], 1))
        self.assertEqual((self.root / "boot.ipxe").read_text(), made)

    def test_but_takes_what_packages_have_now(self):
        self.init()
        self.packages({"usr/lib/ipxe/undionly.kpxe": BIOS + b"new"})
        told = self.told()
        self.assertEqual((told["kept"], told["made"]), ([], 1))
        self.assertEqual((self.root / "undionly.kpxe").read_bytes(), BIOS + b"new")

    def test_a_directory_in_the_way_even_with_force(self):
        (self.root / "undionly.kpxe/mine").mkdir(parents=True)
        self.assertEqual(self.told("--force", code=1)["kept"], ["undionly.kpxe"])
        self.assertTrue((self.root / "undionly.kpxe/mine").is_dir())

    def test_a_link_and_in_every_case_what_it_leads_to(self):
        self.root.mkdir(parents=True)
        (self.dir / "elsewhere").write_text("mine")
        (self.root / "undionly.kpxe").symlink_to(self.dir / "elsewhere")
        self.assertEqual(self.told(code=1)["kept"], ["undionly.kpxe"])
        self.assertTrue((self.root / "undionly.kpxe").is_symlink())
        self.assertEqual(self.told("--force")["kept"], [])
        self.assertEqual((self.root / "undionly.kpxe").read_bytes(), BIOS)
        self.assertEqual((self.dir / "elsewhere").read_text(), "mine")

    def test_a_directory_that_is_a_link_within_the_root(self):
        (self.root / "real/deep").mkdir(parents=True)
        (self.root / "grub").symlink_to("real/deep")
        self.grub()
        self.told()
        self.assertTrue((self.root / "grub").is_symlink())
        self.assertTrue((self.root / "real/deep/x86_64-efi/normal.mod").is_file())

    def test_nothing_where_a_link_leads_out_of_the_root(self):
        """Whoever may write there would have root write anywhere."""
        self.grub()
        outside = self.dir / "outside"
        outside.mkdir()
        for target in (outside, "../../outside"):
            self.root.mkdir(parents=True, exist_ok=True)
            (self.root / "grub").symlink_to(target)
            for more in ((), ("--force",)):
                said = self.init(*more, code=1).stderr
                self.assertIn("a link on the way leads out of the boot root", said)
            self.assertEqual(list(outside.iterdir()), [])
            (self.root / "grub").unlink()

    def test_a_list_of_its_files_that_is_none(self):
        self.root.mkdir(parents=True)
        for put in (lambda at: os.mkfifo(at), lambda at: at.write_bytes(b"[" * 100000),
                    lambda at: at.symlink_to("/dev/zero"), lambda at: at.write_bytes(b"\xff\0")):
            listed = self.root / ".pxed-init.json"
            listed.unlink(missing_ok=True)
            put(listed)
            self.told()
            self.assertIn("undionly.kpxe", json.loads(listed.read_text()))


class Fails(Init):
    def test_without_any_loader(self):
        (self.dir / "packages").mkdir()
        self.assertIn("no boot loader found", self.init(code=1).stderr)
        self.assertFalse(self.site.exists())

    def test_when_a_program_does_and_places_nothing(self):
        self.packages(IPXE, GRUB)
        self.program("grub-mkimage", "#!/bin/sh\necho 'no such thing' >&2\nexit 1\n")
        said = self.init(code=1)
        self.assertIn("pxed init: grub-mkimage failed: no such thing", said.stderr)
        self.assertFalse((self.root / "undionly.kpxe").exists())
        self.assertEqual(os.listdir(self.root), [])

    def test_what_an_ended_run_left_is_taken_away(self):
        self.packages(IPXE)
        (self.root / ".pxed-init-abcdef/x64").mkdir(parents=True)
        (self.root / ".pxed-init-abcdef/x64/file").write_text("half")
        self.init()
        self.assertFalse((self.root / ".pxed-init-abcdef").exists())

    def test_where_nothing_can_be_written(self):
        self.packages(IPXE)
        self.site.write_text("no directory")
        self.assertIn("site/root cannot be opened", self.init(code=1).stderr.replace(
            "cannot be made", "cannot be opened"))

    def test_wrong_usage(self):
        for arguments in (("--address", "10.0.0"), ("--address", "0.0.0.0"), ("--loader", "lilo"),
                          ("--interface", 'a"b'), ("one", "two"), ("--nonsense",)):
            self.pxed("init", *arguments, code=2)

    def test_an_interface_without_an_address(self):
        said = self.pxed("init", "site", "--interface", "no-such-if", code=2)
        self.assertIn("no-such-if has no IPv4 address here: say which with --address", said.stderr)


@unittest.skipUnless(os.path.exists("/usr/lib/ipxe/undionly.kpxe"), "ipxe is not installed")
class Real(Init):
    """With the packages of this machine."""

    def test_is_clean(self):
        done = subprocess.run(
            [os.path.abspath(PXED), "init", "site", "-i", "eth0", "-a", "10.0.0.1", "--json"],
            cwd=self.dir, text=True, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.pxed("check", "--strict", "-c", self.config)
        there = {row["file"]: row["there"] for row in json.loads(done.stdout)["parts"]}
        for name, is_there in there.items():
            self.assertEqual((self.root / name).exists(), is_there, name)

    def test_the_same_files_twice(self):
        """Images, too: what differs from run to run would look as if it had been changed."""
        for expected in ("made", "same"):
            done = subprocess.run(
                [os.path.abspath(PXED), "init", "site", "-i", "eth0", "-a", "10.0.0.1", "--json"],
                cwd=self.dir, text=True, capture_output=True, timeout=120, check=False)
            told = json.loads(done.stdout)
            self.assertGreater(told[expected], 0)
        self.assertEqual((told["made"], told["kept"]), (0, []))


if __name__ == "__main__":
    unittest.main()
