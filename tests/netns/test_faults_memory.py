"""Every allocation fails in turn: while pxed serves, and while it starts."""
import errno

import check
import inject
import net
import web
from test_faults import STARTS, Site, again

TEST_SECONDS = 150
OWN = "malloc calloc realloc strdup"
ALL = "malloc calloc strdup"    # by libraries, too; libuv ends the process when realloc() fails
CLOSE = 40                      # this many in turn, then some of those behind
MOST = 100000
SWEEPS = 8                      # one piece that is forgotten each time is more than a boot begun meanwhile


def questions(site):
    """What is asked, and a call that asks it and looks at the answer."""
    def page(path):
        return lambda: check.equal(web.get(site.client, net.SERVER, path).status, 200, "status of " + path)

    def verb(name):
        return lambda: site.tell(name)

    found = {"offer": site.offer, "offer6": site.offer6, "tftp": site.tftp, "http": site.http,
             "approve": lambda: site.tell("approve", mac=next(site.macs))}
    found.update((name, verb(name)) for name in (
        "ping", "verbs", "version", "known", "learned", "status", "boots", "log", "forget", "reload"))
    found.update((path, page(path)) for path in ("/", "/api/status", "/api/boots", "/metrics"))
    return found


def steps(close=CLOSE):
    """How many calls go through before one fails."""
    skip = 0
    while skip < MOST:
        yield skip
        skip += 1 if skip < close else max(2, skip // 10)


def each_fails(site, call, calls, times, own):
    """Alone, or all from there on; whoever asks may go without."""
    for skip in steps():
        with site.inject.fails(calls, errno.ENOMEM, times, skip, own) as fault:
            try:
                call()
            except (check.Failed, net.NetError, OSError) as reason:
                check.that(fault.failed, "it fails without a fault: %s" % reason)
        check.that(site.pxed.alive(), "allocation %d ended it" % skip)
        if not fault.failed:
            return
    check.fail("there is no end of allocations")


def all_ways(site, call):
    again(call)
    each_fails(site, call, OWN, 1, True)
    # The JSON library writes past a buffer when one allocation fails and the next does not.
    each_fails(site, call, ALL, inject.FOREVER, False)
    again(call)


def test_an_answer_without_memory():
    """Without recordings: those that cannot be written stay in memory, within their bound."""
    with net.Net() as network:
        site = Site(network, evidence={"enabled": False})
        asked = questions(site)
        site.serve()
        files = len(site.pxed.open_files())
        for name, call in asked.items():
            all_ways(site, call)
            before = site.pieces()
            for _ in range(SWEEPS):
                all_ways(site, call)
            check.until("what %s used is free again" % name, lambda: site.pieces() < before + SWEEPS)
        site.serve()
        check.until("descriptors are back", lambda: len(site.pxed.open_files()) <= files)


def start(site):
    """It ends, or is ready."""
    pxed = site.network.pxed(site.server, site.configuration, ready=False, under=site.inject.words)
    pxed.stopped = True
    net.Program.all.remove(pxed)  # of hundreds nobody wants the log
    check.until("it ends or is ready", lambda: not pxed.alive() or "pxed ready" in pxed.log(), STARTS)
    return pxed


def test_a_start_without_memory():
    """It says so and ends with status 1, or serves with less and says that."""
    with net.Net() as network:
        site = Site(network)
        site.pxed.close()
        for skip in steps():
            with site.inject.fails(OWN, errno.ENOMEM, 1, skip, True) as fault:
                pxed = start(site)
            if pxed.alive():
                check.equal(pxed.stop(STARTS), 0, "status of a start without allocation %d" % skip)
            else:
                check.equal(pxed.process.returncode, 1, "status without allocation %d: %s" % (
                    skip, pxed.log()[-300:]))
                check.inside("memory", pxed.log(), "why it did not start")
            if not fault.failed:
                break
        check.that(not fault.failed, "there is no end of allocations")
        site.start()
        site.serve()


CALLS = (
    ("open openat openat2 opendir", errno.EMFILE),
    ("read pread", errno.EIO),
    ("stat fstat statx", errno.EIO),
    ("mkdir unlink", errno.EACCES),
    ("socket", errno.EMFILE),
    ("bind", errno.EADDRNOTAVAIL),
    ("setsockopt", errno.ENOPROTOOPT),
    ("getsockopt getsockname", errno.ENOBUFS),
    ("ioctl fcntl", errno.EINVAL),
    ("getrandom", errno.ENOSYS),
    ("timerfd_settime", errno.EINVAL),
    ("prctl", errno.EPERM),
)


def test_a_start_whose_calls_fail():
    """Each in turn: it says what it lacks and ends with status 1, or serves with less."""
    with net.Net() as network:
        site = Site(network)
        site.pxed.close()
        for calls, error in CALLS:
            for skip in steps(10):
                with site.inject.fails(calls, error, 1, skip, True) as fault:
                    pxed = start(site)
                what = "%s, %d" % (calls, skip)
                if pxed.alive():
                    check.equal(pxed.stop(STARTS), 0, what)
                else:
                    check.equal(pxed.process.returncode, 1, "%s: %s" % (what, pxed.log()[-300:]))
                    check.inside(" error: ", pxed.log(), "why it did not start: " + what)
                if not fault.failed:
                    break
        with site.inject.fails("pthread_create", errno.EAGAIN, inject.FOREVER, own=False):
            pxed = start(site)
        check.equal((pxed.alive(), pxed.process.returncode), (False, 1), "status without threads")
        check.inside("cannot start the event loop: Resource temporarily unavailable", pxed.log(), "log")
