#!/usr/bin/env python3
"""How long pxed takes to tell of 1,000 machines that boot, each with two files under way.

    asking.py [BINARY] [ROUNDS]      needs root; half a minute

Medians and the best, from the question to the whole answer, of commands with their start; and the processor
time of both ends, which is what is left of them on a quiet machine.  Each round has a pxed of its
own, as the files of machines that answer no more end after a while.
"""
import os
import resource
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "netns"))
import crowd  # noqa: E402
import dhcp  # noqa: E402
import doors  # noqa: E402
import net  # noqa: E402
import web  # noqa: E402

MACHINES = 1000
ROUNDS = 9


class Site:
    def __init__(self, network):
        self.server, client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        control = os.path.join(network.folder, "control.sock")
        self.pxed = network.pxed(self.server, dict(net.config(root), control=control))
        self.doors = doors.Doors(self.server, self.pxed.config_path, control, self.pxed.log)
        self.pxe = dhcp.Client(client)
        crowd.boot(self, MACHINES)

    def cpu(self):
        """Processor seconds of pxed's main thread."""
        with open("/proc/%d/schedstat" % self.pxed.pid) as file:
            return int(file.read().split()[0]) / 1e9

    def get(self, path):
        return len(web.get(self.server, "127.0.0.1", path).body)


def spent(site):
    """Processor seconds of pxed and of the commands asked so far."""
    commands = resource.getrusage(resource.RUSAGE_CHILDREN)
    return site.cpu() + commands.ru_utime + commands.ru_stime


def measure(site, ask):
    """Milliseconds, those of the processors, and octets."""
    time.sleep(doors.PAGE_KEPT + 0.05)     # the page's document is made anew
    before, start = spent(site), time.monotonic()
    octets = ask(site)
    return (time.monotonic() - start) * 1000, (spent(site) - before) * 1000, octets


def questions():
    for words in (("status",), ("status", "--json")):
        yield "pxed " + " ".join(words), lambda site, words=words: len(site.doors.command(*words))
    for path in ("/api/status", "/metrics", "/api/boots?mac=02:00:00:00:00:07"):
        yield path.partition("?")[0], lambda site, path=path: site.get(path)


def main():
    os.environ["PXED"] = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else net.binary())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    found = {title: [] for title, _ in questions()}
    for _ in range(rounds):
        with net.Net() as network:
            site = Site(network)
            document = site.doors.ask("status")
            told = len(document["boots"]), len(document["transfers"])
            for title, ask in questions():
                found[title].append(measure(site, ask))
    print("%d machines boot, with %d files under way" % told)
    for title, results in found.items():
        wall, cpu, octets = zip(*results)
        print("%-20s %8d octets   median %6.1f ms, best %6.1f ms; processors %5.1f, best %5.1f ms" % (
            title, octets[-1], statistics.median(wall), min(wall), statistics.median(cpu), min(cpu)))


if __name__ == "__main__":
    main()
