"""`pxed host`: the table shown, and safe changes of the host files."""
import concurrent.futures
import json
import os
import unittest

from site_dir import Site

MAC = "52:54:00:00:00:01"
FILE = "52-54-00-00-00-01.json"


class Host(Site):
    def host(self, *arguments, code=0):
        return self.run_pxed("host", *arguments, "-c", self.config, code=code)

    def stored(self, name=FILE):
        return json.loads((self.hosts / name).read_text(encoding="utf-8"))

    def test_set_makes_a_file_of_its_own(self):
        said = self.host("set", "--mac", "52-54-00-00-00-01", "--name", "n", "--profile", "rescue",
                         "--action", "boot", "--uuid", "00112233-4455-6677-8899-aabbccddeeff",
                         "--var", "role=db", "--var", "note=a=b c").stdout
        self.assertEqual(said, f"{self.hosts}/{FILE}: written\n")
        self.assertEqual(self.stored(), {
            "mac": MAC, "name": "n", "uuid": "00112233-4455-6677-8899-aabbccddeeff",
            "profile": "rescue", "action": "boot", "vars": {"role": "db", "note": "a=b c"}})
        self.assertEqual(os.listdir(self.hosts), [FILE])
        self.assertEqual((self.hosts / FILE).stat().st_mode & 0o777, 0o644)
        self.check("--strict")

    def test_set_changes_what_is_named_alone(self):
        self.write("hosts.d/" + FILE, f'{{"mac": "{MAC}", /* slow */ "max_window_size": 4, '
                                      '"profile": "rescue", "vars": {"a": "1", "b": "2"}}')
        os.chmod(self.hosts / FILE, 0o640)
        self.host("set", "--mac", MAC, "--profile=", "--action", "ignore", "--var", "a", "--var", "c=")
        self.assertEqual(self.stored(), {"mac": MAC, "max_window_size": 4, "action": "ignore",
                                         "vars": {"b": "2", "c": ""}})
        self.assertEqual((self.hosts / FILE).stat().st_mode & 0o777, 0o640)
        self.host("set", "--mac", MAC, "--var", "b", "--var", "c")
        self.assertNotIn("vars", self.stored())

    def test_any_key_of_a_host_can_be_set(self):
        self.write("root/x.efi", b"x")
        menu = {"items": [{"name": "a", "file": "x.efi"}, {"name": "disk", "action": "local"}]}
        self.host("set", "--mac", MAC, "--key", "ipxe=rescue.ipxe", "--key", "once=true", "--key",
                  "menu=" + json.dumps(menu), "--key", "delay_ms=20", "--key", "done_when=a=b")
        self.assertEqual(self.stored(), {"mac": MAC, "ipxe": "rescue.ipxe", "once": True,
                                         "menu": menu, "delay_ms": 20, "done_when": "a=b"})
        shown = self.host("show", MAC).stdout
        self.assertIn("rescue.ipxe, of its own", shown)
        self.assertIn("a menu of 2 items, of its own", shown)
        self.assertIn("done when a=b has come", shown)
        told = json.loads(self.host("show", MAC, "--json").stdout)[0]
        self.assertEqual((told["ipxe"], told["boots"]["ipxe"]), ("rescue.ipxe", "rescue.ipxe"))
        self.host("set", "--mac", MAC, "--key", "menu", "--key", "once=", "--key", "done_when",
                  "--key", "delay_ms", "--key", "ipxe")
        self.assertEqual(self.stored(), {"mac": MAC})
        for wrong in ("ipx=a", "once=yes", "7=../x", "name=7", "vars=[]"):
            self.host("set", "--mac", MAC, "--key", wrong, code=1)
        self.host("set", "--mac", MAC, "--key", "mac=52:54:00:00:00:02", code=2)
        self.assertEqual(self.stored(), {"mac": MAC})

    def test_what_is_only_odd_is_done_with_a_warning(self):
        self.configure(hosts=[{"mac": "52:54:00:00:00:77", "ipxe": "other"}])
        said = self.host("set", "--mac", MAC, "--key", "ipxe=gone.ipxe")
        self.assertIn("written", said.stdout)
        self.assertIn(f'{FILE}:3:11: warning: ipxe: "gone.ipxe" does not exist', said.stderr)
        self.assertNotIn("other", said.stderr)

    def test_what_would_be_faulty_is_refused(self):
        self.host("set", "--mac", MAC)
        before = self.stored()
        for wrong in (["--profile", "resceu"], ["--action", "explode"], ["--uuid", "1"],
                      ["--var", "1=x"], ["--name", "x" * 64], ["--name", "a\nb"]):
            said = self.host("set", "--mac", MAC, *wrong, code=1).stderr
            self.assertIn(f"{self.hosts}/{FILE}:", said)
            self.assertIn("nothing was changed", said)
        self.assertEqual(self.stored(), before)
        self.assertEqual(os.listdir(self.hosts), [FILE])

    def test_a_duplicate_elsewhere_is_refused_with_its_place(self):
        self.configure(hosts=[{"name": "x", "mac": MAC}])
        said = self.host("set", "--mac", MAC, code=1).stderr
        self.assertIn('the same MAC address as host "x" on line', said)
        self.assertEqual(os.listdir(self.hosts), [])

    def test_the_directory_is_made(self):
        self.hosts.rmdir()
        self.host("set", "--mac", MAC)
        self.assertEqual(self.stored(), {"mac": MAC})

    def test_without_host_files_there_is_no_place(self):
        self.write("pxed.json", '{"interfaces": ["a"], "tftp": {"root": "root"}}')
        self.assertIn('"host_files" is missing', self.host("set", "--mac", MAC, code=1).stderr)

    def test_rm_removes_the_file(self):
        self.host("set", "--mac", MAC)
        self.assertEqual(self.host("rm", MAC).stdout, f"{self.hosts}/{FILE}: removed\n")
        self.assertEqual(os.listdir(self.hosts), [])
        self.assertIn(f"there is no host {MAC}", self.host("rm", MAC, code=1).stderr)

    def test_rm_says_where_a_host_without_a_file_stands(self):
        self.write("hosts.d/rack.json", f'[\n{{"mac": "{MAC}"}}]')
        self.assertIn("rack.json:2: here this host stands", self.host("rm", MAC, code=1).stderr)

    def test_a_file_with_more_than_this_host_is_left_alone(self):
        text = f'[{{"mac": "{MAC}"}}, {{"mac": "52:*"}}]'
        self.write("hosts.d/" + FILE, text)
        for command in (["set", "--mac", MAC, "--name", "x"], ["rm", MAC]):
            self.assertIn("edit it by hand", self.host(*command, code=1).stderr)
        self.assertEqual((self.hosts / FILE).read_text(encoding="utf-8"), text)

    def test_list_is_a_table(self):
        self.configure(hosts=[{"name": "first", "mac": "52:54:*", "action": "ignore"},
                              {"relay": "10.0.0.0/8", "arch": [7, 11], "circuit_id": "hex:00ff*"}])
        self.host("set", "--mac", MAC, "--profile", "rescue")
        lines = self.host("list").stdout.splitlines()
        self.assertEqual(lines[0].split(), ["NAME", "WHO", "ACTION", "PROFILE", "WHERE"])
        self.assertEqual(lines[1].split()[:4], ["first", "52:54:*", "ignore", "-"])
        self.assertIn("x64-uefi, arm64-uefi, relay 10.0.0.0/8, circuit hex:00ff*", lines[2])
        self.assertEqual(lines[3].split(), ["-", MAC, "boot", "rescue", f"{self.hosts}/{FILE}:1"])
        self.assertEqual(len({line.index(word) for line, word in
                              zip(lines, ["ACTION", "ignore", "boot", "boot"])}), 1)

    def test_list_as_json(self):
        self.configure(hosts=[{"vendor_class": "PXE", "user_class": "iPXE", "interface": "eth0",
                               "max_window_size": 4, "vars": {"a": "b"}}])
        told = json.loads(self.host("list", "--json").stdout)
        self.assertEqual(told, [{
            "name": None, "file": str(self.config), "line": told[0]["line"], "mac": None, "uuid": None,
            "vendor_class": "PXE*", "user_class": "iPXE", "arch": None, "relay": None,
            "circuit_id": None, "interface": "eth0", "action": "boot", "once": False, "profile": "default",
            "max_block_size": None, "max_window_size": 4, "vars": {"a": "b"}}])

    def test_show_tells_what_it_boots(self):
        self.configure(hosts=[{"name": "all", "mac": "52:*"}])
        self.host("set", "--mac", MAC, "--name", "one", "--profile", "rescue")
        said = self.host("show", MAC).stdout
        for part in ("host one", f"{self.hosts}/{FILE}:1", "rescue.ipxe"):
            self.assertIn(part, said)
        self.assertIn("host all", self.host("show", "52:00:00:00:00:00").stdout)
        told = json.loads(self.host("show", MAC, "--json").stdout)
        self.assertEqual([h["boots"] for h in told], [{"ipxe": "rescue.ipxe"}])
        self.assertIn("no host of the table", self.host("show", "00:00:00:00:00:01", code=1).stderr)

    def test_show_tells_what_its_loader_and_its_answers_are_told(self):
        self.write("root/linux", (b"MZ".ljust(0x202, b"\0") + b"HdrS").ljust(600, b"\0"))
        (self.dir / "root/win").mkdir()
        boot, options = {"kernel": "linux", "args": "quiet"}, {"252": "\\Boot\\BCD"}
        self.host("set", "--mac", MAC, "--key", "boot=" + json.dumps(boot), "--key",
                  "options=" + json.dumps(options), "--key", "directory=win")
        self.assertEqual(self.stored(), {"mac": MAC, "boot": boot, "options": options,
                                         "directory": "win"})
        said = self.host("show", MAC).stdout
        for part in ('in the end linux with 0 initrds and "quiet"', "with files from win",
                     "with DHCP option 252: ", "auto.ipxe, of its own"):
            self.assertIn(part, said)

    def test_show_of_an_ignored_host_without_profiles(self):
        self.configure(profiles={}, hosts=[{"mac": MAC, "action": "ignore"}])
        self.assertIn("ignore", self.host("show", MAC).stdout)
        self.assertEqual(json.loads(self.host("show", MAC, "--json").stdout)[0]["boots"], {})

    def test_wrong_usage(self):
        for wrong in ([], ["lst"], ["show"], ["show", "x"], ["show", MAC, MAC], ["set"], ["list", MAC],
                      ["rm", MAC, "--name", "x"], ["set", "--mac", MAC, "--json"],
                      ["set", "--mac", MAC, "--colour"]):
            self.host(*wrong, code=2)
        self.assertIn("usage", self.host("--help").stdout)

    def test_many_at_once_lose_nothing(self):
        macs = [f"52:54:00:00:01:{i:02x}" for i in range(24)]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda m: self.host("set", "--mac", m, "--name", "n" + m[-2:]), macs))
        self.assertEqual(len(os.listdir(self.hosts)), 24)
        self.assertEqual(len(json.loads(self.host("list", "--json").stdout)), 24)

    def test_what_a_crash_left_behind_is_in_nobodys_way(self):
        self.write(f"hosts.d/.{FILE}.new", "{")
        self.check("--strict")
        self.host("set", "--mac", MAC)
        self.assertEqual(os.listdir(self.hosts), [FILE])


if __name__ == "__main__":
    unittest.main()
