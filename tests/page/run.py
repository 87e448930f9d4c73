#!/usr/bin/env python3
"""Tests of the web page in a headless Chromium: with documents made up, and with a real boot.

    run.py [BINARY] [-k REGEX]      BINARY: build/pxed if not given

Pictures of what was seen go to build/page.  Needs root, for the namespaces; without it says so
and ends with status 0.  Status 1: a test failed.
"""
import argparse
import importlib
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "netns"))

import browser  # noqa: E402
import harness  # noqa: E402
import net      # noqa: E402

MODULES = ("test_page", "test_boot")
harness.TEST_SECONDS = 120  # the end of a boot is waited for, and a browser is slow to start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?", default=os.path.join(net.TOP, "build", "pxed"))
    parser.add_argument("-k", metavar="REGEX", default="", help="only tests whose name matches")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("SKIP page tests: they need root")
        return 0
    if not browser.program():
        print("FAIL page tests: chromium is not installed")
        return 1
    os.environ["PXED"] = os.path.abspath(options.binary)
    net.clean_leftovers()
    counts = {"passed": 0, "failed": 0}

    def report(name, seconds, fault):
        counts["failed" if fault else "passed"] += 1
        print("%s %s (%.1f s)" % ("FAIL" if fault else "ok  ", name, seconds), flush=True)
        if fault:
            print(fault, end="", flush=True)

    for name in MODULES:
        harness.run_module(importlib.import_module(name), re.compile(options.k), report)
    print("%(passed)d passed, %(failed)d failed" % counts)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
