"""/metrics: its numbers are those of what was done, and Prometheus' own tool finds no fault."""
import os
import re
import signal
import subprocess
import time

import check
import dhcp
import net
import peers
import tftp
import web
from harness import fixture

SIZE = 100000


class Site:
    def __init__(self, network):
        self.server, self.client = network.pair()
        self.root = network.root()
        net.write_boot_files(self.root)
        self.content = self.root.write("image", os.urandom(SIZE))
        self.configuration = net.config(self.root)
        self.configuration["profiles"] = {"default": {"x64-uefi": "x64.efi"}}
        self.pxed = network.pxed(self.server, self.configuration)
        self.pxe = dhcp.Client(self.client)
        self.numbers, self.text = web.metrics(self.server)

    def grown(self):
        """What is larger than at the last call, by how much, process_* apart."""
        before, (self.numbers, self.text) = self.numbers, web.metrics(self.server)
        return {name: value - before.get(name, 0) for name, value in self.numbers.items()
                if value != before.get(name, 0) and not name.startswith(("process_", "pxed_boots"))}

    def until(self, name, value):
        check.until("%s becomes %s" % (name, value),
                    lambda: web.metrics(self.server)[0][name] == value)


def same(got, want):
    """Two sets of samples; the fault tells those that differ."""
    differ = {name: (got.get(name), want.get(name)) for name in {*got, *want} if got.get(name) != want.get(name)}
    check.equal(differ, {}, "what was counted, and what should have been")


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


def promtool(*words, stdin=""):
    """Runs it; skips the test where it is not."""
    done = subprocess.run((peers.find("promtool"),) + words, input=stdin, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    check.equal((done.returncode, "error" in done.stdout.lower()), (0, False), done.stdout)


def test_requests_and_answers_are_counted_by_kind(site):
    site.grown()
    site.pxe.ask(dhcp.discover(7))
    site.pxe.ask(dhcp.request4011(7), where={"src": net.CLIENT, "dst": net.SERVER, "dport": 4011,
                                             "sport": 4011, "dst_mac": site.server.mac("eth0")})
    site.pxe.silent(dhcp.discover(11))
    site.pxe.send(dhcp.discover(7).drop(53))
    site.until('pxed_dhcp_malformed_total{layer="dhcp",reason="no-message-type"}', 1)
    same(site.grown(), {
        'pxed_dhcp_packets_total{iface="eth0",type="discover",arch="uefi"}': 3,  # the fence's, too
        'pxed_dhcp_packets_total{iface="eth0",type="request",arch="uefi"}': 1,
        'pxed_dhcp_replies_total{iface="eth0",type="offer",form="pxe"}': 2,
        'pxed_dhcp_replies_total{iface="eth0",type="ack",form=""}': 1,
        'pxed_dhcp_ignored_total{family="ipv4",reason="no-file"}': 1,
        'pxed_dhcp_malformed_total{layer="dhcp",reason="no-message-type"}': 1,
    })


def test_transfers_are_counted_by_their_end(site):
    site.grown()
    tftp.fetch(site.client, net.SERVER, "image", site.content,
               options=(("blksize", "1000"), ("windowsize", "8")))
    client = tftp.Client(site.client, net.SERVER)
    client.request("missing")
    client.expect_error(1)
    client.close()
    client = tftp.Client(site.client, net.SERVER)
    client.request("image", options=(("tsize", "0"),))
    client.expect_oack({"tsize": str(SIZE)})
    client.send(tftp.error(0, "only the size"))
    site.until('pxed_transfers_total{door="tftp",result="probe"}', 1)
    client.close()
    grown = site.grown()
    resent = grown.pop("pxed_tftp_retransmits_total", 0)  # where this client did not get to run for a moment
    long = {name: value for name, value in grown.items() if "seconds" in name or "window" in name}
    same({name: value for name, value in grown.items() if name not in long}, {
        'pxed_transfers_total{door="tftp",result="done"}': 1,
        'pxed_transfers_total{door="tftp",result="refused"}': 1,
        'pxed_tftp_refused_total{reason="file-not-found"}': 1,
        'pxed_transfers_total{door="tftp",result="probe"}': 1,
        'pxed_sent_bytes_total{door="tftp"}': SIZE + 1000 * resent,
    })
    check.equal(long['pxed_transfer_duration_seconds_count{door="tftp"}'], 1, "durations")
    check.equal(long["pxed_tftp_first_data_seconds_count"], 1, "first data")
    check.equal(long["pxed_tftp_window_blocks_sum"], 8, "the window")
    check.that('pxed_tftp_window_blocks_bucket{le="4"}' not in long, "8 is over 4")


def test_a_refused_reload_shows(site):
    taken = site.numbers["pxed_config_last_reload_timestamp_seconds"]
    check.that(abs(taken - time.time()) < 60, "taken over at %s" % taken)
    check.equal(site.numbers["pxed_config_last_reload_success"], 1, "none was refused")
    net.write_json(site.pxed.config_path, {"interfaces": 7})
    site.pxed.signal(signal.SIGHUP)
    site.until("pxed_config_last_reload_success", 0)
    again = web.metrics(site.server)[0]["pxed_config_last_reload_timestamp_seconds"]
    check.that(abs(again - taken) < 0.1, "the old one serves: %s, then %s" % (taken, again))
    net.write_json(site.pxed.config_path, dict(site.configuration, hosts=[
        {"name": "one", "mac": "52:54:00:00:00:01"}]))
    site.pxed.signal(signal.SIGHUP)
    site.until("pxed_config_last_reload_success", 1)
    numbers = web.metrics(site.server)[0]
    check.equal(numbers["pxed_config_hosts"], 1, "hosts")
    check.that(numbers["pxed_config_last_reload_timestamp_seconds"] > taken, "a later one serves")


def test_no_client_can_add_a_label(site):
    lines = site.text.count("\n")
    for i in range(40):
        mac = bytes.fromhex("02aa%08x" % i)
        site.pxe.send(dhcp.discover(i * 17, chaddr=mac.ljust(16, b"\0")))
        client = tftp.Client(site.client, net.SERVER)
        client.request('"} 1\nname%d{' % i)
        client.expect_error(1)
        client.close()
    check.equal(web.metrics(site.server)[1].count("\n"), lines, "lines")


def test_the_process_tells_of_itself(site):
    numbers = web.metrics(site.server)[0]
    check.equal(numbers["process_max_fds"], float(os.sysconf("SC_OPEN_MAX")), "limit of descriptors")
    check.that(abs(numbers["process_resident_memory_bytes"] / 1024 - site.pxed.memory_kib()) < 2048, "memory")
    check.that(abs(numbers["process_open_fds"] - len(site.pxed.open_files())) <= 2, "descriptors")
    check.that(abs(numbers["process_start_time_seconds"] - time.time()) < 60, "start")
    check.that(0 <= numbers["process_cpu_seconds_total"] < 10, "processor time")


def test_promtool_finds_no_fault_in_the_metrics(site):
    promtool("check", "metrics", stdin=web.metrics(site.server)[1])


def test_promtool_finds_no_fault_in_the_alerts():
    promtool("check", "rules", os.path.join(net.TOP, "docs", "alerts.yml"))


def test_the_alerts_are_of_metrics_that_there_are(site):
    with open(os.path.join(net.TOP, "docs", "alerts.yml")) as file:
        for line in file:
            if "expr:" in line:
                name = re.search(r"pxed_\w+", line).group()
                check.that(name in site.text, "no metric " + name)
