"""Names and arguments that a terminal would obey: shown escaped, in whatever a command says of them."""
import json
import os
import socket
import subprocess
import threading

from site_dir import BASE, PXED, Site

EVIL = "e\x1b[31m\x1b]0;x\x07\x7f"            # colours, the title of the window
HIDDEN = "h\x9b2J\u202e\u200b\ufeff"           # C1, backwards, what is not seen
MAC = "52:54:00:00:00:01"
COMMANDS = ("approve", "check", "doctor", "explain", "host", "import", "learned", "log", "probe", "reload", "reset",
            "run", "schema", "status", "nonsense")


class Words(Site):
    def said(self, *arguments):
        return subprocess.run([os.path.abspath(PXED), *map(str, arguments)], cwd=self.dir, timeout=60,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL)

    def lacks(self, text, hidden=True):
        bad = [sign for sign in text if (sign < " " and sign not in "\n\t") or "\x7f" <= sign <= "\x9f"]
        bad += [sign for sign in text if hidden and sign in "\u202e\u200b\ufeff"]
        self.assertEqual(bad, [], repr(text))

    def shows(self, *arguments):
        """Neither output holds anything that a terminal obeys; both, for what else is to be said of them."""
        done = self.said(*arguments)
        self.assertIn(done.returncode, (0, 1, 2), arguments)
        self.lacks(done.stderr.decode())
        if "--json" not in arguments:  # which is for programs; a terminal gets it in ASCII
            self.lacks(done.stdout.decode())
        return done.stdout.decode() + done.stderr.decode()


class Arguments(Words):
    def test_of_every_command(self):
        for command in COMMANDS:
            for arguments in ([EVIL], ["--" + EVIL], ["-" + EVIL], ["-c", EVIL], ["-c", HIDDEN], ["--json=" + EVIL],
                              ["list", EVIL], ["set", EVIL], ["dnsmasq", HIDDEN], ["--mac", HIDDEN]):
                self.shows(command, *arguments)
        self.shows(EVIL)
        self.shows(HIDDEN)
        self.shows("init", EVIL)
        self.shows("init", "site", "--interface", HIDDEN)
        self.shows("init", HIDDEN, "--interface", "eth0", "--address", "10.0.0.1", "--from", "nothing")

    def test_how_they_are_shown(self):
        self.assertIn("\\x1b[31m", self.shows("check", EVIL))
        self.assertIn("\\xe2\\x80\\xae", self.shows("check", HIDDEN))


class Files(Words):
    COMMANDS = (("check",), ("check", "--json"), ("host", "list"), ("host", "show", MAC), ("host", "set", "--mac", MAC),
                ("host", "rm", MAC), ("explain", "--mac", MAC), ("status",), ("reload",), ("log",), ("doctor",))

    def every_command(self, path):
        for command in self.COMMANDS:
            self.shows(*command, "-c", path)

    def test_a_configuration_and_its_directory(self):
        there = self.dir / HIDDEN
        for part in ("root", "hosts.d"):
            (there / part).mkdir(parents=True)
        for name in ("boot.ipxe", "rescue.ipxe"):
            (there / "root" / name).write_text("#!ipxe\n")
        for more in ({}, {"x": 1}):
            (there / "pxed.json").write_text(json.dumps({**BASE, "control": str(there / "socket"), **more}))
            self.every_command(there / "pxed.json")

    def test_host_files(self):
        for name in (EVIL, HIDDEN, "line\nend"):
            path = self.write("hosts.d/%s.json" % name, '{"mac": 1}')
            self.every_command(self.config)
            path.unlink()

    def test_keys_and_values(self):
        for word in (EVIL, HIDDEN):
            for keys in ({word: 1}, {"profiles": {word: {"ipxe": word}}}, {"hosts": [{"mac": word}]},
                         {"hosts": [{"mac": MAC, "name": word}]}, {"hosts": [{"mac": MAC, word: 1}]},
                         {"hosts": [{"mac": MAC, "vars": {word: "1"}}]}, {"hosts": [{"mac": MAC, "vars": {"a": word}}]},
                         {"hosts": [{"vendor_class": word}]}, {"interfaces": [word]}, {"tftp": {"root": word}},
                         {"files": {word: {"file": word}}}, {"files": {"a": {"template": word}}},
                         {"control": "/" + word}, {"user": word}, {"http": {"page_names": [word]}}):
                self.configure(**keys)
                self.every_command(self.config)

    def test_in_a_stream_that_the_journal_reads(self):
        """A line there begins with its priority; one of the configuration could say "<0>", to all."""
        self.write("pxed.json", json.dumps({**BASE, "<0>x": 1}, indent=1).replace("\n ", "\n"))
        with open(self.dir / "stream", "w+b") as stream:
            seen = os.fstat(stream.fileno())
            done = subprocess.run([os.path.abspath(PXED), "run", "-c", self.config], stderr=stream, timeout=60, check=False,
                                  env={**os.environ, "JOURNAL_STREAM": "%d:%d" % (seen.st_dev, seen.st_ino)})
            stream.seek(0)
            lines = stream.read().decode().splitlines()
        self.assertEqual(done.returncode, 1)
        self.assertTrue(any("<0>x: unknown key" in line for line in lines), lines)
        for line in lines:
            self.assertRegex(line, "^<[3-7]>[^<]")

    def test_of_dnsmasq(self):
        for word in (EVIL, HIDDEN):
            for line in ("%s=%s", "dhcp-host=%s,set:%s", "dhcp-boot=tag:%s,%s", "dhcp-boot=%s,%s", "dhcp-match=set:%s,%s",
                         "pxe-service=%s,%s,x", "conf-dir=%s%s", "tftp-root=%s%s", "dhcp-range=%s,%s,proxy"):
                path = self.write("d%s.conf" % HIDDEN, line % (word, word) + "\n")
                self.lacks(self.said("import", "dnsmasq", path).stderr.decode())


class Answers(Words):
    """Of another process, that listens where pxed should."""

    def serve(self, answer):
        path = self.dir / "control.sock"
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(path))
        listener.listen()

        def work():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    client.recv(4096)
                    client.sendall(json.dumps(answer).encode() + b"\n")
        threading.Thread(target=work, daemon=True).start()
        self.configure(control=str(path))
        return listener

    def test_are_shown_escaped(self):
        word = EVIL + HIDDEN
        one = {"mac": word, "host": word, "arch": word, "gate": "held", "sentence": word, "client": word, "from": word}
        for good in (True, False):
            listener = self.serve({
                "ok": good, "error": word, "report": word + "\n" + word, "file": word, "mac": word,
                "machines": [one, {**one, "gate": "done"}], "windows": [one],
                "forms": [{**one, "class": word, "form": word, "came": {word: 1}}], "conflicts": [one], "boots": [], "next": 0})
            for command in (("reload",), ("approve",), ("approve", MAC), ("reset",), ("reset", MAC), ("learned",), ("log",)):
                said = self.shows(*command, "-c", self.config)
                self.assertTrue(command == ("log",) and good or "\\x1b[31m" in said, "%s: %s" % (command, said))
            listener.shutdown(socket.SHUT_RDWR)
