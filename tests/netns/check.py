"""What a test may claim; a claim that does not hold ends the test with both values."""
import time

# Seconds that a test waits for what must come.  A busy machine takes its time; a test that
# passes does not wait for it to end.
PATIENCE = 20.0


class Failed(AssertionError):
    """A claim did not hold."""


class Skipped(Exception):
    """A test cannot be run here."""


def skip(why):
    raise Skipped(why)


def show(value):
    """A value as text, long ones cut."""
    text = repr(value)
    return text if len(text) <= 400 else text[:300] + "... (%d characters)" % len(text)


def fail(what):
    raise Failed(what)


def that(truth, what):
    if not truth:
        fail(what)


def until(what, condition, seconds=PATIENCE):
    """Wait until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        that(time.monotonic() < end, "not within %.0f s: %s" % (seconds, what))
        time.sleep(0.02)


def equal(got, want, what):
    if got != want:
        fail("%s: got %s, want %s" % (what, show(got), show(want)))


def same_bytes(got, want, what):
    """Two long byte strings; the fault names the first difference."""
    if got == want:
        return
    at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
    fail("%s: %d bytes, want %d; first difference at %d: got %s, want %s" % (
        what, len(got), len(want), at, got[at:at + 16].hex(), want[at:at + 16].hex()))


def at_most(got, limit, what):
    if got > limit:
        fail("%s: got %s, want at most %s" % (what, got, limit))


def at_least(got, limit, what):
    if got < limit:
        fail("%s: got %s, want at least %s" % (what, got, limit))


def inside(got, wanted, what):
    if got not in wanted:
        fail("%s: got %s, want one of %s" % (what, show(got), show(wanted)))


def lacks(text, part, what):
    if part in text:
        fail("%s: %s must not hold %s" % (what, show(text), show(part)))
