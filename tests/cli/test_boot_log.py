"""`pxed log`: a line for each boot that has ended, and those that end while it looks on."""
import json
import os
import signal
import subprocess
import time
import unittest

from fake_pxed import FakePxed, a_boot
from site_dir import PXED
from test_status import STOPPED, Served

LINES = [
    "2026-11-30 09:57:01  52:54:00:12:34:01  lab-01          x64-uefi            7.4s  "
    "booted                  The machine loaded all it needs.",
    "2026-11-30 09:57:02  52:54:00:12:34:02  lab-02          x64-uefi             21s  "
    "only-us                 The machine got no address: only pxed answered it, no DHCP server "
    "did.",
    "2026-11-30 09:57:03  52:54:00:12:34:03  -               x64-uefi            7.4s  "
    "booted                  The machine loaded all it needs.",
]


class Logged(Served):
    def setUp(self):
        super().setUp()
        os.environ["TZ"] = "UTC"
        self.pxed.ended = [a_boot(1), a_boot(2, **STOPPED), a_boot(3, host=None)]

    def log(self, *arguments, code=0):
        return self.run_pxed("log", "-c", self.config, *arguments, code=code)


class Past(Logged):
    def test_a_line_for_each_boot(self):
        self.assertEqual(self.log().stdout.splitlines(), LINES)

    def test_the_last_lines(self):
        self.assertEqual(self.log("-n", "2").stdout.splitlines(), LINES[1:])
        self.assertEqual(self.log("-n", "0").stdout, "")
        self.assertEqual(self.log("-n", "9").stdout.splitlines(), LINES)

    def test_more_than_an_answer_holds(self):
        self.pxed.most = 2
        self.pxed.ended = [a_boot(number) for number in range(1, 8)]
        self.assertEqual(len(self.log().stdout.splitlines()), 7)
        self.assertIn("lab-07", self.log("-n", "1").stdout)

    def test_of_one_machine(self):
        said = self.log("52:54:00:12:34:02").stdout
        self.assertEqual(said.splitlines(), LINES[1:2])
        self.assertEqual(self.pxed.questions[-1]["mac"], "52:54:00:12:34:02")

    def test_json(self):
        said = self.log("--json").stdout
        self.assertEqual([json.loads(line) for line in said.splitlines()], self.pxed.ended)

    def test_text_of_a_peer_is_made_safe(self):
        evil = "a\x1b[2J\x9b\u202e\nb"
        self.pxed.ended = [a_boot(1, mac=None, ip=evil, host=evil, arch=evil, verdict=evil,
                                  sentence=evil, ended=evil)]
        said = self.log().stdout
        self.assertEqual(len(said.splitlines()), 1)
        for sign in "\x1b\x9b\u202e":
            self.assertNotIn(sign, said)

    def test_nobody_answers(self):
        self.close()
        self.assertIn("none is running", self.log(code=1).stderr)
        self.assertIn("none is running", self.log("--follow", code=1).stderr)

    def test_a_refusal_is_told(self):
        self.pxed.refusal = "unknown verb"
        self.assertEqual(self.log(code=1).stderr, "pxed: unknown verb\n")

    def test_wrong_usage(self):
        for wrong in (["-n", "x"], ["-n", "-1"], ["52:54"], ["52:54:00:12:34:02", "more"],
                      ["--watch"]):
            self.assertIn("usage: pxed log", self.log(*wrong, code=2).stderr)


class Follow(Logged):
    def follow(self, *arguments):
        process = subprocess.Popen(
            [os.path.abspath(PXED), "log", "-c", str(self.config), "--follow", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        deadline = time.monotonic() + 10
        while not any(question.get("wait") for question in self.pxed.questions):
            self.assertLess(time.monotonic(), deadline, "it does not wait for more")
            time.sleep(0.01)
        return process

    @staticmethod
    def end(process):
        process.send_signal(signal.SIGTERM)
        process.wait(10)
        process.stdout.close()
        process.stderr.close()

    def test_what_ends_later_comes_at_once(self):
        process = self.follow("-n", "1")
        self.assertEqual(process.stdout.readline().rstrip("\n"), LINES[2])
        for number in (4, 5):
            self.pxed.end(a_boot(number))
            self.assertIn("lab-%02d" % number, process.stdout.readline())

    def test_of_one_machine(self):
        process = self.follow("-n", "0", "52:54:00:12:34:05")
        self.pxed.end(a_boot(4))
        self.pxed.end(a_boot(5))
        self.assertIn("lab-05", process.stdout.readline())

    def restart(self, process, pid, ended=()):
        self.assertEqual(process.stdout.readline().rstrip("\n"), LINES[2])
        self.pxed.close()
        self.assertIn("it has gone", process.stderr.readline())
        self.pxed = FakePxed(self.socket, pid=pid, ended=ended)

    def test_it_survives_a_restart(self):
        process = self.follow("-n", "1")
        self.restart(process, 18)
        self.assertEqual(process.stderr.readline(),
                         "pxed: it is back, started anew, process 18\n")
        self.pxed.end(a_boot(1))
        self.assertIn("lab-01", process.stdout.readline())

    def test_it_survives_a_restart_in_a_container(self):
        """Where every process is number 1; counts that fell tell."""
        self.pxed.pid = 1
        process = self.follow("-n", "1")
        self.restart(process, 1, [a_boot(1)])
        self.assertIn("it is back", process.stderr.readline())
        self.assertIn("lab-01", process.stdout.readline())

    def test_a_lost_connection_repeats_nothing(self):
        """The same process answers again: what was told is not told anew."""
        process = self.follow("-n", "1")
        self.restart(process, 17, self.pxed.ended)
        self.assertEqual(process.stderr.readline(), "pxed: it is back, process 17\n")
        self.pxed.end(a_boot(4))
        self.assertIn("lab-04", process.stdout.readline())

    def test_json(self):
        process = self.follow("--json", "-n", "0")
        boot = a_boot(4)
        self.pxed.end(boot)
        self.assertEqual(json.loads(process.stdout.readline()), boot)


if __name__ == "__main__":
    unittest.main()
