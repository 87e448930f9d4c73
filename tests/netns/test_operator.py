"""One boot as the operator sees it: document, `pxed status`, `pxed log` and the log agree."""
import json
import os
import shutil
import subprocess
import time

import check
import dhcp
import doors
import net
import tftp
from crowd import lease_request
from test_boots import of, question
from test_control import Site as Served

JOURNALD = "/lib/systemd/systemd-journald"

# A journal of its own: `ip netns exec` has given this shell mounts of its own, too.  The shell
# ends both; should it be killed, journald goes with it.
BESIDE_A_JOURNAL = """
mount -t tmpfs tmpfs /run
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /run/systemd/journal /run/log/journal
mount --bind "$0" /run/log/journal
setpriv --pdeathsig TERM %s & journald=$!
n=0
while [ ! -S /run/systemd/journal/socket ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.05; done
[ -S /run/systemd/journal/socket ] || echo "no journal"
"$@" & pxed=$!
trap 'kill $pxed' TERM
wait $pxed
wait $pxed
kill $journald
""" % JOURNALD


class Site(Served):
    def __init__(self, network, **settings):
        super().__init__(network, **settings)
        self.doors = doors.Doors(self.server, self.pxed.config_path, self.socket, self.pxed.log)

    def boot(self):
        """A boot that ends with its first file; the boot as the document tells it."""
        self.pxe.ask(dhcp.discover(7))
        self.pxe.send(lease_request(7))
        tftp.fetch(self.client, net.SERVER, "x64.efi", b"x64.efi" * 500,
                   options={"blksize": 1024, "windowsize": 2, "tsize": 0})
        client = tftp.Client(self.client, net.SERVER)
        for number in range(20):
            client.request("grub.cfg-%d" % number)
            client.expect_error(tftp.NOT_FOUND)
        question(self, verb="log", wait=60)
        return of(question(self, verb="boots")["boots"], self.pxe.mac)[0]


class JournalSite(Site):
    """pxed beside a journald of its own; entries() are what that has of it."""

    def __init__(self, network):
        self.journal = os.path.join(network.folder, "journal")
        os.mkdir(self.journal)
        start = network.pxed

        def beside(namespace, configuration):
            path = os.path.join(network.folder, "operator.json")
            net.write_json(path, dict(configuration, log={"format": "journal"}))
            program = namespace.start("sh", "-c", BESIDE_A_JOURNAL, self.journal, net.binary(),
                                      "run", "-c", path)
            program.config_path = path
            return program
        network.pxed = beside
        super().__init__(network)
        network.pxed = start
        self.wait("pxed ready")

    def entries(self):
        done = subprocess.run(["journalctl", "-D", self.journal, "-o", "json", "-t", "pxed"],
                              capture_output=True, text=True, timeout=30)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def wait(self, event):
        """The first entry whose message begins so."""
        end = time.monotonic() + 15
        while time.monotonic() < end:
            for entry in self.entries():
                if entry["MESSAGE"].startswith(event):
                    return entry
            if "no journal" in self.pxed.log():
                check.skip("journald does not start here")
            time.sleep(0.1)
        raise net.NetError("the journal has no \"%s\", but %s\n%s" % (
            event, [entry["MESSAGE"] for entry in self.entries()], self.pxed.log()))


def fields(entry, *names):
    return {name: entry.get("PXE_" + name) for name in names}


def check_machine(entry, boot):
    check.equal(entry.get("PXE_MAC"), boot["mac"], "machine of " + entry["MESSAGE"])


def test_the_journal_has_the_numbers_of_the_document():
    if not os.path.exists(JOURNALD) or not shutil.which("journalctl"):
        check.skip("systemd is not installed")
    if not os.path.exists("/etc/machine-id"):
        check.skip("this system has no machine ID, without which there is no journal")
    with net.Net() as network:
        site = JournalSite(network)
        boot = site.boot()
        ended = site.wait("boot ")
        check.equal(fields(ended, "MAC", "ARCH", "BOOT", "VERDICT", "SENTENCE", "SECONDS"),
                    {"MAC": boot["mac"], "ARCH": boot["arch"], "BOOT": str(boot["id"]),
                     "VERDICT": boot["verdict"], "SENTENCE": boot["sentence"],
                     "SECONDS": "%.3f" % boot["seconds"]}, "the boot")
        file = boot["files"][0]
        done = site.wait("tftp done")
        check.equal(fields(done, "FILE", "SIZE", "BLOCK", "WINDOW", "RESENT"),
                    {"FILE": file["name"], "SIZE": str(file["size"]), "BLOCK": str(file["block"]),
                     "WINDOW": str(file["window"]), "RESENT": str(file["resent"])}, "the file")
        check_machine(done, boot)
        check.equal((done["PRIORITY"], done["MESSAGE_ID"], done["_TRANSPORT"]),
                    ("6", "da1c0dbca6054a3491022d610ab48228", "journal"), "what all entries have")
        missed = [entry for entry in site.entries() if entry["MESSAGE"].startswith("tftp refused")]
        check.equal([entry["PXE_FILES"] for entry in missed], ["20"],
                    "lines of names that are not there")
        check_machine(missed[0], boot)
        check_machine(site.wait("dhcp offer"), boot)


def test_all_doors_have_the_numbers_of_the_document():
    with net.Net() as network:
        site = Site(network, log={"format": "json"})
        boot = site.boot()
        told = doors.same_boot(site.doors, boot["mac"])
        check.equal((told["id"], told["verdict"]), (boot["id"], boot["verdict"]), "the boot")
        doors.same_totals(site.doors)
        shown = site.doors.command("status")
        for word in (boot["mac"], boot["verdict"], boot["sentence"]):
            check.that(word in shown, "%s is not in status: %s" % (word, shown))
        line = site.doors.command("log", boot["mac"])
        for word in (boot["mac"], boot["arch"], boot["verdict"], boot["sentence"]):
            check.that(word in line, "%s is not in log: %s" % (word, line))
        check.equal(site.doors.command("log", "02:00:00:00:00:01"), "", "log of another machine")
        check.equal(site.doors.command("status", "--quiet"), "", "status --quiet")
        site.pxed.stop()
        doors.same_log(site.doors, told)


def test_faults_are_json_lines_too():
    with net.Net() as network:
        site = Site(network, log={"format": "json"})
        broken = dict(site.configuration, usr="x", watch=7)
        with open(site.pxed.config_path, "w") as file:  # nothing tells its lines from ours
            file.write("\n".join(line.strip() for line in json.dumps(broken, indent=1).split("\n")))
        check.equal(site.reload()[0], 1, "exit code of the reload")
        site.pxed.wait_log("reload refused")
        lines = [json.loads(text) for text in site.pxed.log().splitlines()]
        notes = [(one["level"], one["note"].split(": ", 1)[1]) for one in lines
                 if one["event"] == "note" and one["level"] == "error"]
        check.equal(sorted(notes), [("error", 'usr: unknown key; did you mean "user"?'),
                                    ("error", "watch: expected true or false, got a number")],
                    "faults")
        told = json.loads(site.doors.command("status", "--json"))["configuration"]["reload"]
        check.equal((told["ok"], told["faults"]), (False, 2), "the reload in status")
        check.that(told["first"].endswith('did you mean "user"?'), told["first"])
        refused = lines[-1]
        check.equal((refused["event"], refused["faults"], refused["level"]),
                    ("reload refused", 2, "error"), "the reload")


def test_a_log_that_nobody_reads_any_more():
    """Standard error is a pipe whose reader ends: pxed serves on."""
    with net.Net() as network:
        server, client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        path = os.path.join(network.folder, "pipe.json")
        net.write_json(path, net.config(root))
        program = server.start("sh", "-c", 'mkfifo "$0"; head -c 1 <"$0" & exec "$@" 2>"$0"',
                               os.path.join(network.folder, "pipe"), net.binary(), "run", "-c",
                               path)
        machine = dhcp.Client(client)
        end = time.monotonic() + 10
        while not os.path.exists(os.path.join(network.folder, "pipe")):
            check.that(time.monotonic() < end, "no pipe")
            time.sleep(0.02)
        time.sleep(1)
        for arch in (7, 0, 7):
            machine.ask(dhcp.discover(arch))
        check.equal(program.process.poll(), None, "exit status")


def test_what_repeats_is_one_line():
    """A machine that asks again and again, and a person who looks in on it."""
    with net.Net() as network:
        site = Site(network)
        for _ in range(12):
            site.pxe.ask(dhcp.discover(7))
        site.pxed.stop()
        lines = [line for line in site.pxed.log().splitlines() if "dhcp offer" in line]
        check.equal(len(lines), 2, "lines: %s" % lines)
        check.that("form=pxe" in lines[0] and "repeated" not in lines[0], lines[0])
