"""The man pages: sound mdoc, and true to the schema and to what the commands tell of themselves."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from site_dir import PXED

MAN = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "man"
PAGES = (MAN / "pxed.8", MAN / "pxed.json.5")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


class Pages(unittest.TestCase):
    def test_the_keys_are_those_of_the_schema(self):
        done = run(str(MAN / "settings"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_command_is_described(self):
        told = run(os.path.abspath(PXED), "--help").stdout
        words = re.findall(r"^  pxed (\w+)", told, flags=re.M)
        self.assertGreater(len(words), 9)
        page = PAGES[0].read_text()
        for word in words:
            self.assertIn(".It Nm Cm %s" % word, page)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_the_pages_are_sound(self):
        for page in PAGES:
            said = run("mandoc", "-T", "lint", "-W", "style", str(page)).stdout
            self.assertEqual([line for line in said.splitlines() if "referenced manual not found"
                              not in line], [])


if __name__ == "__main__":
    unittest.main()
