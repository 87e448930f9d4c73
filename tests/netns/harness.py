"""Runs the tests of one file, one after another.

A test is a function test_*.  Its parameters name fixtures: generators marked @fixture that
yield one value and clean up behind the yield.  A fixture is made when first asked for and
serves all tests of its file; after a test that failed it is made anew, so that one fault does
not spoil the tests behind it.
"""
import inspect
import signal
import time
import traceback

import check
import net

TEST_SECONDS = 120
TIMED_RUNS = 4


class TooLong(Exception):
    """A test did not end."""


def fixture(function):
    function.is_fixture = True
    return function


def timed(function):
    """Marks a test of how fast something goes, which a busy machine can slow down: it passes when
    one of its runs does."""
    function.runs = TIMED_RUNS
    return function


class Fixtures:
    """The fixtures of one file that are set up at the moment."""

    def __init__(self, module):
        self.module = module
        self.live = {}

    def get(self, name):
        if name not in self.live:
            maker = getattr(self.module, name)
            generator = maker(*[self.get(parameter) for parameter in parameters(maker)])
            self.live[name] = (generator, next(generator))
        return self.live[name][1]

    def close(self):
        for name in reversed(list(self.live)):
            generator, _ = self.live.pop(name)
            for _ in generator:
                pass


def parameters(function):
    return list(inspect.signature(function).parameters)


def tests_of(module, wanted):
    """The tests of a module in the order they are written, those whose full name matches."""
    for name, value in list(vars(module).items()):
        if name.startswith("test_") and wanted.search("%s.%s" % (module.__name__, name)):
            yield name, value


def on_alarm(_number, _frame):
    raise TooLong("not ended in time")


def seconds_of(module):
    """How long a test may take; a file may say so itself."""
    return getattr(module, "TEST_SECONDS", TEST_SECONDS)


def runs_of(module):
    """A file whose tests are all timed() says so itself."""
    return TIMED_RUNS if getattr(module, "TIMED", False) else 1


class Skip(str):
    """In the place of a fault: why a test was not run."""


def run_module(module, wanted, report):
    """Run the tests; report(name, seconds, fault) after each, fault None when it passed."""
    signal.signal(signal.SIGALRM, on_alarm)
    fixtures = Fixtures(module)
    try:
        for name, test in tests_of(module, wanted):
            start = time.monotonic()
            fault = best_of(test, fixtures)
            report("%s.%s" % (module.__name__, name), time.monotonic() - start, fault)
    finally:
        fixtures.close()


def best_of(test, fixtures):
    """The fault of the last of its runs, or None."""
    fault = None
    for _ in range(getattr(test, "runs", runs_of(fixtures.module))):
        fault = run_test(test, fixtures)
        if fault is None or isinstance(fault, Skip):
            break
    return fault


def run_test(test, fixtures):
    """One test; the text of its fault, or None."""
    before = {program: len(program.log()) for program in net.Program.all if not program.stopped}
    net.Program.all = list(before)
    signal.alarm(seconds_of(fixtures.module))
    try:
        test(*[fixtures.get(name) for name in parameters(test)])
        died_programs()
        refused_calls()
        return None
    except check.Skipped as reason:
        return Skip(reason)
    except (Exception, TooLong) as fault:
        text = describe(fault)
        fixtures_alive = [program for program in net.Program.all]
        logs = "".join(log_tail(program, before.get(program, 0)) for program in fixtures_alive)
        signal.alarm(TEST_SECONDS)
        fixtures.close()
        return text + logs
    finally:
        signal.alarm(0)


def died_programs():
    """A program that ended by itself is a fault of any test."""
    for program in net.Program.all:
        if not program.stopped and not program.alive():
            check.fail("%s ended by itself with status %d" % (
                program.title, program.process.returncode))


def refused_calls():
    """A system call that the filter of pxed lacks is a fault of any test."""
    for program in net.Program.all:
        check.lacks(program.log(), "was refused the system call", "log of " + program.title)


def describe(fault):
    """The fault and the line of the test file that met it."""
    frames = [frame for frame in traceback.extract_tb(fault.__traceback__)
              if "/test_" in frame.filename]
    where = frames[-1] if frames else traceback.extract_tb(fault.__traceback__)[-1]
    kind = "" if isinstance(fault, check.Failed) else type(fault).__name__ + ": "
    place = "%s:%d: %s" % (where.filename.rsplit("/", 1)[1], where.lineno, where.line)
    return "    %s%s\n    at %s\n" % (kind, str(fault).replace("\n", "\n    "), place)


def log_tail(program, start):
    """The last lines a program wrote during the test."""
    lines = program.log()[start:].splitlines()[-12:]
    if not lines:
        return "    log of %s: nothing in this test\n" % program.title
    return "    log of %s:\n" % program.title + "".join("      | %s\n" % line[:300] for line in lines)
