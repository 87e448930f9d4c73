"""`pxed learned`: what was found out can be looked at and forgotten."""
import json
import subprocess

import check
import dhcp
import net
import tftp
from test_control import Site

CONTENT = bytes(range(256)) * 4000


def learned(site, *options):
    done = subprocess.run([net.binary(), "learned", "-c", site.pxed.config_path, *options],
                          text=True, capture_output=True, timeout=10)
    check.equal(done.returncode, 0, "exit status; " + done.stderr)
    return done.stdout


def test_windows_forms_and_conflicts_are_shown_and_forgotten():
    with net.Net() as network:
        site = Site(network)
        site.root.write("big", CONTENT)
        options = {"blksize": 1468, "windowsize": 64}
        for _ in range(3):
            tftp.fetch(site.client, net.SERVER, "big", CONTENT, options=options)
        pxe = dhcp.Client(site.client)
        pxe.ask(dhcp.discover(7))
        known = json.loads(learned(site, "--json"))
        check.equal(sorted(known), ["conflicts", "forms", "windows"], "members")
        here = [w for w in known["windows"] if w["from"] == net.CLIENT and not w["subnet"]]
        check.equal(len(here), 1, "windows of this client: %s" % known["windows"])
        check.that(here[0]["blocks"] > 16, "it has not grown: %s" % here)
        check.inside(net.CLIENT, learned(site), "in words")
        check.inside("forgotten", learned(site, "--forget"), "answer")
        check.equal(json.loads(learned(site, "--json"))["windows"], [], "windows after that")


def test_nobody_to_ask_and_wrong_usage():
    with net.Net() as network:
        site = Site(network)
        wrong = subprocess.run([net.binary(), "learned", "--all"], capture_output=True, timeout=10)
        check.equal(wrong.returncode, 2, "exit status of wrong usage")
        site.pxed.stop()
        gone = subprocess.run([net.binary(), "learned", "-c", site.pxed.config_path],
                              capture_output=True, timeout=10)
        check.equal(gone.returncode, 1, "exit status with none running")
