"""The operator: asks pxed of a boot, at all its doors, while the machine boots and after."""
import json
import os
import re
import socket
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "netns"))

import check            # noqa: E402
import doors            # noqa: E402
import net              # noqa: E402
import servers          # noqa: E402
from machine import mac     # noqa: E402
from network import PXE, write  # noqa: E402

ENDS_WITHIN = 60        # seconds of silence, and some more


class Host:
    """pxed's host, for sockets that are there."""

    def socket(self, family, kind):
        return net.in_namespace(PXE[0], lambda: socket.socket(family, kind))


def log():
    with open("pxed.log", errors="replace") as f:
        return f.read()


def told(call):
    """None, or what the doors disagree about."""
    try:
        return call()
    except (check.Failed, net.NetError) as fault:
        return str(fault)


def word(event):
    """The kind of an event; of an end and a verdict how and which."""
    return re.match(r"[\w-]+", event["text"])[0] if event["kind"] in ("end", "verdict") else event["kind"]


class Watcher:
    """look() while the machine boots; after() when it has booted; at_the_end(): pxed has stopped."""

    def __init__(self, boot):
        self.boot, self.looks, self.fault, self.ended = boot, 0, None, None
        self.doors = doors.Doors(Host(), os.path.abspath("pxed.json"), servers.CONTROL, log)

    def look(self):
        """Once the machine has been heard."""
        if self.fault is None and self.doors.boot(mac(0)):
            self.fault = told(self.compare)

    def compare(self):
        boot = doors.same_boot(self.doors, mac(0))
        if boot and boot["state"] == "booting":
            self.looks += 1

    def after(self):
        """None, or why what was told while and after it is not one boot of this firmware."""
        return self.fault or told(self.judge)

    def judge(self):
        end = time.monotonic() + ENDS_WITHIN
        self.compare()
        check.at_least(self.looks, 1, "times that all doors told the same of the boot under way")
        while not self.doors.boot(mac(0))["ended"]:
            check.that(time.monotonic() < end, "the boot does not end")
            time.sleep(0.2)
        self.ended = doors.same_boot(self.doors, mac(0))
        write("boot.json", json.dumps(self.ended, indent=2))
        doors.same_totals(self.doors)
        words = " ".join(map(word, self.ended["events"]))
        check.that(re.fullmatch(self.boot.timeline, words), "its events: " + words)
        for file in self.ended["files"]:
            there = os.path.getsize(os.path.join("tftp", file["served"]))
            check.equal(file["size"], there, "size of " + file["name"])

    def at_the_end(self):
        """None, or where the log differs."""
        return told(lambda: doors.same_log(self.doors, self.ended))
