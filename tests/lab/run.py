#!/usr/bin/env python3
"""run.py PXED [--only REGEX] [--jobs N]: boots real firmware through pxed, as `make lab` does.

One line for each boot; what a failed one leaves is kept in build/lab/failed/NAME.  The exit
status is 0 when none failed, 1 when one did, 2 when the lab cannot run here.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile
import time

import network
import payloads
import sandbox
import servers
from boots import BOOTS
from machine import GIVEN_UP, Machine, qemu_argv
from watcher import Watcher

HERE = os.path.dirname(os.path.abspath(__file__))
FAILED = os.path.join(HERE, "../../build/lab/failed")
PASS, FAIL, SKIP = 0, 1, 77
MARKS = {PASS: "PASS", SKIP: "SKIP"}


# -- one boot, inside its sandbox ------------------------------------------------------
def missing(boot):
    """What this machine lacks for the boot, where it may lack it."""
    program = servers.DHCP_SERVERS[boot.dhcp][1]
    if not servers.program(program):
        return program
    return next((path for path in boot.needs if not os.path.exists(path)), None)


def start_servers(boot, pxed):
    """The network with both servers; returns pxed's process."""
    network.make_bridge(1)
    network.make_host(network.PXE)
    if not boot.same_host:
        network.make_host(network.DHCP)
    payloads.build("tftp")
    root, conf = os.path.abspath("tftp"), None
    if boot.init is not None:
        root, conf = servers.init_root(pxed, boot.init, boot.files, boot.hosts)

    def start_dhcp():
        servers.DHCP_SERVERS[boot.dhcp][0](network.PXE if boot.same_host else network.DHCP)
    if boot.same_host != "pxed-first":
        start_dhcp()
    if conf:
        proc = servers.run_pxed(pxed, conf)
    else:
        proc = servers.start_pxed(pxed, root, {**servers.USUAL_FILES, **boot.files}, boot.profiles,
                                  boot.hosts, boot.tftp, boot.templates, boot.http,
                                  bool(boot.timeline))
    if boot.same_host == "pxed-first":
        start_dhcp()
    return proc


def transfers():
    """What pxed says of the files it sent: one line of fields each."""
    with open("pxed.log", errors="replace") as f:
        return re.findall(r"(?:tftp|http) done .*?(file=.*)", f.read())


def verdict(boot, pc, watcher):
    """None, or why this boot failed."""
    given_up = () if boot.http or boot.goes_on else GIVEN_UP
    why = pc.wait_for(boot.marker, boot.timeout, watcher.look if watcher else lambda: None, given_up)
    if why is None and boot.also not in pc.text():
        why = "no '%s' on the way" % boot.also
    if why is None and boot.refused and transfers():
        why = "pxed sent an ignored machine a file"
    return why


JUDGED_WITHIN = 60      # seconds of silence, and some more


def judgement(boot):
    """None, or why pxed's verdict on the boot is not the one expected."""
    found = network.wait_for_log("pxed.log", r"boot (?:done|stopped|left alone) .*verdict=(\S+)",
                                 JUDGED_WITHIN)
    if found and re.fullmatch(boot.judged, found):
        return None
    return "pxed's verdict is %s, not %s" % (found, boot.judged)


def boot_once(boot, pxed):
    """(why it failed or None, what to tell besides)."""
    pxed_proc = start_servers(boot, pxed)
    if boot.loss:
        network.lose(boot.loss)
    network.record("boot.pcap")
    pc = Machine(qemu_argv(boot.firmware, nic=boot.nic, rom=boot.rom, ip=boot.ip))
    watcher = Watcher(boot) if boot.timeline else None
    why = verdict(boot, pc, watcher)
    told = "%5.1f s" % pc.seconds()
    pc.stop()
    if why is None and boot.judged:
        why = judgement(boot)
    if why is None and watcher:
        why = watcher.after()
    servers.stop_pxed(pxed_proc)
    if why is None and watcher:
        why = watcher.at_the_end()
    if boot.loss:
        told += "  %d packets lost" % network.lost()
    if not boot.refused and transfers():
        told += "  " + transfers()[-1]
    return why, told


def keep(name):
    """Moves what the boot left out of the sandbox."""
    target = os.path.normpath(os.path.join(FAILED, name))
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    for entry in os.scandir("."):
        if entry.is_file() and entry.name.endswith((".log", ".pcap", ".json", ".conf")):
            shutil.copy(entry.path, target)
    return os.path.relpath(target, os.path.join(HERE, "../.."))


def inside(name, pxed):
    """Runs one boot, prints its line; the exit status is the verdict."""
    sandbox.inside()
    os.environ["PXED"] = pxed
    boot = next(b for b in BOOTS if b.name == name)
    lack = missing(boot)
    if lack:
        print("%s: not installed" % lack)
        return SKIP
    told = ""
    try:
        why, told = boot_once(boot, pxed)
    except network.LabError as e:
        why = str(e)
    if why is None:
        print(told)
        return PASS
    print("%s  %s\n      kept in %s" % (told, why, keep(name)))
    for log in ("pxed.log", "serial0.log"):
        print("      -- the end of %s" % log)
        for line in network.tail(log, 8).splitlines():
            print("      " + line)
    return FAIL


# -- all of them -----------------------------------------------------------------------
class Job:
    """A boot under way in a sandbox."""

    def __init__(self, name, pxed):
        self.name = name
        self.output = tempfile.TemporaryFile("w+")
        self.proc = sandbox.isolated([os.path.abspath(__file__), pxed, "--inside", name],
                                     stdout=self.output, stderr=self.output)

    def report(self):
        """Prints its line; the verdict."""
        status = self.proc.returncode
        self.output.seek(0)
        print("%s  %-26s %s" % (MARKS.get(status, "FAIL"), self.name, self.output.read().rstrip()),
              flush=True)
        return status


def run_all(names, pxed, jobs):
    """Runs them, some at a time; {verdict: count}."""
    todo, running, counts = list(names), [], {}
    try:
        while todo or running:
            while todo and len(running) < jobs:
                running.append(Job(todo.pop(0), pxed))
            for job in [j for j in running if j.proc.poll() is not None]:
                running.remove(job)
                status = job.report()
                counts[status] = counts.get(status, 0) + 1
            time.sleep(0.05)
    finally:
        for job in running:
            sandbox.end(job.proc)
    return counts


def arguments():
    """The command line."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("pxed", help="the program under test")
    p.add_argument("--only", default=".", help="boots whose name this regular expression finds")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    p.add_argument("--inside", help=argparse.SUPPRESS)
    return p.parse_args()


def main():
    a = arguments()
    if a.inside:
        return inside(a.inside, a.pxed)
    if not sandbox.begin("lab"):
        return 2
    names = [b.name for b in BOOTS if re.search(a.only, b.name)]
    start = time.monotonic()
    counts = run_all(names, os.path.abspath(a.pxed), a.jobs)
    passed, skipped = counts.pop(PASS, 0), counts.pop(SKIP, 0)
    failed = sum(counts.values())
    print("lab: %d boots in %.0f s, %d skipped" % (len(names), time.monotonic() - start, skipped))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
