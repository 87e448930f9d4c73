"""What is kept on the disk: killed at every step, full, taken away; and the clock set anew."""
import ctypes
import errno
import os
import re
import shutil
import sqlite3
import time

import check
import dhcp
import inject
import net
import tftp
import wire
from test_evidence import packets
from test_faults import BOOTS, PATIENCE, STARTS, Site, again

TEST_SECONDS = 90   # many starts
STEPS_MAX = 60
SQLITE_STEPS = "open pwrite fdatasync fsync ftruncate unlink mkdir"
EVIDENCE_STEPS = "mkdir open openat write rename unlink"
YEARS = 10 * 365 * 86400
KEPT, CHANGED = "52:54:00:0e:00:01", "52:54:00:0e:00:02"


def known(site):
    """{MAC: (approved, done)} as the running pxed has it."""
    return {one["mac"]: (one["approved"], one["done"]) for one in site.tell("known")["machines"]}


def integrity(site):
    sql = sqlite3.connect(os.path.join(site.state_dir, "state.db"))
    found = sql.execute("PRAGMA integrity_check").fetchall()
    sql.close()
    check.equal(found, [("ok",)], "integrity of the database")


def written(site):
    check.until("it is written", lambda: not site.tell("known")["unsaved"])


def up_again(site):
    """Started anew, with nothing in its way."""
    site.pxed.close()
    site.start()
    check.lacks(site.pxed.log(), "cannot keep state", "the log after a kill")


def kill_at(site, calls, skip, work, own=False):
    """work() while the process ends at the step behind `skip` others; False: it did not come to it."""
    site.pxed.stopped = True
    with site.inject.fails(calls, inject.END, 1, skip, own) as fault:
        try:
            work()
        except (check.Failed, net.NetError, OSError):
            pass
    if fault.failed:
        site.pxed.process.wait(PATIENCE)
    site.pxed.stopped = bool(fault.failed)
    return site.pxed.stopped


def test_killed_at_every_step_of_a_change():
    """Before or after, never between, and it starts again each time."""
    with net.Net() as network:
        site = Site(network)
        site.tell("approve", mac=KEPT)
        written(site)
        before = (False, False)
        for skip in range(STEPS_MAX):
            verb, after = ("approve", (True, False)) if not before[0] else ("reset", (False, False))

            def change():
                site.tell(verb, mac=CHANGED)
                written(site)

            killed = kill_at(site, SQLITE_STEPS, skip, change)
            up_again(site)
            found = known(site)
            check.equal(found.get(KEPT), (True, False), "the other machine, killed at step %d" % skip)
            before = found.get(CHANGED, (False, False))
            if not killed:
                check.equal(before, after, "a change that nothing disturbed")
                break
        check.that(not killed and skip >= 2, "killed at %d steps" % skip)
        integrity(site)


def test_killed_at_every_step_of_making_the_file():
    with net.Net() as network:
        site = Site(network)
        site.configuration["interfaces"] = []  # it starts the sooner
        for skip in range(STEPS_MAX):
            site.pxed.close()
            shutil.rmtree(site.state_dir)
            os.mkdir(site.state_dir)
            os.chown(site.state_dir, 65534, 65534)
            with site.inject.fails(SQLITE_STEPS, inject.END, 1, skip) as fault:
                pxed = network.pxed(site.server, site.configuration, ready=False,
                                    under=site.inject.words)
                pxed.stopped = True
                check.until("it ends or is ready", lambda: fault.failed or "pxed ready" in pxed.log(), STARTS)
                killed = fault.failed
            pxed.close()
            up_again(site)
            if not killed:
                break
        site.tell("approve", mac=KEPT)
        written(site)
        check.that(not killed and skip >= 10, "killed at %d steps" % skip)
        integrity(site)


def offered(site, message):
    """Waits for the answer as long as there may be one."""
    site.pxe.wire.drain()  # of files that came meanwhile
    site.pxe.send(message)
    end = time.monotonic() + PATIENCE
    while not site.pxe.replies(0.1, {message.xid}, stop=lambda reply: True):
        check.that(site.pxed.alive() and time.monotonic() < end, "no offer")


def fail_to_boot(site):
    """A file that is loaded whole, and firmware that asks again: a recording, at once."""
    chaddr = wire.mac_bytes(next(site.macs)).ljust(16, b"\0")

    def discover():
        return dhcp.discover(7, chaddr=chaddr)

    start = len(site.pxed.log())
    offered(site, discover())
    request = discover().set(53, b"\3").set(54, wire.ip_bytes("10.77.0.254"))
    site.pxe.send(request.set(50, wire.ip_bytes(net.CLIENT)))
    offered(site, discover())  # behind it, so that the REQUEST was read
    tftp.fetch(site.client, net.SERVER, "x64.efi", b"x64.efi" * 500, timeout=0.1)
    offered(site, discover())
    return site.pxed.wait_log(r"boot stopped .*evidence=(\S+)", start=start, timeout=PATIENCE).group(1)


def recordings(site):
    folder = os.path.join(site.state_dir, "evidence")
    return {name: os.path.join(folder, name) for name in os.listdir(folder)} if os.path.isdir(folder) else {}


def recorded(site):
    name = fail_to_boot(site)
    check.until("%s is written" % name, lambda: name in recordings(site) or not site.pxed.alive())
    return name


def test_killed_at_every_step_of_a_recording():
    """Each file is whole."""
    with net.Net() as network:
        site = Site(network)
        for skip in range(STEPS_MAX):
            killed = kill_at(site, EVIDENCE_STEPS, skip, lambda: recorded(site), own=True)
            for name, path in recordings(site).items():
                with open(path, "rb") as file:
                    octets = file.read()
                check.that(name == ".new" or packets(octets), "nothing in %s" % name)
            if not killed:
                break
            up_again(site)
        check.that(not killed and skip >= 4, "killed at %d steps" % skip)
        check.that(".new" not in recordings(site), "what was left behind is still there")


class SmallDisk:
    """A file system of some KiB in the place of a directory."""

    libc = ctypes.CDLL(None, use_errno=True)

    def __init__(self, path, kib):
        self.path = path
        os.makedirs(path, exist_ok=True)
        options = "size=%dk,mode=755,uid=65534,gid=65534" % kib
        if self.libc.mount(b"small", path.encode(), b"tmpfs", 0, options.encode()):
            raise OSError(ctypes.get_errno(), "cannot mount a tmpfs")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.libc.umount2(self.path.encode(), 2)

    def fill(self):
        with open(os.path.join(self.path, "full"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as fault:
                check.equal(fault.errno, errno.ENOSPC, "what filling it ends with")

    def make_room(self):
        os.unlink(os.path.join(self.path, "full"))


def test_the_disk_is_full_for_a_while():
    """State and recordings stay in memory, the log says why, and all is served."""
    with net.Net() as network, SmallDisk(os.path.join(network.folder, "state"), 400) as disk:
        site = Site(network)
        site.state()
        first = recorded(site)
        disk.fill()
        site.tell("approve", mac=KEPT)
        site.pxed.wait_log("cannot write state now, it is kept and tried again: database or disk is full")
        name = fail_to_boot(site)
        site.pxed.wait_log("the recording %s cannot be written to .*: No space left on device" % name)
        check.equal(site.tell("known")["unsaved"], True, "unsaved")
        site.serve()
        disk.make_room()
        site.pxed.wait_log("state is written again")
        written(site)
        last = recorded(site)
        check.equal(sorted(recordings(site)), sorted({first, last}), "recordings on the disk")
        up_again(site)
        check.equal(known(site).get(KEPT), (True, False), "what was approved meanwhile")


def test_the_disk_is_full_from_the_start():
    with net.Net() as network, SmallDisk(os.path.join(network.folder, "state"), 64) as disk:
        disk.fill()
        site = Site(network)
        check.inside("is full; what is approved or done is forgotten at the end", site.pxed.log(), "log")
        site.serve()
        site.tell("approve", mac=KEPT)
        check.equal(known(site)[KEPT], (True, False), "what was approved")


def test_the_file_of_state_is_taken_away():
    """SQLite would write on into a file without a name."""
    with net.Net() as network:
        site = Site(network)
        site.tell("approve", mac=KEPT)
        written(site)
        for name in os.listdir(site.state_dir):
            if name.startswith("state.db"):
                os.unlink(os.path.join(site.state_dir, name))
        site.tell("approve", mac=CHANGED)
        site.pxed.wait_log("the file of state was taken away; all is written to another")
        written(site)
        up_again(site)
        found = known(site)
        check.equal((found.get(KEPT), found.get(CHANGED)), ((True, False), (True, False)), "approved")


def test_all_directories_are_taken_away():
    """Configuration, state and boot files: what is served is served on, and the log says what is wrong."""
    with net.Net() as network:
        site = Site(network)
        os.unlink(site.pxed.config_path)
        shutil.rmtree(site.state_dir)
        refused(site, "No such file or directory")
        site.serve()
        site.tell("approve", mac=KEPT)
        site.pxed.wait_log("cannot write state now, it is kept and tried again: unable to open database file")
        net.write_json(site.pxed.config_path, site.configuration)
        shutil.move(site.root.path, site.root.path + "-away")
        refused(site, "the configuration has faults|the TFTP root cannot be opened")
        site.serve()  # by the directory, wherever it is now
        shutil.move(site.root.path + "-away", site.root.path)
        check.that(site.tell("reload")["good"], "the configuration is not taken")
        site.serve()


def refused(site, why):
    start = len(site.pxed.log())
    try:
        site.tell("reload")
        check.fail("a reload without its file went well")
    except check.Failed as told:
        check.that(re.search(why, str(told)), "no reason in %s" % told)
    site.pxed.wait_log("reload refused", start=start)


def test_the_clock_is_set_anew():
    """Ten years to and fro: transfers, time-outs and retries do not notice; what is kept stays."""
    with net.Net() as network:
        site = Site(network)
        for step in (YEARS, -YEARS, -3 * YEARS, 0):
            client = tftp.Client(site.client, net.SERVER)
            client.request("file", options={"blksize": 512})
            client.expect_oack([("blksize", "512")])
            site.inject.clock(step)
            client.send(tftp.ack(0))
            client.expect_data(1)
            # No ACK: it is repeated, by the clock that nobody sets.
            client.drain_until(lambda packet: packet.block == 1, "DATA 1 again", 2.0)
            client.close()
            site.serve()
            site.tell("approve", mac=KEPT if step else CHANGED)
            written(site)
            recorded(site)
            again(site.log)
            seen = {one["mac"]: one["last_seen"] for one in site.tell("known")["machines"]}
            last = seen[BOOTS]
            check.at_most(abs(last - time.time() - step), 60, "seconds of last_seen from the clock")
        up_again(site)
        found = known(site)
        check.equal((found[KEPT], found[CHANGED]), ((True, False), (True, False)), "approved")
