"""What README and docs/ say is so: configurations, commands, links, paths, tables.

Configurations go through `pxed check --strict`, with files of the right kinds in their places.
The commands of the set-up are run, as far as they need neither root nor network; each other
command is looked up, with its options, in what pxed tells of itself.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import unittest

from site_dir import PXED, Site
from test_check import efi
from test_init import IPXE
from test_man import commands, options_of
from test_schema import without_comments

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*sorted(TOP.glob("*.md")), *sorted((TOP / "docs").glob("**/*.md"))]
KERNEL = (b"MZ".ljust(0x202, b"\0") + b"HdrS").ljust(600, b"\0")
SCHEMA = json.loads((TOP / "packaging/schema/pxed.schema.json").read_text())
EVENTS = re.findall(r'^    \{"([^"]+)", "[0-9a-f]{32}"\},$',
                    (TOP / "common/log_format.c").read_text(), re.M)
FOLDERS = "app|common|config|dhcp|tftp|tests|packaging|docs|demo"


def blocks(page):
    """(language, text) of each block of code; an indented one has the language ""."""
    text = page.read_text()
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.S | re.M)
    rest = re.sub(r"^```\w*\n.*?^```$", "", text, flags=re.S | re.M)
    for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", rest, flags=re.M):
        found.append(("", "\n".join(line[4:] for line in block.splitlines()).strip("\n") + "\n"))
    return found


def prose(page):
    """The page without its blocks of code."""
    text = re.sub(r"^```\w*\n.*?^```$", "", page.read_text(), flags=re.S | re.M)
    return re.sub(r"^    .*$", "", text, flags=re.M)


def spans(page):
    """What stands between single backquotes, in one line or over two."""
    return [" ".join(one.split()) for one in re.findall(r"`([^`]+)`", prose(page))]


def configurations(page):
    """Those in ```json that are whole."""
    found = [json.loads(without_comments(text)) for kind, text in blocks(page) if kind == "json"]
    return [one for one in found if isinstance(one, dict) and "interfaces" in one]


def fragment(text):
    """A whole configuration around an indented block that is a piece of one, or None."""
    try:
        piece = json.loads("{%s}" % without_comments(text))
    except ValueError:
        return None
    conf = {"interfaces": ["eth0"], "tftp": {"root": "root"},
            "profiles": {"default": {"x64-uefi": "ipxe.efi"}}}
    for key, value in piece.items():
        if key in SCHEMA["properties"]:
            conf[key] = value
        elif key in SCHEMA["$defs"]["profile"]["properties"]:
            conf["profiles"]["default"][key] = value
        else:
            conf["profiles"][key] = value
    return conf


def command_lines(page):
    """What is to be typed: lines of blocks and spans that call pxed."""
    for kind, text in blocks(page):
        if kind in ("", "sh"):
            for line in text.splitlines():
                called = re.match(r"(?:\$ |\S+ \* \* \* \* root +)?(?:sudo )?(pxed [a-z].*)", line)
                if called:
                    yield called[1]
    for span in spans(page):
        called = re.match(r"(?:sudo )?(pxed [a-z].*)", span)
        if called and span not in EVENTS:
            yield called[1]


def slug(heading):
    """The anchor that a heading gets."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def anchors(page):
    return {slug(line) for line in re.findall(r"^#+ (.*)$", prose(page), flags=re.M)}


class Configurations(Site):
    def put_files(self, value, key=""):
        """The boot files that a configuration names, each of a kind that fits."""
        for name, inner in value.items():
            if isinstance(inner, dict):
                self.put_files(inner, name)
            for file in inner if isinstance(inner, list) else [inner]:
                if isinstance(file, dict):
                    self.put_files(file, name)
                if key in ("fields", "options", "vars") or not isinstance(file, str):
                    continue
                if name == "directory":
                    (self.dir / "root" / file).mkdir(parents=True, exist_ok=True)
                elif name in ("kernel", "initrd") or "." in file:
                    self.put(name, file)

    def put(self, name, file):
        path = "root/" + file.replace("\\", "/")
        machine = 0xaa64 if "arm64" in name else 0x8664
        if name == "kernel":
            self.write(path, KERNEL)
        elif file.endswith(".efi"):
            self.write(path, efi(machine, signed=True))
            if "shim" in file:
                self.write(path.replace("shim", "grub"), efi(machine, signed=True))
        elif file.endswith(".img"):
            self.write(path, b"\0" * 510 + b"\x55\xaa" + b"\0" * 512)
        else:
            self.write(path, b"\xea")

    def check_one(self, conf):
        if "root" in conf["tftp"]:
            conf["tftp"]["root"] = "root"
        for value in (conf["profiles"], *conf.get("hosts", ())):
            self.put_files(value)
        for name, file in conf.get("files", {}).items():
            if "template" in file:
                self.write(file["template"], "#!ipxe\n")
            elif "${" not in file["file"]:
                self.put(name, file["file"])
        self.write("pxed.json", json.dumps(conf))
        self.check("--strict")

    def test_those_that_are_whole(self):
        shown = [(page.name, conf) for page in PAGES for conf in configurations(page)]
        self.assertGreater(len(shown), 15)
        for page, conf in shown:
            with self.subTest(page=page, configuration=conf):
                self.check_one(conf)

    def test_pieces(self):
        shown = [(page.name, conf) for page in PAGES for kind, text in blocks(page)
                 if kind == "" and text.startswith('"') and (conf := fragment(text))]
        self.assertGreater(len(shown), 2)
        for page, conf in shown:
            with self.subTest(page=page, configuration=conf):
                self.check_one(conf)

    def test_what_is_made_of_dnsmasqs(self):
        kinds = [one for one in blocks(TOP / "docs/recipes.md") if one[0] in ("dnsmasq", "json")]
        at = [kind for kind, _ in kinds].index("dnsmasq")
        path = self.write("dnsmasq.conf", kinds[at][1])
        made = json.loads(self.run_pxed("import", "dnsmasq", path).stdout)
        self.assertEqual(made, json.loads(kinds[at + 1][1]))


class SetUp(Site):
    """README's own section; what needs root or a network is known here, and why."""
    NOT_RUN = re.compile(r"""sudo\ (make\ demo | apt\ install .* | packaging/install-packages\ build
        | systemctl\ (restart\ pxed|daemon-reload .*) | systemd-sysusers .* | pxed\ doctor | pxed\ status\ --watch)
        | make\ (test|deb)""", re.X)

    def lines(self):
        section = (TOP / "README.md").read_text().split("## Set up in five minutes")[1]
        section = section.split("\n## ")[0]
        found = re.findall(r"^    (\S.*)$", section, flags=re.M)
        self.assertGreater(len(found), 8)
        return [line.split("  #")[0].strip() for line in found]

    def shell(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False,
                              cwd=TOP)
        self.assertEqual(done.returncode, 0, "%s: %s%s" % (words, done.stdout, done.stderr))
        return done.stdout

    def test_each_line_is_run_or_known(self):
        tree, config = self.dir / "tree", self.dir / "etc/pxed.json"
        pxed = tree / "usr/local/sbin/pxed"
        ran = []

        def install():
            self.shell("make", "-s", "B=" + os.path.relpath(os.path.dirname(PXED), TOP), "DESTDIR=%s" % tree, "install")
            installed = tree / "etc/pxed/pxed.json"
            self.assertEqual(json.loads(without_comments(installed.read_text()))["interfaces"], [])
            config.parent.mkdir()
            config.write_bytes(installed.read_bytes())

        def init():
            for name, octets in IPXE.items():
                self.write("packages/" + name, octets)
            self.shell(pxed, "init", config.parent, "--interface", "lo", "--from",
                       self.dir / "packages")
            made = json.loads(without_comments(config.read_text()))
            self.assertEqual(made["interfaces"], ["lo"])

        runs = {"make && sudo make install": install,
                "sudo pxed init --interface eth0": init,
                "pxed check": lambda: self.shell(pxed, "check", "-c", config)}
        for line in self.lines():
            if line in runs:
                runs[line]()
                ran.append(line)
            else:
                self.assertRegex(line, self.NOT_RUN)
        self.assertEqual(ran, list(runs))


class Words(unittest.TestCase):
    def test_commands_and_their_options_exist(self):
        known = {word: options_of(word) | {"--help"} for word in commands()}
        seen = set()
        for page in PAGES:
            for line in command_lines(page):
                line = re.split(r"[|;>#]|&&", line.replace("||", "|"))[0]
                with self.subTest(page=page.name, line=line):
                    words = shlex.split(line.replace("…", "").replace("[=", "="))
                    self.assertIn(words[1], known)
                    seen.add(words[1])
                    for word in words[2:]:
                        if re.match(r"--?[a-zA-Z0-9]", word):
                            self.assertIn(word.split("=")[0], known[words[1]])
        self.assertEqual(seen, set(known), "commands that no page shows")

    def test_make_knows_its_targets(self):
        targets = set(re.findall(r"^([a-z-]+)(?:%?:)", (TOP / "Makefile").read_text(), flags=re.M))
        targets |= {"install", "deb"}
        for page in PAGES:
            lines = [line for kind, text in blocks(page) if kind == "" for line in text.splitlines()]
            for line in [*lines, *spans(page)]:
                called = re.match(r"(?:sudo )?make ([a-z-]+)", line)
                if called:
                    self.assertIn(called[1], targets, page.name)

    def test_files_of_the_source_that_are_named_are_there(self):
        for page in PAGES:
            text = re.sub(r"https?://\S+|\]\([^)]*\)", "", page.read_text())
            for path in re.findall(r"(?<![\w./${-])((?:%s)/[\w./-]*\w)" % FOLDERS, text):
                if page.name == "configuration.md":
                    continue
                self.assertTrue((TOP / path).exists() or list(TOP.glob(path + ".*")),
                                "%s: %s" % (page.name, path))

    def test_links_lead_somewhere(self):
        for page in PAGES:
            text = re.sub(r"`[^`\n]*`", "", prose(page))
            links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text)
            for link in links:
                if re.match(r"[a-z]+://", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                self.assertTrue(target.exists(), "%s: %s" % (page.name, link))
                if anchor:
                    self.assertIn(anchor, anchors(target), "%s: %s" % (page.name, link))


class Tables(unittest.TestCase):
    def words(self, path, pattern):
        found = re.findall(pattern, (TOP / path).read_text(), flags=re.M)
        self.assertGreater(len(found), 3)
        return set(found)

    def test_verdicts(self):
        page = (TOP / "docs/troubleshooting.md").read_text()
        rules = self.words("app/boot_rules.c", r'^    \{"([a-z0-9-]+)", \w+,$')
        table = page.split("## Verdicts")[1].split("\n## ")[0]
        told = set()
        for row in re.findall(r"^\| (`.*?) \|", table, flags=re.M):
            told |= set(re.findall(r"`([a-z0-9-]+)`", row))
        self.assertEqual(told, rules)

    def test_what_screens_show(self):
        page = (TOP / "docs/troubleshooting.md").read_text()
        for code in self.words("app/boot_rules.c", r'"(PXE-[A-Z]\d\d)'):
            self.assertIn("| " + code, page)
        rules = self.words("app/boot_rules.c", r'^    \{"([a-z0-9-]+)", \w+,$')
        screens = page.split("## What the screen shows")[1].split("\n## ")[0]
        for row in re.findall(r"^\|(.*)\|$", screens, flags=re.M):
            for verdict in re.findall(r"`([a-z0-9-]+)`", row.split("|")[2]):
                self.assertIn(verdict, rules)

    def test_rates_in_readme_are_those_of_the_report(self):
        rates = re.findall(r"(?<=[| ])(\d[\d.]* MB/s)", (TOP / "README.md").read_text())
        self.assertGreater(len(rates), 8)
        report = (TOP / "docs/bench/report.md").read_text()
        for rate in rates:
            self.assertIn(" " + rate, report)

    def test_conflicts(self):
        kinds = self.words("dhcp/radar.c", r'\[RADAR_\w+\] =\s+\{"([a-z0-9-]+)"')
        page = (TOP / "docs/troubleshooting.md").read_text().split("## Other servers")[1]
        self.assertEqual(set(re.findall(r"^\| `([a-z0-9-]+)` \|", page, flags=re.M)), kinds)


if __name__ == "__main__":
    unittest.main()
