"""Host files when every step of changing them fails in turn, or is the last of the process."""
import errno
import json
import os
import pathlib
import shutil
import sys
import unittest

import site_dir
from test_init import IPXE

sys.path.append(str(pathlib.Path(__file__).parent.parent / "netns"))
import inject  # noqa: E402

STEPS = "open openat mkdir write fsync rename unlink"
MOST = 60
MAC, OTHER = "52:54:00:00:00:01", "52:54:00:00:00:02"


class Killed(site_dir.Site):
    def setUp(self):
        super().setUp()
        if inject.net.has_sanitizer():
            self.skipTest("a sanitizer and inject.so do not go together")
        self.inject = inject.Injector(self.dir)
        self.run_pxed("host", "set", "--mac", OTHER, "--name", "other", "-c", self.config)
        self.run_pxed("host", "set", "--mac", MAC, "--name", "mine", "-c", self.config)
        self.file, = [path for path in self.hosts.iterdir() if MAC.replace(":", "") in
                      path.name.replace("-", "").replace(":", "")]
        self.before = self.file.read_text()

    def profile(self):
        """Of the host as the file has it now; None: there is no file."""
        return json.loads(self.file.read_text()).get("profile", "") if self.file.exists() else None

    def each_step(self, error, after, *arguments):
        """The file is as before or as it was to be; who says that it went well has made it so."""
        for skip in range(MOST):
            self.file.write_text(self.before)
            with self.inject.fails(STEPS, error, skip=skip, own=True) as fault:
                done = self.run_words(self.inject.words + (
                    os.path.abspath(site_dir.PXED), "host", *arguments, "-c", str(self.config)))
            what = "%s, step %d: %d %s" % (arguments[0], skip, done.returncode, done.stderr)
            found = self.profile()
            self.assertIn(found, ("", after), what)
            if done.returncode == 0:
                self.assertEqual(found, after, what)
            elif error != inject.END:
                self.assertEqual(done.returncode, 1, what)
                self.assertRegex(done.stderr, "No space left|Input/output|cannot be read", what)
            self.check()
            if not fault.failed:
                self.assertEqual((done.returncode, found), (0, after), what)
                return
        self.fail("there is no end of steps")

    def test_init(self):
        """Killed at any step, the next one makes it whole and leaves nothing else."""
        for name, octets in IPXE.items():
            self.write("packages/" + name, octets)
        words = ("init", self.dir / "whole", "--from", self.dir / "packages", "--interface", "lo")
        self.run_pxed(*words)
        whole = self.tree("whole")
        for skip in range(MOST * 4):
            words = ("init", self.dir / "new", *words[2:])
            with self.inject.fails(STEPS, inject.END, skip=skip, own=True) as fault:
                self.run_words(self.inject.words + (os.path.abspath(site_dir.PXED), *map(str, words)))
            self.run_pxed(*words)
            self.assertEqual(self.tree("new"), whole, "killed at step %d" % skip)
            shutil.rmtree(self.dir / "new")
            if not fault.failed:
                return
        self.fail("there is no end of steps")

    def tree(self, name):
        """The files of a directory; what is in them names it."""
        top = self.dir / name
        return {str(path.relative_to(top)): path.read_bytes().replace(str(top).encode(), b"")
                for path in top.rglob("*") if path.is_file()}

    def test_set(self):
        for error in (inject.END, errno.ENOSPC, errno.EIO):
            self.each_step(error, "rescue", "set", "--mac", MAC, "--profile", "rescue")

    def test_rm(self):
        for error in (inject.END, errno.EIO):
            self.each_step(error, None, "rm", MAC)


if __name__ == "__main__":
    unittest.main()
