#!/usr/bin/env python3
"""Network-namespace tests of pxed.

    run.py [BINARY] [-k REGEX] [-j N]      BINARY: build/pxed if not given

Each test_*.py is one worker process, N at a time.  Needs root; without it says so and ends
with status 0.  Status 1: a test failed.
"""
import argparse
import importlib
import multiprocessing
import multiprocessing.connection
import os
import re
import shutil
import signal
import sys

import harness
import net

# Waiting for silence fills most of a test's time, so more workers than processors pay off.
WORKERS = 6
TOOLS = ("ip", "nft", "dnsmasq")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=os.path.join(net.TOP, "build", "pxed"))
    parser.add_argument("-k", metavar="REGEX", default="", help="only tests whose name matches")
    parser.add_argument("-j", metavar="N", type=int, default=WORKERS, help="workers at a time")
    return parser.parse_args()


def on_terminate(_number, _frame):
    """SIGTERM cleans up like Ctrl-C does."""
    raise KeyboardInterrupt


def work(name, wanted, pipe):
    """A worker: the tests of one file, each result sent up the pipe."""
    signal.signal(signal.SIGTERM, on_terminate)
    net.die_with_parent(signal.SIGTERM)
    try:
        harness.run_module(importlib.import_module(name), wanted,
                           lambda *result: pipe.send(result))
    except KeyboardInterrupt:
        sys.exit(1)


class Workers:
    """The files still to run and the workers at it."""

    def __init__(self, names, wanted, limit):
        self.names, self.wanted, self.limit = list(names), wanted, limit
        self.running = {}

    def results(self):
        """Every result as it comes; a worker that dies is a result, too."""
        self.fill()
        while self.running:
            for pipe in multiprocessing.connection.wait(list(self.running)):
                yield from self.take(pipe)
            self.fill()

    def fill(self):
        while self.names and len(self.running) < self.limit:
            name = self.names.pop(0)
            ours, theirs = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.Process(target=work, args=(name, self.wanted, theirs))
            process.start()
            theirs.close()
            self.running[ours] = (name, process)

    def take(self, pipe):
        try:
            yield pipe.recv()
        except EOFError:
            name, process = self.running.pop(pipe)
            process.join()
            if process.exitcode:
                yield name, 0.0, "    its worker ended with status %s\n" % process.exitcode

    def stop(self):
        for _, process in self.running.values():
            if process.is_alive():
                process.terminate()
        for _, process in self.running.values():
            process.join(20)


def test_files():
    names = [name[:-3] for name in os.listdir(net.HERE) if re.match(r"test_\w+\.py$", name)]
    return sorted(names)


def missing(binary):
    """Why nothing can run although we are root, or None."""
    if not os.access(binary, os.X_OK):
        return "%s is not there: run make first" % binary
    for tool in TOOLS:
        if not shutil.which(tool):
            return "%s is not installed" % tool
    return None


def run_all(options):
    """Run what was asked for; the number of passed, failed and skipped tests."""
    passed = failed = skipped = 0
    workers = Workers(test_files(), re.compile(options.k), options.j)
    try:
        for name, seconds, fault in workers.results():
            if fault is None:
                passed += 1
                print("ok   %s (%.1f s)" % (name, seconds), flush=True)
            elif isinstance(fault, harness.Skip):
                skipped += 1
                print("SKIP %s: %s" % (name, fault), flush=True)
            else:
                failed += 1
                print("FAIL %s (%.1f s)\n%s" % (name, seconds, fault), end="", flush=True)
    finally:
        workers.stop()
    return passed, failed, skipped


def main():
    options = arguments()
    if os.geteuid() != 0:
        print("SKIP namespace tests: they need root")
        return 0
    reason = missing(options.binary)
    if reason:
        print("FAIL namespace tests: " + reason)
        return 1
    os.environ["PXED"] = os.path.abspath(options.binary)
    signal.signal(signal.SIGTERM, on_terminate)
    net.clean_leftovers()
    passed, failed, skipped = run_all(options)
    print("%d passed, %d failed%s" % (passed, failed,
                                      ", %d skipped" % skipped if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted")
        sys.exit(130)
