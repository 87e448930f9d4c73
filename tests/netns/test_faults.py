"""Every system call that serving makes fails in turn, with each errno that it may have.

A fault may cost what it was made for: a repetition, a refusal that says so.  pxed lives, others
are served, no descriptor is lost, nothing runs in circles, and when it is over all is as before.
"""
import dataclasses
import errno
import itertools
import os
import re
import socket
import sqlite3
import time

import check
import dhcp
import dhcp6
import harness
import inject
import net
import tftp
import web
import wire
from doors import ask

FILE = bytes(range(256)) * 400
TEST_SECONDS = 90
TRIES = 4           # of a client that repeats what it asked
MOST_CALLS = 300
BOOT_PIECES = 6     # its events, its files, its name, its recording
ROUGHLY = 20        # pieces of memory: what the log folds, a transfer that lingers
PATIENCE, SOON = 5.0, 0.3   # seconds a client waits: for what comes, for what may not
STARTS = 20         # seconds that a start or an end may take
LASTS = 0.3         # seconds that a fault stays
CALLS_PER_SECOND = 5000     # in vain: what is more runs in circles
BOOTS, HELD = "52:54:00:0c:00:01", "52:54:00:0c:00:02"


class Site:
    """One pxed with all doors, and a client."""

    def __init__(self, network, **settings):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.root.write("file", FILE)
        self.inject = inject.Injector(network.folder)
        self.state_dir = os.path.join(network.folder, "state")
        self.configuration = dict(
            net.config(self.root), state_dir=self.state_dir,
            http={"listen": net.SERVER + ":8069", "boot_files": True,
                  "page_from": ["10.77.0.0/24"]},
            control=os.path.join(network.folder, "control.sock"), **settings)
        self.start()
        self.pxe = dhcp.Client(self.client)
        self.patience = PATIENCE
        self.macs = ("52:54:00:0d:%02x:%02x" % divmod(number, 256) for number in itertools.count())

    def start(self):
        self.pxed = self.network.pxed(self.server, self.configuration, ready=False, under=self.inject.words)
        self.pxed.wait_log("pxed ready", timeout=STARTS)

    # -- one question at each door; what it raises is a client that goes without ---------------

    def offer(self):
        message = dhcp.discover(7, chaddr=wire.mac_bytes(BOOTS).ljust(16, b"\0"))
        self.pxe.wire.drain()  # of files that came meanwhile
        self.pxe.send(message)
        found = self.pxe.replies(self.patience, {message.xid}, stop=lambda reply: True)
        check.that(found, "no offer")

    def port4011(self):
        message = dhcp.request4011(7, ciaddr=net.CLIENT, chaddr=wire.mac_bytes(BOOTS).ljust(16, b"\0"))
        with self.client.udp(net.CLIENT, 4011) as sock:
            sock.settimeout(self.patience)
            sock.sendto(message.pack(), (net.SERVER, 4011))
            check.equal(sock.recvfrom(2048)[1], (net.SERVER, 4011), "source of the answer")

    def tftp(self):
        tftp.fetch(self.client, net.SERVER, "file", FILE, options={"windowsize": 8, "blksize": 1024},
                   timeout=0.1)

    def http(self):
        with web.Connection(self.client, net.SERVER, timeout=self.patience) as connection:
            check.same_bytes(connection.get("/file").body, FILE, "file by HTTP")

    def tell(self, verb, **words):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(self.patience)
            sock.connect(self.configuration["control"])
            answer = ask(sock, dict(words, verb=verb))[0]
        check.that(answer["ok"], "%s: %s" % (verb, answer))
        return answer

    def pieces(self):
        """Of memory in use, without those that boots which have ended take, at the most."""
        totals = self.tell("status")["totals"]
        time.sleep(0.1)  # the answer itself
        return self.inject.live() - BOOT_PIECES * (totals["booted"] + totals["stopped"] + totals["silent"])

    def control(self):
        self.tell("verbs")

    def reload(self):
        self.tell("reload")

    def offer6(self):
        client = dhcp6.Client(self.client)
        client.send(dhcp6.solicit(7))
        got = client.replies(self.patience, 1)
        client.sock.close()
        check.that(got, "no ADVERTISE")

    def state(self):
        """A machine is approved, and that is on the disk."""
        mac = next(self.macs)
        self.tell("approve", mac=mac)
        check.until("it is written", lambda: not self.tell("known")["unsaved"])
        with sqlite3.connect("file:%s/state.db?mode=ro" % self.state_dir, uri=True) as sql:
            found = sql.execute("SELECT approved FROM machine WHERE mac = ?", (mac,)).fetchall()
        check.equal(found, [(1,)], "approved")

    def log(self):
        """A line that is never folded."""
        mac, start = next(self.macs), len(self.pxed.log())
        self.tell("reset", mac=mac)
        self.pxed.wait_log(mac, start=start, timeout=self.patience)

    def serve(self, *but):
        """All of them are served."""
        for door in (self.offer, self.tftp, self.http, self.control):
            if door.__name__ not in but:
                door()




# -- the table ------------------------------------------------------------------------------------

@dataclasses.dataclass
class Row:
    """What may fail while one door is asked, and what that comes to."""

    door: str
    calls: str          # names of inject.c
    errors: str
    outcome: str        # "whole": nobody notices; "again": whoever notices asks again, with success
    says: str = ""      # in the log, where repeats are folded, or in what the client is told
    times: int = 1
    skip: int = 0
    own: bool = True    # pxed's own calls, not those of libraries

    def __str__(self):
        return "%s, %s" % (self.door, self.calls)


AGAIN, WHOLE = "again", "whole"
FULL = "ENOBUFS EAGAIN ENOMEM"
ANOTHERS = "EINTR ECONNREFUSED EHOSTUNREACH ENETUNREACH EHOSTDOWN ENONET ENOPROTOOPT EOPNOTSUPP EPROTO EACCES"
SHORT = "EMFILE ENFILE ENOBUFS ENOMEM"
NOT_NOW = "cannot read the file now, try again"

# Not here: epoll_ctl, and realloc for a growing table of descriptors, whose failure libuv answers
# with abort(); close, which has nothing to repeat.
ROWS = (
    Row("tftp", "sendmsg", FULL, WHOLE),
    Row("tftp", "sendmsg", ANOTHERS, WHOLE),
    Row("tftp", "sendmsg", "EPERM EMSGSIZE", WHOLE),
    Row("tftp", "sendmsg", "EIO", WHOLE, skip=1),  # from here on without UDP_SEGMENT
    Row("tftp", "sendmmsg", FULL, WHOLE, times=3),
    Row("tftp", "sendmmsg", ANOTHERS, WHOLE, times=3),
    Row("tftp", "sendmmsg", "EPERM EIO", WHOLE),
    Row("tftp", "recvmmsg", "EINTR EAGAIN ECONNREFUSED EHOSTUNREACH ENETDOWN", WHOLE, times=2),
    Row("tftp", "recvmmsg", "ENOMEM", WHOLE, "packets cannot be received now"),
    Row("tftp", "openat2", "EAGAIN EINTR", WHOLE),
    Row("tftp", "openat2", "EMFILE ENFILE ENOMEM EIO", AGAIN, NOT_NOW),
    Row("tftp", "statx", "EIO ENOMEM", AGAIN, NOT_NOW),
    Row("tftp", "statx", "EIO", AGAIN, "the file changed while it was sent", skip=1),
    Row("tftp", "mmap", "ENOMEM", AGAIN, NOT_NOW),
    Row("tftp", "calloc", "ENOMEM", AGAIN, NOT_NOW),
    Row("tftp", "preadv2", "EINTR EAGAIN EOPNOTSUPP EIO", WHOLE),
    Row("tftp", "preadv2 pread", "EINTR", WHOLE, times=3),
    Row("tftp", "preadv2 pread", "EIO", AGAIN, "cannot read the file", times=2),
    Row("tftp", "preadv2 malloc", "ENOMEM", WHOLE, times=2),
    Row("tftp", "epoll_wait", "EINTR", WHOLE, times=3, own=False),
    Row("offer", "send", "ENOBUFS EAGAIN ENETDOWN EPERM", AGAIN, "cannot send a DHCP reply on eth0",
        own=False),
    Row("offer", "poll recvfrom", "EINTR", WHOLE, own=False),
    Row("offer", "poll recvfrom", "ENOMEM", WHOLE, "packets cannot be received now", own=False),
    Row("port4011", "sendmsg", "ENOBUFS EPERM", AGAIN, "cannot send a DHCP reply on eth0"),
    Row("port4011", "sendmsg", "EINTR", WHOLE),
    Row("port4011", "recvmmsg", "EINTR EAGAIN ENOMEM", WHOLE),
    Row("offer6", "sendmsg", "ENOBUFS EPERM", AGAIN, "cannot send"),
    Row("offer6", "sendmsg", "EINTR", WHOLE),
    Row("offer6", "recvmmsg", "ENOMEM", WHOLE, "packets cannot be received now"),
    Row("http", "accept4", "EINTR ECONNABORTED EPERM", WHOLE),
    Row("http", "accept4", SHORT, WHOLE, "no HTTP connection can be taken now"),
    Row("http", "recv", "EINTR EAGAIN", WHOLE, own=False),
    Row("http", "recv", "ECONNRESET ENOMEM", AGAIN, own=False),
    Row("http", "send sendmsg", "EINTR EAGAIN", WHOLE, own=False),
    Row("http", "send sendmsg", "EPIPE ENOBUFS", AGAIN, "http failed .* end=aborted", own=False),
    Row("http", "pread", "EINTR", WHOLE, times=2),
    Row("http", "pread", "EIO", AGAIN, "http failed"),
    Row("http", "statx", "EIO ENOMEM", AGAIN),
    Row("http", "pthread_create", "EAGAIN", AGAIN, own=False),
    Row("http", "calloc", "ENOMEM", AGAIN),
    Row("http", "openat2", "EMFILE EIO", AGAIN, "cannot read the file now"),
    Row("http", "fstat", "EIO", AGAIN, "cannot read the file now"),
    Row("http", "getsockopt", "ENOMEM", WHOLE),
    Row("http", "poll", "EINTR ENOMEM", WHOLE, own=False),
    Row("control", "accept4", "EINTR ECONNABORTED EPERM", WHOLE),
    Row("control", "accept4", SHORT, WHOLE, "nobody can be let in at the control socket"),
    Row("control", "recv", "EINTR EAGAIN", WHOLE),
    Row("control", "recv", "ECONNRESET ENOMEM", AGAIN),
    Row("control", "send", "EINTR EAGAIN", WHOLE),
    Row("control", "send", "EPIPE ENOBUFS", AGAIN),
    Row("control", "getsockopt", "ENOMEM", AGAIN),
    Row("control", "malloc", "ENOMEM", AGAIN, times=inject.FOREVER, own=False),
    Row("reload", "open openat", "EMFILE EIO", AGAIN, "reload refused .*cannot be read|Too many|Input"),
    Row("reload", "malloc", "ENOMEM", AGAIN, times=inject.FOREVER, own=False),
    Row("state", "pwrite", "ENOSPC EIO EINTR", WHOLE, "cannot write state now", own=False),
    Row("state", "fdatasync", "EIO", WHOLE, "cannot write state now", own=False),
    Row("state", "malloc", "ENOMEM", WHOLE),
    Row("log", "write", "EAGAIN ENOSPC EIO", AGAIN, "lines of the log were lost"),
    Row("log", "poll", "EINTR", AGAIN, "lines of the log were lost"),
)


def again(call):
    for left in reversed(range(TRIES)):
        try:
            return call()
        except (check.Failed, net.NetError, OSError):
            if not left:
                raise
    return None


def meet(site, row, error):
    """The door is asked while a call fails; the fault, for how often it did."""
    told = ""
    door = getattr(site, row.door)
    site.patience = SOON if row.outcome == AGAIN else PATIENCE
    with site.inject.fails(row.calls, getattr(errno, error), row.times, row.skip, row.own) as fault:
        try:
            door()
            noticed = False
        except (check.Failed, net.NetError, OSError) as reason:
            noticed, told = True, str(reason)
        check.until("%s: a call fails" % row, lambda: fault.failed)  # some are made behind the answer
    site.patience = PATIENCE
    check.that(not noticed or row.outcome == AGAIN, "%s: %s was noticed: %s" % (row, error, told))
    if noticed:
        again(door)
    if row.says:
        check.until("%s: %s says %r" % (row, error, row.says),
              lambda: re.search(row.says, site.pxed.log() + told))
    return fault


def test_every_call_fails_once(lone):
    """One pxed meets all rows, one after another."""
    files, live = len(lone.pxed.open_files()), lone.pieces()
    for row in ROWS:
        for error in row.errors.split():
            meet(lone, row, error)
            check.that(lone.pxed.alive(), "%s: %s ended it" % (row, error))
        lone.serve()
    check.until("descriptors are back", lambda: len(lone.pxed.open_files()) <= files)
    check.until("memory is free again", lambda: lone.pieces() <= live + ROUGHLY)


def test_no_thread_is_missing_later():
    """The pool's are there from the start: where no more can be had, libuv would end the process."""
    with net.Net() as network:
        site = Site(network)
        with site.inject.fails("pthread_create", errno.EAGAIN, inject.FOREVER, own=False) as fault:
            site.state()
            site.reload()
            site.serve("http")
        check.equal(fault.failed, 0, "threads that were wanted")
        site.serve()


def test_a_reload_is_whole_or_none_at_all():
    """At each call that fails while another root is taken over: all doors serve the one, or the other."""
    with net.Net() as network:
        site = Site(network)
        other = network.root()
        net.write_boot_files(other)
        other.write("file", FILE[::-1])
        roots = {site.root.path: FILE, other.path: FILE[::-1]}
        served = site.root.path
        for calls in ("open openat openat2", "malloc calloc realloc strdup"):
            for skip in range(MOST_CALLS):
                wanted = next(root for root in roots if root != served)
                site.configuration["tftp"]["root"] = wanted
                net.write_json(site.pxed.config_path, site.configuration)
                with site.inject.fails(calls, errno.ENOMEM, 1, skip, True) as fault:
                    try:
                        served = wanted if site.tell("reload")["good"] else served
                    except check.Failed:
                        pass
                for one in (tftp.download(site.client, net.SERVER, "file", options={"blksize": 1024}).data,
                            web.get(site.client, net.SERVER, "/file").body):
                    check.same_bytes(one, roots[served], "file after %s, %d" % (calls, skip))
                if not fault.failed:
                    break
            check.that(not fault.failed, "there is no end of " + calls)


@harness.fixture
def lone():
    with net.Net() as network:
        site = Site(network)
        site.serve()
        site.offer6()
        site.state()
        yield site


def ask_in_vain(site, door):
    """Something comes in at the door that cannot be dealt with."""
    if door == "tftp":
        tftp.Client(site.client, net.SERVER).request("file", options={"blksize": 1024})
    elif door == "http":
        web.Connection(site.client, net.SERVER).ask("/file")
    else:
        socket.socket(socket.AF_UNIX).connect(site.configuration["control"])


def affected(door, calls):
    """The doors that need these calls."""
    return ("http", "control") if calls == "accept4" else ("tftp", "http") if "openat2" in calls \
        else (door,)


STAYS = (
    ("tftp", "sendmsg sendmmsg", "ENOBUFS"),
    ("tftp", "recvmmsg", "ENOMEM"),
    ("tftp", "openat2", "EMFILE"),
    ("http", "accept4", "EMFILE"),
    ("control", "accept4", "EMFILE"),
    ("http", "openat2 calloc", "ENOMEM"),
)


def test_what_goes_on_failing_is_not_run_after(lone):
    """While a lack lasts nothing runs in circles, and what does not need it is served."""
    for door, calls, error in STAYS:
        with lone.inject.fails(calls, getattr(errno, error), inject.FOREVER, own=True) as fault:
            start = time.monotonic()
            ask_in_vain(lone, door)
            lone.serve(*affected(door, calls))
            time.sleep(LASTS)
            took = time.monotonic() - start
        check.at_least(fault.failed, 1, "calls of %s that failed" % calls)
        check.at_most(fault.failed, CALLS_PER_SECOND * took, "calls of %s in vain within %.1f s" % (
            calls, took))
        again(lone.serve)
