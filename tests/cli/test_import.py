"""`pxed import dnsmasq`: what a dnsmasq configuration says of boots, said in ours."""
import json
import os
import random
import shutil
import subprocess
import unittest

from site_dir import PXED, Site

HEAD = "interface=eth0\nenable-tftp\ntftp-root=%s\ndhcp-range=10.0.5.0,proxy\n"
EFI = "dhcp-match=set:efi,option:client-arch,7\ndhcp-match=set:efi,option:client-arch,9\n"


FATAL = ("error",)


class Import(Site):
    def read(self, text, code=0, head=True):
        """(configuration, notes); dnsmasq itself and `pxed check` must take what is what."""
        self.write("dnsmasq.conf", (HEAD % (self.dir / "root") if head else "") + text)
        if shutil.which("dnsmasq"):
            done = subprocess.run(["dnsmasq", "--test", "-C", self.dir / "dnsmasq.conf"],
                                  capture_output=True, text=True, timeout=30, check=False)
            self.assertEqual(done.returncode, 0, "no dnsmasq configuration: " + done.stderr)
        said = self.run_pxed("import", "dnsmasq", self.dir / "dnsmasq.conf", code=code)
        self.write("imported.json", said.stdout)
        return json.loads(said.stdout), said.stderr

    def check_imported(self, severities=("error", "warning")):
        """The faults that are not of missing boot files."""
        done = subprocess.run([os.path.abspath(PXED), "check", "--json", "-c", self.dir / "imported.json"],
                              capture_output=True, text=True, timeout=60, check=False)
        return [fault["message"] for fault in json.loads(done.stdout)["faults"]
                if "does not exist" not in fault["message"] and fault["severity"] in severities]

    def profiles(self, text, code=0):
        config, _ = self.read(text, code)
        self.assertEqual(self.check_imported(), [])
        return config["profiles"]

    def test_a_file_for_each_architecture_and_a_script_for_ipxe(self):
        made = self.profiles(EFI + "dhcp-match=set:ipxe,175\n"
                             "dhcp-vendorclass=set:arm,PXEClient:Arch:00011\n"
                             "dhcp-boot=tag:!ipxe,undionly.kpxe\n"
                             "dhcp-boot=tag:efi,tag:!ipxe,/x64/ipxe.efi\n"
                             "dhcp-boot=tag:arm,arm.efi\ndhcp-boot=tag:ipxe,http://10.0.0.1/a.ipxe\n")
        self.assertEqual(made["default"], {
            "x86-bios": "undionly.kpxe", "x64-uefi": "x64/ipxe.efi", "arm64-uefi": "arm.efi",
            "ipxe": "http://10.0.0.1/a.ipxe"})

    def test_scripts_that_differ_by_architecture(self):
        config, _ = self.read(EFI + "dhcp-userclass=set:ipxe,iPXE\n"
                              "dhcp-match=set:bios,option:client-arch,0\n"
                              "dhcp-boot=tag:ipxe,tag:bios,bios.ipxe\n"
                              "dhcp-boot=tag:ipxe,tag:efi,efi.ipxe\n")
        self.assertEqual(self.check_imported(), [])
        self.assertEqual(config["profiles"]["default"]["ipxe"], "bios.ipxe")
        self.assertEqual(config["profiles"]["ipxe-x64-uefi"],
                         {"extends": "default", "ipxe": "efi.ipxe"})
        self.assertIn({"arch": "x64-uefi", "profile": "ipxe-x64-uefi"}, config["hosts"])

    def test_machines_of_a_tag_get_a_profile(self):
        config, notes = self.read(
            EFI + "dhcp-mac=set:lab,52:54:00:*:*:*\ndhcp-host=52:54:01:00:00:01,set:lab,node7\n"
            "dhcp-boot=undionly.kpxe\ndhcp-boot=tag:lab,tag:efi,lab.efi,,10.0.5.9\n")
        self.assertEqual(self.check_imported(), [])
        self.assertEqual(config["profiles"]["lab"], {
            "extends": "default", "x64-uefi": "lab.efi", "next_server": "10.0.5.9"})
        self.assertEqual(config["hosts"], [
            {"mac": "52:54:00:*", "profile": "lab"},
            {"mac": "52:54:01:00:00:01", "profile": "lab", "name": "node7"}])
        self.assertIn("dnsmasq.conf:10: note: clients load from 10.0.5.9", notes)

    def test_one_machine_has_one_host(self):
        """However it is written, and without looking through all others for each line."""
        many = "".join("dhcp-host=52:54:02:%02x:%02x:%02x,set:lab\n" % (i >> 16, i >> 8 & 255, i & 255)
                       for i in range(20000))
        config, _ = self.read(EFI + "dhcp-host=52:54:01:00:0a:01,node7\n" + many +
                              "dhcp-host=52:54:01:00:0A:01,set:lab\ndhcp-boot=tag:lab,tag:efi,lab.efi\n")
        self.assertEqual(len(config["hosts"]), 20001)
        self.assertIn({"mac": "52:54:01:00:0A:01", "name": "node7", "profile": "lab"}, config["hosts"])

    def test_an_architecture_that_is_none(self):
        config, _ = self.read("dhcp-vendorclass=set:odd,PXEClient:Arch:65543\ndhcp-boot=tag:odd,odd.efi\n")
        self.assertEqual(config["hosts"], [{"vendor_class": "PXEClient:Arch:65543", "profile": "odd"}])

    def test_known_machines_only(self):
        config, _ = self.read("dhcp-host=52:54:01:00:00:01,kiosk,ignore\n"
                              "dhcp-host=52:54:01:00:00:02,10.0.5.7,desk,12h\n"
                              "dhcp-ignore=tag:!known\ndhcp-boot=undionly.kpxe\n")
        self.assertEqual(self.check_imported(), [])
        self.assertEqual(config["hosts"], [
            {"mac": "52:54:01:00:00:01", "name": "kiosk", "action": "ignore"},
            {"mac": "52:54:01:00:00:02", "name": "desk"}])
        self.assertEqual(config["unknown_hosts"], {"action": "ignore"})

    def test_one_service_for_an_architecture_is_its_file(self):
        made = self.profiles('pxe-service=x86PC,"Install",pxelinux\n'
                             'pxe-service=X86-64_EFI,"Install",x64/shim.efi\n')
        self.assertEqual(made["default"], {"x86-bios": "pxelinux.0", "x64-uefi": "x64/shim.efi"})

    def test_a_menu(self):
        made = self.profiles('pxe-prompt="Press F8, or wait",10\n'
                             'pxe-service=x86PC,"Local disk"\n'
                             'pxe-service=x86PC,"Install, slowly",pxelinux # for old ones\n'
                             'pxe-service=x86-64_EFI,"Install, slowly",ipxe.efi\n'
                             'pxe-service=x86PC,"Other",other.0,10.0.0.7\n')
        self.assertEqual(made["default"]["menu"], {
            "prompt": "Press F8, or wait", "timeout": 10, "items": [
                {"name": "Local disk", "action": "local"},
                {"name": "Install, slowly",
                 "file": {"x86-bios": "pxelinux.0", "x64-uefi": "ipxe.efi"}},
                {"name": "Other", "next_server": "10.0.0.7", "file": {"x86-bios": "other.0"}}]})

    def test_a_menu_of_one_item_is_its_file(self):
        """Whatever waits for a key in front of it: our checker takes no such menu."""
        made = self.profiles('pxe-prompt="Press F8, or wait",10\n'
                             'pxe-service=x86PC,"Install",pxelinux\n'
                             'pxe-service=x86-64_EFI,"Install",ipxe.efi,10.0.0.7\n')
        self.assertEqual(made["default"], {
            "x86-bios": "pxelinux.0", "x64-uefi": "ipxe.efi", "next_server": "10.0.0.7"})
        config, notes = self.read('pxe-service=x86PC,"Local disk"\ndhcp-boot=a.0\n', code=1)
        self.assertEqual(config["profiles"], {"default": {"x86-bios": "a.0"}})
        self.assertIn("dnsmasq.conf:5: not carried over: a menu of one item is none", notes)

    def test_what_our_checker_refuses_is_told_at_its_line(self):
        long = "x" * 100
        rows = (
            ("interface=%s\n" % long[:16], "5: not carried over: interfaces[1]: an interface name has"),
            ("dhcp-mac=set:odd,5254\ndhcp-boot=tag:odd,a.0\n", "5: not carried over: hosts[0].mac: expected a MAC"),
            ("dhcp-boot=%s/%s.0\n" % (long, long), "5: not carried over: profiles.default.x86-bios: is 203 octets"),
            ('pxe-service=x86PC,"%s",a.0\npxe-service=x86PC,"B",b.0\npxe-service=x86PC,"C",c.0\n' % long,
             "5: not carried over: profiles.default.menu.items[0].name: is 100 octets"),
            ('pxe-service=x86PC,"A",a.0\npxe-service=x86PC,"A"\npxe-service=x86PC,"B",b.0\n',
             '5: not carried over: profiles.default.menu.items[0]: both "file" and "action"'),
            ("tftp-max=99999\ntftp-mtu=70000\n", "6: not carried over: tftp.max_block_size: 69968 is outside"),
            ("dhcp-vendorclass=set:odd,%s\ndhcp-boot=tag:odd,a.0\n" % (3 * long),
             "5: not carried over: hosts[0].vendor_class"),
        )
        for text, said in rows:
            with self.subTest(text):
                _, notes = self.read(text + "dhcp-boot=z.0\n", code=1)
                self.assertIn("dnsmasq.conf:" + said, notes)
                self.assertEqual(self.check_imported(FATAL), [])

    def test_settings_of_the_file_server(self):
        config, notes = self.read("tftp-port-range=40000,40999\ntftp-mtu=1500\ntftp-max=100\n"
                                  "dhcp-reply-delay=2\nuser=tftp\ndhcp-boot=a.0\n")
        self.assertEqual(self.check_imported(), [])
        self.assertEqual(config["tftp"], {"root": str(self.dir / "root"), "max_transfers": 100,
                                          "max_block_size": 1468, "data_ports": "40000-40063"})
        self.assertEqual((config["profiles"]["default"]["delay_ms"], config["user"]),
                         (2000, "tftp"))
        self.assertIn("64 of them, to 40063, are enough", notes)

    def test_what_has_no_counterpart_is_told_and_the_rest_is_there(self):
        config, notes = self.read(
            "dhcp-boot=a.0\ntftp-unique-root\ndhcp-boot=tag:nosuch,x.0\n"
            'pxe-service=x86PC,"RIS",1\ndhcp-mac=set:odd,*:54:00:*:*:*\nconf-dir=%s\n'
            "dhcp-option=210,/pxe/\ndhcp-option=option:router,10.0.0.1\ncache-size=100\n"
            % self.hosts, code=1)
        self.assertEqual(config["profiles"]["default"], {"x86-bios": "a.0"})
        for line in ("6: not carried over: a directory for each client",
                     "7: not carried over: tag:nosuch: no line sets that tag",
                     "8: not carried over: boot servers found by their type (1)",
                     "9: not carried over: a MAC address can only be open at its end",
                     '10: not carried over: not followed: name the files of "',
                     "11: not carried over: PXELINUX finds its configuration"):
            self.assertIn("dnsmasq.conf:" + line, notes)
        self.assertIn("2 settings of DNS, leases and the like are left", notes)

    def test_a_dnsmasq_that_gives_addresses_and_no_files(self):
        config, notes = self.read("interface=eth0\ndhcp-range=10.0.5.10,10.0.5.90\n"
                                  "dhcp-boot=a.0,boot,10.0.5.2\n", head=False)
        self.assertEqual(self.check_imported(), [])
        self.assertEqual(config["tftp"], {"enabled": False})
        self.assertEqual(config["profiles"]["default"]["next_server"], "10.0.5.2")
        self.assertIn("2: note: pxed gives no addresses", notes)

    def test_subnets_that_may_lie_behind_a_relay(self):
        """dnsmasq gave files to everybody, which pxed does when told so."""
        _, notes = self.read("dhcp-boot=undionly.kpxe\n")
        self.assertNotIn("tftp.allow", notes)
        _, notes = self.read("dhcp-boot=undionly.kpxe\ndhcp-range=10.9.0.0,proxy\n")
        self.assertIn("name the others in \"tftp.allow\"", notes)

    def test_machines_without_a_boot_file(self):
        config, notes = self.read("dhcp-host=52:54:00:12:34:56,lab-01,10.0.5.9\n")
        self.assertEqual(config["hosts"], [{"mac": "52:54:00:12:34:56", "name": "lab-01"}])
        self.assertEqual(config["profiles"], {"default": {}})
        self.assertEqual(self.check_imported(), ["gives no boot file to anybody"])
        self.assertIn("note: no line says what its machines boot", notes)

    def test_a_line_that_is_no_text(self):
        self.write("odd.conf", b"interface=eth0\ndhcp-boot=\xff\xfe.0\ntftp-root=/srv\n")
        said = self.run_pxed("import", "dnsmasq", self.dir / "odd.conf", code=1)
        self.assertIn("odd.conf:2: not carried over: not UTF-8", said.stderr)
        self.assertEqual(json.loads(said.stdout)["tftp"], {"root": "/srv", "enabled": False})

    def test_whatever_stands_there_is_read_without_harm(self):
        rng = random.Random(9)
        words = ["dhcp-boot", "pxe-service", "dhcp-host", "dhcp-mac", "dhcp-match", "=", ",", "tag:",
                 "set:x", "x86PC", '"', "#", "*", "52:54:00:*", "67", "999999999999", "\0", "\xff",
                 "dhcp-option", "pxe-prompt", "tftp-port-range", "dhcp-ignore", "!known", "\n", " "]
        for _ in range(40):
            text = "".join(rng.choice(words) for _ in range(400))
            self.write("odd.conf", text.encode("latin-1"))
            done = subprocess.run([os.path.abspath(PXED), "import", "dnsmasq", self.dir / "odd.conf"],
                                  capture_output=True, timeout=60, check=False)
            self.assertIn(done.returncode, (0, 1), text)
            json.loads(done.stdout)
            self.write("imported.json", done.stdout)
            self.assertEqual(self.check_imported(FATAL), [], text)

    def test_a_file_that_cannot_be_read_and_wrong_usage(self):
        said = self.run_pxed("import", "dnsmasq", self.dir / "none", code=1)
        self.assertIn("none: No such file or directory", said.stderr)
        for words in ([], ["dnsmasq"], ["kea", "x"], ["dnsmasq", "--help"]):
            self.assertIn("usage: pxed import", self.run_pxed("import", *words, code=2).stderr)


if __name__ == "__main__":
    unittest.main()
