"""What is remembered of machines: boots that are done, machines that wait for approval."""
import json
import os
import random
import socket
import sqlite3
import subprocess
import time

import check
import dhcp
import net
import tftp
import wire
from harness import timed
from test_control import ask

ONCE, HELD, FREE = "52:54:00:0c:00:01", "52:54:00:0c:00:02", "52:54:00:0c:00:03"
WHEN = "52:54:00:0c:00:04"


class Site:
    """One pxed and a client that plays several machines."""

    def __init__(self, network, state_dir=None, **settings):
        self.network = network
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.root.write("kernel", b"k" * 3000)
        self.directory = os.path.join(network.folder, "state")
        profiles = {"default": {"x64-uefi": "x64.efi", "ipxe": "boot.ipxe"},
                    "plain": {"x64-uefi": "x64.efi"},
                    "when": {"extends": "plain", "done_when": "/kernel"}}
        hosts = [{"name": "once", "mac": ONCE, "once": True},
                 {"name": "held", "mac": HELD, "action": "hold", "profile": "plain", "once": True},
                 {"mac": WHEN, "profile": "when", "once": True}]
        self.configuration = dict(
            net.config(self.root, profiles=profiles, hosts=hosts),
            state_dir=state_dir or self.directory,
            control=os.path.join(network.folder, "control.sock"), **settings)
        self.start()
        self.pxe = dhcp.Client(self.client)

    def start(self):
        self.pxed = self.network.pxed(self.server, self.configuration)

    def kill(self):
        """As by the kernel, and up again."""
        self.pxed.close()
        self.start()

    def discover(self, mac, ipxe=False):
        message = dhcp.discover(7, chaddr=wire.mac_bytes(mac).ljust(16, b"\0"))
        if ipxe:
            message.set(77, b"iPXE")
        return message

    def offered(self, mac, ipxe=False):
        reply = self.pxe.ask(self.discover(mac, ipxe))
        return dhcp.file_name(reply.message).rsplit("/", 1)[-1]

    def silent(self, mac):
        self.pxe.silent(self.discover(mac))

    def fetch(self, mac, name):
        """As the machine with this MAC, which has just taken its address."""
        request = self.discover(mac).set(53, b"\3").set(54, wire.ip_bytes("10.77.0.254"))
        self.pxe.send(request.set(50, wire.ip_bytes(net.CLIENT)))
        self.offered(FREE)  # behind it, so that the REQUEST was read
        return tftp.download(self.client, net.SERVER, name).data

    def boot(self, mac):
        """The chain of an iPXE boot: two offers, two files."""
        check.equal(self.offered(mac), "x64.efi", "first offer")
        self.fetch(mac, "x64.efi")
        check.equal(self.offered(mac, ipxe=True), "boot.ipxe", "offer to its iPXE")
        self.fetch(mac, "boot.ipxe")

    def tell(self, *questions):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(5)
            sock.connect(self.configuration["control"])
            return ask(sock, *questions)

    def known(self):
        return self.tell({"verb": "known"})[0]

    def saved(self):
        check.until("all is written", lambda: not self.known()["unsaved"])

    def command(self, *words):
        done = subprocess.run([net.binary(), words[0], "-c", self.pxed.config_path, *words[1:]],
                              text=True, capture_output=True, timeout=10)
        return done.returncode, done.stdout


def test_b64_a_host_boots_once_across_a_restart_and_a_kill():
    with net.Net() as network:
        site = Site(network)
        site.boot(ONCE)
        site.silent(ONCE)
        check.equal(site.fetch(ONCE, "kernel"), b"k" * 3000, "what its boot goes on with")
        site.saved()
        site.kill()
        site.silent(ONCE)
        check.equal(site.pxed.stop(), 0, "exit status")
        site.start()
        site.silent(ONCE)
        check.equal(site.command("reset", ONCE)[0], 0, "status of `pxed reset`")
        site.saved()
        site.kill()
        site.boot(ONCE)
        site.silent(ONCE)


def test_b64_only_the_last_file_whole_ends_a_boot():
    with net.Net() as network:
        site = Site(network)
        site.fetch(ONCE, "x64.efi")
        client = tftp.Client(site.client, net.SERVER)
        client.request("boot.ipxe")
        client.expect_data(1)
        client.send(tftp.error(0, "enough"))
        check.equal(site.offered(ONCE), "x64.efi", "after a transfer that was ended")
        site.fetch(WHEN, "x64.efi")
        check.equal(site.offered(WHEN), "x64.efi", "before the file it names was fetched")
        site.fetch(WHEN, "kernel")
        site.silent(WHEN)
        site.fetch(FREE, "boot.ipxe")
        check.equal(site.offered(FREE), "x64.efi", "one that may boot for ever")


def test_a_held_host_waits_for_approval():
    with net.Net() as network:
        site = Site(network)
        site.silent(HELD)
        client = tftp.Client(site.client, net.SERVER)
        site.pxe.send(site.discover(HELD).set(53, b"\3").set(50, wire.ip_bytes(net.CLIENT)))
        time.sleep(0.1)
        client.request("x64.efi")
        client.expect_error(2)
        status, listed = site.command("approve")
        check.equal(status, 0, "status")
        check.inside(HELD, listed, "machines that wait")
        check.lacks(listed, ONCE, "machines that wait")
        check.equal(site.command("approve", HELD)[0], 0, "status of `pxed approve`")
        check.equal(site.offered(HELD), "x64.efi", "offer")
        site.saved()
        site.kill()
        site.fetch(HELD, "x64.efi")
        site.silent(HELD)
        check.inside(HELD, site.command("reset")[1], "machines whose boot is done")
        check.equal(site.command("approve", "52:54")[0], 1, "status for what is no MAC")
        check.equal(site.command("approve", HELD, HELD)[0], 2, "status of wrong usage")


def test_unknown_hosts_may_be_held():
    with net.Net() as network:
        site = Site(network)
        site.configuration["unknown_hosts"] = {"action": "hold", "profile": "default"}
        site.pxed.stop()
        site.start()
        stranger = site.discover(FREE)
        site.pxe.send(stranger)
        check.equal(len(site.pxe.replies(0.3, {stranger.xid})), 0, "offers to a stranger")
        site.command("approve", FREE)
        check.equal(site.offered(FREE), "x64.efi", "offer")


@timed
def test_a_locked_database_delays_nothing_and_loses_nothing():
    with net.Net() as network:
        site = Site(network)
        other = sqlite3.connect(os.path.join(site.directory, "state.db"))
        other.execute("BEGIN EXCLUSIVE")
        site.boot(ONCE)
        for _ in range(20):
            start = time.monotonic()
            site.silent(ONCE)
            check.at_most(time.monotonic() - start, 1.0, "seconds for an answer and a silence")
        site.pxed.wait_log("cannot write state now")
        check.that(site.known()["unsaved"], "nothing waits")
        other.rollback()
        other.close()
        site.pxed.wait_log("state is written again")
        site.saved()
        site.kill()
        site.silent(ONCE)


def test_no_place_for_state_is_a_warning():
    with net.Net() as network:
        site = Site(network, state_dir="/proc/pxed")
        check.inside("cannot keep state in /proc/pxed", site.pxed.log(), "log")
        site.boot(ONCE)
        site.silent(ONCE)


def test_a_broken_database_is_a_warning():
    with net.Net() as network:
        directory = os.path.join(network.folder, "broken")
        os.mkdir(directory)
        os.chmod(directory, 0o777)
        with open(os.path.join(directory, "state.db"), "wb") as file:
            file.write(b"this is no database " * 100)
        os.chmod(file.name, 0o666)
        site = Site(network, state_dir=directory)
        check.inside("file is not a database", site.pxed.log(), "log")
        site.boot(ONCE)


def test_kills_at_any_moment():
    """What was written stays, whenever it ends; and it starts again each time."""
    with net.Net() as network:
        site = Site(network)
        approved = []
        for _ in range(6):
            for _ in range(3):
                mac = "52:54:00:aa:%02x:%02x" % (random.randrange(256), random.randrange(256))
                site.tell({"verb": "approve", "mac": mac})
                approved.append(mac)
            site.saved()
            for number in range(random.randrange(40)):
                site.tell({"verb": "approve", "mac": "52:54:00:bb:00:%02x" % number})
            site.kill()
            known = {one["mac"]: one["approved"] for one in site.known()["machines"]}
            check.that(all(known.get(mac) for mac in approved), "lost: %s" % known)
        sql = sqlite3.connect(os.path.join(site.directory, "state.db"))
        check.equal(sql.execute("PRAGMA integrity_check").fetchall(), [("ok",)], "integrity")
        sql.close()


def test_clients_are_remembered_with_their_architecture():
    with net.Net() as network:
        site = Site(network)
        site.offered(FREE)
        site.saved()
        site.kill()
        one, = [one for one in site.known()["machines"] if one["mac"] == FREE]
        check.equal((one["arch"], one["gate"], one["host"]), ("x64-uefi", "boot", None), "machine")
        check.that(abs(one["last_seen"] - time.time()) < 60, "seen at %s" % one["last_seen"])
        check.equal(json.dumps(one["done"]), "false", "done")
