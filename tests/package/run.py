#!/usr/bin/env python3
"""Tests of what is shipped: built as a packager builds it, used as an administrator uses it.

    run.py [-k REGEX]

Needs root, network namespaces and the packages of packaging/packages/package.  The last line
counts: "N passed, N failed".
"""
import argparse
import importlib
import os
import re
import shutil
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "netns")]

import check  # noqa: E402  the folders come first
import net  # noqa: E402


def tests(wanted):
    for file in sorted(os.listdir(HERE)):
        if file.startswith("test_") and file.endswith(".py"):
            module = importlib.import_module(file[:-3])
            for name, test in list(vars(module).items()):
                if name.startswith("test_") and re.search(wanted, file[:-3] + "." + name):
                    yield "%s.%s" % (file[:-3], name), test


def forget_earlier_builds():
    """They are of other sources."""
    import test_container
    shutil.rmtree(os.path.join(net.TOP, "build", "package", "deb"), ignore_errors=True)
    for arch in test_container.ARCHS:
        subprocess.run((*test_container.engine("podman"), "rmi", "-f", test_container.image(arch)),
                       capture_output=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-k", metavar="REGEX", default="", help="only tests whose name matches")
    wanted = parser.parse_args().k
    if os.geteuid() != 0:
        sys.exit("the package tests need root")
    net.clean_leftovers()
    forget_earlier_builds()
    passed = failed = 0
    for name, test in tests(wanted):
        start = time.monotonic()
        try:
            test()
            passed, word = passed + 1, "ok  "
        except check.Skipped as why:
            word = "skip (%s)" % why
        except Exception:  # whatever it was, the others are still run
            failed, word = failed + 1, "FAIL"
            traceback.print_exc(limit=-3, file=sys.stdout)
        print("%s %s (%.1f s)" % (word, name, time.monotonic() - start), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
