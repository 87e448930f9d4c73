"""`pxed status`: what it prints of a document, on a terminal and elsewhere, and its exit code."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata
import unittest

from fake_pxed import FakePxed, a_boot, a_document, a_file
from site_dir import PXED, Site

STOPPED = dict(state="stopped", attention=True, verdict="only-us", seconds=21.1,
               sentence="The machine got no address: only pxed answered it, no DHCP server did.",
               screen="PXE-E52: proxyDHCP offers were received. No DHCP offers were received.",
               remedy="See whether the DHCP server runs and serves this network.",
               evidence="2-525400123402.pcap")

WHOLE = """\
pxed 1.0.0, process 17, up 1:00:00: /etc/pxed/pxed.json, loaded 1:00:00 ago, 3 hosts, 2 profiles
  eth0    serving  10.0.5.2  capture
  br-lab  waiting                     it has no address

NEEDS ATTENTION
  reload    2:00 ago, 2 faults, the old configuration stays: pxed.json:7:5: unknown key
  stopped   52:54:00:12:34:02 lab-02, x64-uefi, 2:57 ago: The machine got no address: only pxed answered it, no DHCP server did.
   screen   PXE-E52: proxyDHCP offers were received. No DHCP offers were received.
   remedy   See whether the DHCP server runs and serves this network.
   packets  2-525400123402.pcap
  conflict  10.0.5.9 is a second PXE server on this network. (4 times)
  held      52:54:00:12:34:99 new, last seen 12s ago: `pxed approve 52:54:00:12:34:99` lets it boot

BOOTING NOW: 1
  MAC                HOST    ADDRESS   ARCH      CLIENT  STAGE  FOR
  52:54:00:12:34:03  lab-03  10.0.5.3  x64-uefi  uefi    file   10s
      boot.wim: 62%, 1.0GB of 1.6GB, 95MB/s, 6.3s left, 4 resent

OTHER TRANSFERS
  10.0.9.9:77
      menu.cfg: 50%, 50B of 100B, 10B/s, 5.0s left

LATELY
  ENDED                MAC                HOST    ARCH      TOOK  VERDICT
  09:57:02             52:54:00:12:34:02  lab-02  x64-uefi   21s  only-us  The machine got no address: only pxed answered it, no DHCP server did.
  2026-11-29 09:57:01  52:54:00:12:34:01  lab-01  x64-uefi  7.4s  booted   The machine loaded all it needs.

Since the start: 12 booted, 1 stopped, 0 left alone, 40 files, 123MB, 17 blocks resent.
"""


def whole_document():
    document = a_document(
        boots=[a_boot(3, ended=None, state="booting", seconds=10.0)],
        recent=[a_boot(2, **STOPPED), a_boot(1, ended="2026-11-29T09:57:01.000Z")],
        transfers=[a_file(3, resent=4),
                   a_file(None, peer="10.0.9.9:77", name="menu.cfg", size=100, sent=50, rate=10,
                          left=5)],
        conflicts=[{"kind": "second-proxy", "count": 4,
                    "sentence": "10.0.5.9 is a second PXE server on this network."}],
        held=[{"mac": "52:54:00:12:34:99", "host": "new",
               "last_seen": "2026-11-30T09:59:48.000Z"}])
    document["interfaces"].append({"name": "br-lab", "state": "waiting",
                                   "why": "it has no address"})
    document["configuration"]["reload"] = {
        "time": "2026-11-30T09:58:00.000Z", "ok": False, "faults": 2,
        "first": "pxed.json:7:5: unknown key"}
    return document


class Served(Site):
    """A directory with a configuration that names the socket of a fake pxed."""

    def setUp(self):
        super().setUp()
        self.socket = self.dir / "control.sock"
        self.configure(control=str(self.socket))
        self.pxed = FakePxed(self.socket)
        self.addCleanup(self.close)

    def close(self):
        if self.pxed:
            self.pxed.close()
            self.pxed = None

    def status(self, *arguments, code=0):
        return self.run_pxed("status", "-c", self.config, *arguments, code=code)


class Print(Served):
    def test_the_whole_document(self):
        self.pxed.document = whole_document()
        os.environ["TZ"] = "UTC"
        self.assertEqual(self.status().stdout, WHOLE)

    def test_nothing_happens(self):
        said = self.status().stdout
        self.assertIn("BOOTING NOW: 0", said)
        self.assertNotIn("ATTENTION", said)
        self.assertNotIn("\x1b", said)

    def test_the_document_says_who_needs_attention(self):
        over = a_boot(2, **{**STOPPED, "attention": False})
        self.pxed.document = a_document(recent=[a_boot(5), over])
        self.assertNotIn("ATTENTION", self.status().stdout)
        self.pxed.document = a_document(recent=[a_boot(5), over, a_boot(3, **STOPPED)])
        said = self.status().stdout
        self.assertEqual(len(re.findall(r"^  stopped   52:", said, re.M)), 1)
        self.assertIn("stopped   52:54:00:12:34:03", said)

    def test_many_failures_are_counted(self):
        self.pxed.document = a_document(recent=[a_boot(n, **STOPPED) for n in range(40, 0, -1)])
        said = self.status().stdout
        self.assertEqual(len(re.findall(r"^  stopped   52:", said, re.M)), 5)
        self.assertIn("35 more machines: `pxed log` has all", said)
        self.assertEqual(len(re.findall(r"^  09:57:", said, re.M)), 10)

    def test_a_document_that_lacks_everything(self):
        self.pxed.document = {}
        self.assertIn("BOOTING NOW: 0", self.status().stdout)
        self.pxed.document = {"boots": 7, "recent": [None, 3, {}], "transfers": [{}, "x"],
                              "time": 5, "totals": {"octets": -1}, "held": [[]]}
        self.status()

    def test_no_octet_of_a_peer_reaches_the_terminal(self):
        evil = "a\x1b[2J\x07\x9b2J\u202eb\n\rc"
        boot = a_boot(3, ended=None, state="booting", host=evil, arch=evil, client=evil, stage=evil,
                      ip=evil)
        self.pxed.document = a_document(
            boots=[boot], transfers=[a_file(3, name=evil), a_file(None, name=evil, peer=evil)],
            recent=[a_boot(2, host=evil, arch=evil, state="stopped", verdict=evil, sentence=evil,
                           screen=evil, remedy=evil, evidence=evil, ended=evil)],
            conflicts=[{"sentence": evil}], held=[{"mac": evil, "host": evil}],
            interfaces=[{"name": evil, "state": evil, "address": evil, "why": evil}],
            version=evil)
        for said in (self.status().stdout, on_terminal(self, 80, "--no-color")):
            for sign in "\x1b\x07\x9b\u202e\r":
                self.assertNotIn(sign, said.replace("\r\n", "\n"))


class Options(Served):
    def test_json_is_the_document(self):
        self.pxed.document = whole_document()
        said = self.status("--json").stdout
        self.assertEqual(json.loads(said), self.pxed.document)
        self.assertIn("21.1,", said)

    def test_quiet_says_nothing(self):
        done = self.status("--quiet")
        self.assertEqual(done.stdout + done.stderr, "")
        self.assertEqual(self.pxed.questions, [{"verb": "status", "files": False}])

    def test_quiet_without_a_pxed(self):
        self.close()
        done = self.status("--quiet", code=1)
        self.assertEqual(done.stdout + done.stderr, "")
        self.assertIn("none is running that listens at " + str(self.socket),
                      self.status(code=1).stderr)

    def test_quiet_with_a_pxed_that_is_stuck(self):
        self.pxed.mute = True
        begun = time.monotonic()
        self.status("--quiet", code=1)
        self.assertLess(time.monotonic() - begun, 30)

    def test_orders_to_a_pxed_that_is_stuck(self):
        self.pxed.mute = True
        done = self.run_pxed("approve", "-c", self.config, "52:54:00:00:00:01", code=1)
        self.assertIn("no answer at " + str(self.socket), done.stderr)

    def test_a_refusal_is_told(self):
        self.pxed.refusal = "out of memory"
        self.assertEqual(self.status(code=1).stderr, "pxed: out of memory\n")
        self.status("--quiet", code=1)

    def test_no_socket_configured(self):
        self.configure(control="off")
        self.assertIn('"control": "off"', self.status(code=1).stderr)

    def test_wrong_usage(self):
        for wrong in (["--quiet", "--json"], ["--quiet", "--watch"], ["--watch=0"],
                      ["--watch=x"], ["--watch=3601"], ["more"], ["--frob"]):
            self.assertIn("usage: pxed status", self.status(*wrong, code=2).stderr)


# -- on a terminal ------------------------------------------------------------------------

class Terminal:
    """pxed on a pseudo terminal of this size; what it wrote is in .text."""

    def __init__(self, test, width, height, *arguments, **environment):
        self.master, slave = pty.openpty()
        self.slave = slave
        self.text = ""
        self.resize(width, height)
        self.modes = termios.tcgetattr(slave)
        env = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "TZ": "UTC", **environment}
        self.process = subprocess.Popen(
            [os.path.abspath(PXED), "status", "-c", str(test.config), *arguments], stdin=slave,
            stdout=slave, stderr=slave, env=env, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        test.addCleanup(self.close)

    def resize(self, width, height):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def read(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                self.text += os.read(self.master, 65536).decode()
            elif self.process.poll() is not None:
                break
        return self.text

    def wait_for(self, what, seconds=30):
        end = time.monotonic() + seconds
        while what not in self.text:
            assert time.monotonic() < end, "%r did not come: %r" % (what, self.text)
            self.read(0.1)

    def end(self, seconds=30):
        self.read(seconds)
        return self.process.wait(1)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


def on_terminal(test, width, *arguments, **environment):
    terminal = Terminal(test, width, 24, *arguments, **environment)
    test.assertEqual(terminal.end(), 0)
    return terminal.text


def columns(line):
    plain = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", line)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in plain)


SHOW, HIDE, HOME = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l", "\x1b[H"


class OnTerminal(Served):
    def test_every_line_fits_every_width(self):
        self.pxed.document = whole_document()
        self.pxed.document["boots"][0]["host"] = "起動" * 20
        for width in (20, 40, 60, 80, 132, 250):
            for line in on_terminal(self, width).split("\r\n"):
                self.assertLessEqual(columns(line), width, line)

    def test_colours_unless_they_are_not_wanted(self):
        self.pxed.document = whole_document()
        self.assertIn("\x1b[1;31mNEEDS ATTENTION\x1b[0m", on_terminal(self, 80))
        self.assertNotIn("\x1b", on_terminal(self, 80, "--no-color"))
        self.assertNotIn("\x1b", on_terminal(self, 80, NO_COLOR="1"))
        self.assertNotIn("\x1b", on_terminal(self, 80, TERM="dumb"))

    def test_a_bar_for_each_transfer(self):
        self.pxed.document = whole_document()
        self.assertRegex(on_terminal(self, 80, "--no-color"),
                         r"      boot\.wim  \[━+─+\]  62%  1\.0GB of 1\.6GB  95MB/s  6\.3s left")
        self.assertRegex(on_terminal(self, 80, "--no-color", LC_ALL="C"),
                         r"      boot\.wim  \[#+-+\]  62%")


class Watch(Served):
    def watch(self, width=80, height=24, *arguments, **environment):
        terminal = Terminal(self, width, height, "--watch", *arguments, **environment)
        terminal.wait_for("BOOTING NOW")
        return terminal

    def check_given_back(self, terminal):
        self.assertTrue(terminal.text.endswith(HIDE), terminal.text[-200:])
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.modes)

    def test_q_ends_it(self):
        terminal = self.watch()
        self.assertTrue(terminal.text.startswith(SHOW + HOME))
        self.assertNotEqual(termios.tcgetattr(terminal.slave), terminal.modes)
        os.write(terminal.master, b"q")
        self.assertEqual(terminal.end(), 0)
        self.check_given_back(terminal)

    def test_signals_end_it(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            terminal = self.watch()
            terminal.process.send_signal(number)
            self.assertEqual(terminal.end(), 0, number)
            self.check_given_back(terminal)

    def test_control_c_ends_it(self):
        terminal = self.watch()
        os.write(terminal.master, b"\x03")
        self.assertEqual(terminal.end(), 0)
        self.check_given_back(terminal)

    def test_a_stopped_watch_gives_the_terminal_back(self):
        terminal = self.watch()
        os.write(terminal.master, b"\x1a")
        terminal.wait_for(HIDE)
        deadline = time.monotonic() + 5
        while os.waitid(os.P_PID, terminal.process.pid,
                        os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is None:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.check_given_back(terminal)
        terminal.text = ""
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_for("BOOTING NOW")
        self.assertTrue(terminal.text.startswith(SHOW))
        os.write(terminal.master, b"q")
        self.assertEqual(terminal.end(), 0)
        self.check_given_back(terminal)

    def test_frames_follow_the_document_in_place(self):
        terminal = self.watch()
        terminal.text = ""
        self.pxed.document = whole_document()
        terminal.wait_for("boot.wim")
        self.assertIn(HOME + "pxed", terminal.text)
        self.assertNotIn("\x1b[2J", terminal.text)

    def test_frames_keep_to_the_terminal_when_it_changes(self):
        self.pxed.document = whole_document()
        terminal = self.watch()
        terminal.text = ""
        terminal.resize(40, 6)
        deadline = time.monotonic() + 10
        while terminal.text.count(HOME) < 3:
            self.assertLess(time.monotonic(), deadline)
            terminal.read(0.2)
        frame = terminal.text.split(HOME)[-2]
        lines = frame.split("\r\n")
        self.assertEqual(len(lines), 6)
        for line in lines:
            self.assertLessEqual(columns(line), 40, line)

    def test_a_pxed_that_goes_and_comes_back(self):
        terminal = self.watch()
        self.close()
        terminal.wait_for("pxed does not answer")
        terminal.text = ""
        self.pxed = FakePxed(self.socket)
        terminal.wait_for("BOOTING NOW")
        os.write(terminal.master, b"q")
        self.assertEqual(terminal.end(), 0)

    def plain(self, *arguments, frames, mark):
        """So many frames of a watch into a pipe, told apart by mark."""
        watch = subprocess.Popen(
            [os.path.abspath(PXED), "status", "-c", str(self.config), "--watch", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.addCleanup(watch.stdout.close)
        said = ""
        while said.count(mark) < frames:
            said += watch.stdout.readline()
        watch.send_signal(signal.SIGTERM)
        said += watch.stdout.read()
        self.assertEqual(watch.wait(10), 0)
        return said

    def test_into_a_pipe_goes_a_frame_each_time(self):
        said = self.plain(frames=2, mark="Since the start")
        self.assertNotIn("\x1b", said)
        self.assertIn("resent.\n\npxed 1.0.0", said)

    def test_json_into_a_pipe_is_a_document_a_line(self):
        said = self.plain("--json", frames=2, mark='"version"')
        for line in said.split():
            self.assertEqual(json.loads(line), self.pxed.document)


if __name__ == "__main__":
    unittest.main()
