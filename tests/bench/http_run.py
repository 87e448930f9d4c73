#!/usr/bin/env python3
"""http_run.py BUILD [--only REGEX] [--rounds N]: pxed's HTTP beside nginx.

Both serve the same files, one at a time, in rounds that take turns; medians count.  Leaves
http.jsonl and http.md in BUILD/comparison.  Needs root.  Status 0: measured; 2: cannot run.
"""
import argparse
import dataclasses
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../netns"))

import net
import networks
import servers
from files import Files

MIB = 1 << 20
PORT = 8069
AT_LEAST = 0.8  # of nginx
SPARE = 90


@dataclasses.dataclass
class Row:
    name: str
    title: str
    network: str
    size: int
    clients: int
    seconds: int = 4        # 0: each client once
    probe: bool = False
    shows: str = "rate"     # "rate": MB/s, "requests": a second
    # On one processor, in turn, before all else (servers.Placement); a thousand threads that
    # each run until they wait are a measure of that order, not of a server.
    pinned: bool = True


ROWS = (
    Row("loopback-1", "1 client, no network in between", "loopback", 256 * MIB, 1),
    Row("pair-1", "1 client, veth", "pair", 256 * MIB, 1),
    Row("pair-10", "10 clients, veth", "pair", 256 * MIB, 10),
    Row("crowd-1000", "1,000 clients at once, 1 MiB each", "pair", MIB, 1000, 0,
        pinned=False),
    Row("crowd-2000", "2,000 clients at once, 512 KiB each", "pair", MIB // 2, 2000,
        0, pinned=False),
    Row("small-1", "4 KiB over and over, 1 connection", "pair", 4096, 1, shows="requests"),
    Row("small-100", "4 KiB over and over, 100 connections", "pair", 4096, 100, shows="requests"),
    Row("under-load", "first octet of a small file beside 16 bulk clients", "pair", 256 * MIB, 16,
        probe=True),
)


class Pxed(servers.Pxed):
    def argv(self, place):
        path = os.path.join(place.folder, "pxed.json")
        net.write_json(path, {
            "interfaces": [place.interface], "user": "nobody", "dhcp": {"enabled": False},
            "tftp": {"enabled": False, "root": place.root},
            "http": {"listen": ":%d" % PORT, "boot_files": True, "max_connections": 4000,
                     "max_per_address": 4000},
            "control": "off", "state_dir": "off",
            "profiles": {"default": {"x64-uefi": "ready"}},
            "unknown_hosts": {"profile": "default"}})
        return [self.program, "run", "-c", path]


class Nginx:
    """As Debian configures it, less what it does not need here."""
    name = "nginx"

    def __init__(self, folder):
        self.program = os.path.join(folder, "usr/sbin/nginx")

    def argv(self, place):
        path = os.path.join(place.folder, "nginx.conf")
        with open(path, "w") as file:
            file.write("""
daemon off; master_process off; user root; worker_processes 1; pid %(folder)s/nginx.pid; error_log /dev/null;
events { worker_connections 8000; }
http { sendfile on; tcp_nopush on; access_log /dev/null; types { } default_type application/octet-stream;
  client_body_temp_path %(folder)s/a; proxy_temp_path %(folder)s/b; fastcgi_temp_path %(folder)s/c;
  uwsgi_temp_path %(folder)s/d; scgi_temp_path %(folder)s/e; keepalive_requests 1000000000;
  server { listen %(port)d; root %(root)s; } }
""" % {"folder": place.folder, "port": PORT, "root": place.root})
        return [self.program, "-c", path]


class Running(servers.Running):
    def wait_ready(self, place):
        """Until it has answered."""
        end = time.monotonic() + servers.READY_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            sock = net.in_namespace(place.client.name, socket.socket)
            with sock:
                try:
                    sock.connect((place.address, PORT))
                    sock.sendall(b"GET /ready HTTP/1.0\r\n\r\n")
                    if b" 200 " in sock.recv(2000):
                        return
                except OSError:
                    time.sleep(0.02)
        with open(self.log.name, errors="replace") as log:
            raise net.NetError("%s does not serve: %s" % (self.name, log.read()[-500:]))


class Bench:
    def __init__(self, options, found):
        self.build, self.servers = options.build, found
        self.files = Files()
        self.pinned, self.free = servers.Placement(True), servers.Placement(False)
        self.networks = {}

    def place(self, server, kind):
        key = (server.name, kind)
        if key not in self.networks:
            self.networks[key] = networks.KINDS[kind](self.files.path)
        return self.networks[key].place

    def measure(self, server, row):
        place = self.place(server, row.network)
        placement = self.pinned if row.pinned else self.free
        running = Running(server, place, placement)
        try:
            argv = [os.path.join(self.build, "bench-http"), place.address, str(PORT),
                    "/" + self.files.of_size(row.size), str(row.clients), str(row.seconds)]
            argv += ["/" + self.files.of_size(4096)] if row.probe else []
            client = servers.spawn(argv, place.client, placement, stdout=subprocess.PIPE,
                                   text=True)
            try:
                text, _ = client.communicate(timeout=row.seconds + SPARE)
            finally:
                if client.poll() is None:
                    client.kill()
                    client.wait()
            result = json.loads(text)
            result.update(row=row.name, server=server.name, cpu=running.cpu(),
                          memory_mb=running.memory_mb())
            return result
        finally:
            running.close()

    def close(self):
        for network in self.networks.values():
            network.close()
        self.files.close()


# -- what it says --------------------------------------------------------------------------
def rate(result):
    return result["octets"] / 1e6 / result["seconds"]


def per_gb(result):
    known = result["cpu"] is not None and result["octets"]
    return result["cpu"] / (result["octets"] / 1e9) if known else float("nan")


def middle(results, value):
    return statistics.median(value(result) for result in results)


def cell(row, results):
    if not results:
        return "-"
    failures = sum(result["failed"] for result in results)
    if row.shows == "requests":
        text = "%.0f requests/s, %.0f µs of CPU each" % (
            middle(results, lambda r: r["requests"] / r["seconds"]),
            middle(results, lambda r: per_gb(r) * r["octets"] / 1e3 / max(1, r["requests"])))
    else:
        text = "%.0f MB/s, %.2f s/GB" % (middle(results, rate), middle(results, per_gb))
    kind = "probe" if row.probe else "first"
    text += ", first octet %.2f / %.2f ms" % tuple(
        middle(results, lambda r, p=p: r[kind][p] / 1000) for p in ("p50", "p99"))
    if results[0]["memory_mb"] is not None:
        text += ", %.0f MB" % middle(results, lambda r: r["memory_mb"])
    return text + (", **%d failed**" % failures if failures else "")


def compared(row, own, other):
    """How pxed compares: throughput, and the target where there is one."""
    if not own or not other:
        return ""
    value = rate if row.shows == "rate" else lambda r: r["requests"] / r["seconds"]
    ratio = middle(own, value) / middle(other, value)
    met = ratio >= AT_LEAST or row.shows != "rate"
    return "%.2f%s" % (ratio, "" if met else " **no**")


def table(results, rounds):
    lines = ["Medians of %d rounds. CPU is the server's, with what the kernel does for it; first octet: "
             "half of them / 99 of 100; memory: the peak of the server's control group, stacks and "
             "sockets included. Crowds run on all processors, the other rows on one." % rounds, "",
             "| | pxed | nginx | pxed / nginx |", "| --- | --- | --- | --- |"]
    for row in ROWS:
        mine = [r for r in results if r["row"] == row.name]
        own, other = ([r for r in mine if r["server"] == name] for name in ("pxed", "nginx"))
        if mine:
            lines.append("| %s | %s | %s | %s |" % (row.title, cell(row, own), cell(row, other),
                                                    compared(row, own, other)))
    return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="folder of the programs")
    parser.add_argument("--only", default=".", help="rows whose name matches")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def main():
    options = arguments()
    if os.geteuid() != 0:
        print("http_run: needs root, for network namespaces", file=sys.stderr)
        return 2
    found = [Pxed(options.build), Nginx(os.path.join(options.build, "peers"))]
    found = [server for server in found if os.access(server.program, os.X_OK)]
    net.clean_leftovers()
    out = os.path.join(options.build, "comparison")
    os.makedirs(out, exist_ok=True)
    bench, results = Bench(options, found), []
    try:
        with open(os.path.join(out, "http.jsonl"), "w") as file:
            for number in range(options.rounds):
                for row in (row for row in ROWS if re.search(options.only, row.name)):
                    for server in found:
                        result = bench.measure(server, row)
                        results.append(result)
                        file.write(json.dumps(result) + "\n")
                        print("%d/%d  %-12s %-6s %s" % (number + 1, options.rounds, row.name,
                                                        server.name, cell(row, [result])), flush=True)
    finally:
        bench.close()
    with open(os.path.join(out, "http.md"), "w") as file:
        file.write(table(results, options.rounds))
    print(table(results, options.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
