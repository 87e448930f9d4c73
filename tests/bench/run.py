#!/usr/bin/env python3
"""run.py BUILD [--only REGEX] [--rounds N]: pxed beside other TFTP servers.

Each server runs in namespaces of its own, one at a time; rounds of all of them alternate and
medians count.  Leaves results.jsonl, report.md and *.svg in BUILD/comparison.  Needs root.
Status 0: measured, whatever came out; 1: a client got wrong octets from pxed; 2: cannot run.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../netns"))

import net
import networks
import plot
import report
import rows
import servers
from files import Files

SPARE = 30.0       # seconds a client may take beyond its limit
BLOCKS_OF_CALIBRATION = 600


def applies(row, server):
    """A server without windows does the same for each window: the ends are enough."""
    if row.only_pxed:
        return server.name == "pxed"
    return server.windows or row.shows != rows.TIME or row.window in (1, rows.WINDOWS[-1])


class Bench:
    """The measurements of one run."""

    def __init__(self, options, files, found):
        self.build = options.build
        self.files, self.servers = files, found
        self.placement = servers.Placement(not options.unpinned)
        self.networks = {}
        self.delay = None
        self.results = []

    def network(self, server, kind):
        """Made when first asked for, kept to the end."""
        key = (server.name, kind)
        if key not in self.networks:
            self.networks[key] = networks.KINDS[kind](self.files.path)
        return self.networks[key]

    def load(self, place, row):
        """One run of the load generator: its result."""
        name = self.files.of_size(row.size)
        argv = [os.path.join(self.build, "bench-load"), "--server", place.address,
                "--file", name, "--as", os.path.join(self.files.path, name),
                "--kind", row.kind, "--clients", str(row.clients),
                "--blksize", str(row.blksize), "--window", str(row.window),
                "--limit", str(row.limit), "--retry", str(row.retry),
                "--data-loss", str(row.loss), "--ack-loss", str(row.ack_loss),
                "--round-trip", str(row.round_trip), "--seed", str(self.seed)]
        if row.clients > 1:
            argv += ["--from", networks.CROWD_FIRST, "--from-count", str(networks.CROWD_COUNT)]
        process = servers.spawn(argv, place.client, self.placement, stdout=subprocess.PIPE,
                                text=True)
        try:
            text, _ = process.communicate(timeout=row.limit + SPARE)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        return json.loads(text)

    def measure(self, server, row, delay=0):
        """A row with one server: the client's result with the server's use beside it."""
        network = self.network(server, row.network)
        network.start_link(row, delay, self.seed, self.placement, self.build)
        try:
            running = servers.Running(server, network.place, self.placement,
                                      row.refuse_segments)
            try:
                result = self.load(network.place, row)
                result["server_cpu"] = running.cpu()
                result["memory_mb"] = running.memory_mb()
            finally:
                running.close()
        finally:
            link = network.stop_link()
        result.update(server=server.name, row=row.name, link=link)
        return result

    def calibrate(self):
        """The delay with which a lock-step block takes LOCK_STEP_USEC on the link."""
        plain = [server for server in self.servers if server.name != "pxed"] or self.servers
        row = rows.link(1, size=BLOCKS_OF_CALIBRATION * 1456, kind="lockstep")
        self.seed, self.delay = 1, 150.0
        for _ in range(3):
            result = self.measure(plain[0], row, self.delay)
            took = result["seconds"] * 1e6 / BLOCKS_OF_CALIBRATION
            self.delay = max(0.0, self.delay + (rows.LOCK_STEP_USEC - took) / 2)
        print("the first link: %.0f us each way (%.0f us a block with %s)" % (
            self.delay, took, plain[0].name), flush=True)

    def run(self, wanted, rounds, save):
        for number in range(rounds):
            self.seed = number + 1
            for row in wanted:
                if row.once and number > 0:
                    continue
                if row.seed_link and self.delay is None:
                    self.calibrate()
                    self.seed = number + 1
                for server in self.servers:
                    if applies(row, server):
                        self.one(server, row, number, rounds, save)

    def one(self, server, row, number, rounds, save):
        try:
            result = self.measure(server, row, self.delay if row.seed_link else 0)
        except net.NetError as fault:
            print("%s with %s: %s" % (row.name, server.name, fault), file=sys.stderr)
            return
        result["round"] = number + 1
        self.results.append(result)
        save(result)
        print("%d/%d  %-16s %-10s %s" % (number + 1, rounds, row.name, server.name,
                                         report.in_words(row, result)), flush=True)

    def close(self):
        for network in self.networks.values():
            network.close()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="folder of the programs")
    parser.add_argument("--only", default=".", help="rows whose name matches")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--servers", default=".", help="servers whose name matches")
    parser.add_argument("--peers", help="folder of the other servers (BUILD/peers)")
    parser.add_argument("--again", action="store_true",
                        help="only write the report of the last run once more")
    parser.add_argument("--unpinned", action="store_true",
                        help="let programs run on any processor at normal priority")
    return parser.parse_args()


def on_terminate(_number, _frame):
    raise KeyboardInterrupt


def measure_all(options, wanted, out):
    """The results of a run, each also written to results.jsonl when it is there."""
    peers = options.peers or os.path.join(options.build, "peers")
    found = [server for server in servers.available(options.build, peers)
             if re.search(options.servers, server.name)]
    files = Files()
    bench = Bench(options, files, found)
    print("bench: %d rows, %d rounds: %s" % (
        len(wanted), options.rounds, ", ".join(s.name for s in bench.servers)), flush=True)
    try:
        with open(out, "w") as log:
            def save(result):
                log.write(json.dumps(result) + "\n")
                log.flush()
            bench.run(wanted, options.rounds, save)
    finally:
        bench.close()
        files.close()
    return bench.results


def main():
    options = arguments()
    if os.geteuid() != 0 and not options.again:
        print("bench: needs root, for namespaces and port 69", file=sys.stderr)
        return 2
    wanted = [row for row in rows.ALL if re.search(options.only, row.name)]
    folder = os.path.join(options.build, "comparison")
    path = os.path.join(folder, "results.jsonl")
    if options.again:
        with open(path) as file:
            results = [json.loads(line) for line in file]
    else:
        os.makedirs(folder, exist_ok=True)
        signal.signal(signal.SIGTERM, on_terminate)
        net.clean_leftovers()
        results = measure_all(options, wanted, path)
    text = report.markdown(wanted, results)
    with open(os.path.join(folder, "report.md"), "w") as file:
        file.write(text)
    plot.write(folder, results)
    print("\n" + text)
    return 1 if any(r["server"] == "pxed" and r["corrupted"] for r in results) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
