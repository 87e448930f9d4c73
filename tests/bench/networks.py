"""Where transfers run: loopback, a pair of namespaces, or a pair with an emulated link."""
import json
import os
import signal
import subprocess

import net
from servers import Place, spawn

CROWD = "10.77.1.0"
CROWD_FIRST, CROWD_COUNT = "10.77.1.1", 250


class Network:
    """The namespaces of one server."""

    def __init__(self, root):
        self.net = net.Net()
        self.root = root

    def close(self):
        self.net.close()

    def start_link(self, row, delay, seed, placement, build):
        """What must run between the ends during one measurement."""

    def stop_link(self):
        """Returns what the link has to say."""


class Loopback(Network):
    def __init__(self, root):
        super().__init__(root)
        server = self.net.namespace("srv")
        self.place = Place(server, server, "lo", "127.0.0.1", root, self.net.folder)


class Pair(Network):
    def __init__(self, root):
        super().__init__(root)
        server, client = self.net.namespace("srv"), self.net.namespace("cli")
        self.connect(server, client)
        server.addr("eth0", "10.77.0.1/16")
        client.addr("eth0", "10.77.0.100/16")
        # every address of this network is one of the client's
        client.ip("route", "add", "local", CROWD + "/24", "dev", "lo")
        self.place = Place(server, client, "eth0", "10.77.0.1", root, self.net.folder)

    def connect(self, server, client):
        self.net.link(server, "eth0", client, "eth0")


class Wired(Pair):
    """The wire lies in a third namespace: eth0 - xa, bench-wire, xb - eth0."""

    def connect(self, server, client):
        self.middle = self.net.namespace("wire")
        for namespace, end in ((server, "xa"), (client, "xb")):
            self.middle.sysctl("net/ipv6/conf/default/disable_ipv6", 1)
            namespace.sysctl("net/ipv6/conf/default/disable_ipv6", 1)
            self.net.link(namespace, "eth0", self.middle, end)
        self.process = None

    def start_link(self, row, delay, seed, placement, build):
        argv = [os.path.join(build, "bench-wire"), "--a", "xa", "--b", "xb",
                "--rate", str(row.rate), "--queue", str(row.queue), "--delay", str(delay),
                "--loss", str(row.wire_loss), "--seed", str(seed),
                "--limit", str(row.limit + 30)]
        self.process = spawn(argv, self.middle, placement, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise net.NetError("bench-wire does not start")

    def stop_link(self):
        self.process.send_signal(signal.SIGTERM)
        text, _ = self.process.communicate(timeout=10)
        return [json.loads(line) for line in text.splitlines()]

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        super().close()


KINDS = {"loopback": Loopback, "pair": Pair, "wire": Wired}
