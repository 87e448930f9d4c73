"""A directory with a configuration, its boot root and host files, and pxed's commands on it."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PXED = os.environ.get("PXED", "build/pxed")
BASE = {
    "interfaces": ["eth0"],
    "tftp": {"root": "root"},
    "profiles": {"default": {"ipxe": "boot.ipxe"}, "rescue": {"ipxe": "rescue.ipxe"}},
    "host_files": "hosts.d",
}


class Site(unittest.TestCase):
    """self.dir holds pxed.json, root/ and hosts.d/; all go away with the test."""

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="pxed-cli-"))
        self.dir.chmod(0o755)  # root looks with the service user's eyes, too
        self.addCleanup(shutil.rmtree, self.dir)
        self.config = self.dir / "pxed.json"
        self.hosts = self.dir / "hosts.d"
        self.hosts.mkdir()
        self.write("root/boot.ipxe", "#!ipxe\n")
        self.write("root/rescue.ipxe", "#!ipxe\n")
        self.configure()

    def write(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def configure(self, **keys):
        self.write("pxed.json", json.dumps({**BASE, **keys}, indent=2))

    def run_pxed(self, *arguments, code=0):
        """What the command printed; its exit code must be this one."""
        done = self.run_words((os.path.abspath(PXED), *map(str, arguments)))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def run_words(self, words, cwd=None):
        return subprocess.run(words, cwd=cwd or self.dir, capture_output=True, text=True, timeout=60, check=False)

    def check(self, *arguments, code=0):
        return self.run_pxed("check", "-c", self.config, *arguments, code=code)
