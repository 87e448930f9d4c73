"""Every allocation of a command fails in turn: it says so, and ends as commands do."""
import os
import pathlib
import sys
import unittest

import site_dir
from test_init import IPXE

sys.path.append(str(pathlib.Path(__file__).parent.parent / "netns"))
import inject  # noqa: E402

OWN = "malloc calloc realloc strdup"
ENOMEM = 12
ENDS = (0, 1)       # what it did or could not; never a signal
MOST = 400


class NoMemory(site_dir.Site):
    def setUp(self):
        super().setUp()
        if inject.net.has_sanitizer():
            self.skipTest("a sanitizer and inject.so do not go together")
        self.inject = inject.Injector(self.dir)
        self.write("dhcpd.conf", "dhcp-host=52:54:00:00:00:01,set:x,lab\ndhcp-boot=tag:x,foo.efi\n")
        self.write("hosts.d/a.json", '[{"name": "a", "mac": "52:54:00:00:00:01"}]')

    def run_under(self, *arguments):
        words = self.inject.words + (os.path.abspath(site_dir.PXED),) + arguments
        return self.run_words(words, cwd="/")  # names in the configuration are not beside it

    def each_fails(self, *arguments):
        """All of them in turn; then it does what it did before."""
        good = self.run_under(*map(str, arguments)).returncode
        for skip in range(MOST):
            with self.inject.fails(OWN, ENOMEM, skip=skip, own=True) as fault:
                done = self.run_under(*map(str, arguments))
            what = "%s, allocation %d: %s" % (arguments[0], skip, done.stderr)
            if not fault.failed:
                self.assertEqual(done.returncode, good, what)
                return
            self.assertIn(done.returncode, ENDS, what)
            told = (done.stdout + done.stderr).lower()
            named = "memory" in told or (arguments[0] == "init" and told)
            self.assertTrue(done.returncode == good or named, "no reason: " + what)
        self.fail("%s: there is no end of allocations" % arguments[0])

    def test_check(self):
        self.each_fails("check", "-c", self.config)
        self.each_fails("check", "-c", self.config, "--json")

    def test_explain(self):
        for more in ((), ("--json",)):
            self.each_fails("explain", "-c", self.config, "--mac", "52:54:00:00:00:01", "--arch", "x64-uefi", *more)

    def test_host(self):
        self.each_fails("host", "list", "-c", self.config)
        self.each_fails("host", "show", "52:54:00:00:00:01", "-c", self.config)

    def test_import(self):
        self.each_fails("import", "dnsmasq", self.dir / "dhcpd.conf")

    def test_doctor(self):
        self.each_fails("doctor", "-c", self.config)

    def test_init(self):
        """What a run left that failed is no hindrance to the next."""
        for name, octets in IPXE.items():
            self.write("packages/" + name, octets)
        self.each_fails("init", self.dir / "new", "--from", self.dir / "packages", "--interface", "lo")


if __name__ == "__main__":
    unittest.main()
