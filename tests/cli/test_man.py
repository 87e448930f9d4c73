"""The man pages: sound mdoc, and true to the schema and to what the commands tell of themselves."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from site_dir import PXED

TOP = pathlib.Path(__file__).resolve().parents[2]
MAN = TOP / "packaging" / "man"
PAGES = (MAN / "pxed.8", MAN / "pxed.json.5")
OPTION = re.compile(r"(?<![\w-])(--?[a-z0-9][a-z0-9-]*)")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


def help_of(*command):
    """What `pxed COMMAND --help` prints."""
    return run(os.path.abspath(PXED), *command, "--help").stdout


def commands():
    return re.findall(r"^  pxed (\w+)", help_of(), flags=re.M)


def options_of(command):
    """The options that a command tells of itself, and which it understands."""
    lines = help_of(command).splitlines()
    usage = [line for line in lines if "usage:" in line or line.startswith(" " * 7)]
    table = [line[:22] for line in lines if re.match(r" {2,6}-", line)]
    return set(OPTION.findall("\n".join(usage + table))) - {"-"}


def section_of(page, command):
    """What pxed(8) says of a command: from its first item to the next command's."""
    parts = re.split(r"^\.It Nm Cm (\w+)", page.split("\n.Sh ENVIRONMENT")[0], flags=re.M)
    texts = [text for name, text in zip(parts[1::2], parts[2::2]) if name == command]
    return "\n".join(texts).split("\n.El\n.Pp\n")[0]  # the end of the list of commands


def options_in(mdoc):
    """-c and --json of `Fl c` and `Fl -json`, and of `Fl i , -interface`."""
    found = set()
    for line in mdoc.splitlines():
        for words in re.findall(r"\bFl ([^A-Z]*)", line):
            found |= {"-" + word for word in words.split() if re.match(r"-?[a-z0-9]", word)}
    return found


class Help(unittest.TestCase):
    def test_every_command_has_it(self):
        for word in commands():
            with self.subTest(command=word):
                done = run(os.path.abspath(PXED), word, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, "^usage: pxed %s" % word)


class Pages(unittest.TestCase):
    def test_the_keys_are_those_of_the_schema(self):
        done = run(str(MAN / "settings"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_command_is_described_with_all_its_options(self):
        page = PAGES[0].read_text()
        words = commands()
        self.assertGreater(len(words), 9)
        for word in words:
            with self.subTest(command=word):
                section = section_of(page, word)
                self.assertTrue(section, "pxed(8) does not know it")
                told, has = options_in(section), options_of(word) - {"--config"}
                self.assertEqual(sorted(has - told), [], "not in pxed(8)")
                self.assertEqual(sorted(told - options_of(word)), [], "only in pxed(8)")

    def test_no_command_is_described_that_is_none(self):
        described = re.findall(r"^\.It Nm Cm (\w+)", PAGES[0].read_text(), flags=re.M)
        self.assertEqual(sorted(set(described) - set(commands())), [])

    def test_the_variables_are_those_of_the_program(self):
        text = (TOP / "config" / "variables.c").read_text()
        names = re.findall(r'\[VAR_\w+\] = "([a-z-]+)"', text)
        self.assertGreater(len(names), 5)
        told = re.findall(r"^\.It Ic \$\{([a-z-]+)\}$", PAGES[1].read_text(), flags=re.M)
        self.assertEqual(sorted(told), sorted(names))
        table = (TOP / "docs" / "configuration.md").read_text()
        told = re.findall(r"^\| `\$\{([a-z-]+)\}` \|", table, flags=re.M)
        self.assertEqual(sorted(told), sorted(names))

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_the_pages_are_sound(self):
        for page in PAGES:
            said = run("mandoc", "-T", "lint", "-W", "style", str(page)).stdout
            self.assertEqual([line for line in said.splitlines() if "referenced manual not found"
                              not in line], [])


if __name__ == "__main__":
    unittest.main()
