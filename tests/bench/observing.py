#!/usr/bin/env python3
"""What it costs to observe boots (timeline, recordings): pxed beside a pxed linked without it.

    observing.py BUILD [ROUNDS]      needs root; about a minute

Both serve the same files in one run, in turns.  Of each round the ratio of the server's processor
time and of the time taken; told is the median of the ratios, with the quartiles.  Other work on
the machine changes single rounds by a third and more, so many short ones are taken.
"""
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "netns"))
import net  # noqa: E402

ROUNDS = 41
ROWS = (("one client, 64 MiB, window 16", 1, 64 << 20, 16),
        ("200 clients, 256 KiB each, window 16", 200, 256 << 10, 16),
        ("500 clients, 1 KiB each", 500, 1 << 10, 1))


class Server:
    def __init__(self, network, build, name):
        self.name, self.build = name, build
        self.server, self.client = network.pair()
        self.root = network.root()
        for _, _, size, _ in ROWS:
            self.root.write("file-%d" % size, os.urandom(size))
        os.environ["PXED"] = os.path.join(build, name)
        self.pxed = network.pxed(self.server, net.config(self.root, dhcp=False))

    def cpu(self):
        """Seconds of its main thread."""
        with open("/proc/%d/schedstat" % self.pxed.pid) as file:
            return int(file.read().split()[0]) / 1e9

    def load(self, clients, size, window):
        """Processor seconds of the server, and seconds until every client had its file."""
        before = self.cpu()
        name = "file-%d" % size
        try:
            out = self.client.run(os.path.join(self.build, "bench-load"), "--server", net.SERVER,
                                  "--file", name, "--as", self.root.at(name), "--clients",
                                  str(clients), "--blksize", "1468", "--window", str(window))
        except net.NetError as fault:
            if "not the file's octets" not in str(fault):
                raise
            # Seldom, and not seen on the wire so far: the likely cause is a port used again
            # within milliseconds, where a block that its last owner was sent twice comes before
            # the OACK.  The run does not count; it is told.
            print("a run is repeated: %s" % str(fault)[-160:], flush=True)
            return self.load(clients, size, window)
        return self.cpu() - before, json.loads(out)["seconds"]


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    with net.Net() as network:
        both = [Server(network, build, name) for name in ("pxed", "pxed-unwatched")]
        for title, clients, size, window in ROWS:
            found = {server.name: [] for server in both}
            for number in range(rounds + 1):
                for server in both if number % 2 else reversed(both):
                    result = server.load(clients, size, window)
                    if number > 0:  # the first one warms up
                        found[server.name].append(result)
            report(title, clients, *(found[server.name] for server in both))


def report(title, clients, watched, unwatched):
    cost = [statistics.median(one[0] for one in results) / clients * 1e6
            for results in (watched, unwatched)]
    cpu, wall = (quartiles(one[i] / other[i] for one, other in zip(watched, unwatched))
                 for i in (0, 1))
    print("%-38s server CPU a transfer %8.1f us, without %8.1f us: %s   time: %s" % (
        title, *cost, cpu, wall), flush=True)


def quartiles(ratios):
    """What is more than 1, as text."""
    low, middle, high = ((ratio - 1) * 100 for ratio in statistics.quantiles(ratios, n=4))
    return "%+5.1f %% (%+.1f .. %+.1f)" % (middle, low, high)


if __name__ == "__main__":
    main()
