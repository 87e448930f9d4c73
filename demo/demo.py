#!/usr/bin/env python3
"""demo.py PXED: two virtual PCs with real firmware boot through pxed, before your eyes.

Everything happens in a sandbox (tests/lab/sandbox.py): one host with an ordinary DHCP server
and pxed beside it, a bridge, and the PCs, one after the other.  No packet leaves it, and
nothing of it is left behind.  Exit status: 0 both booted, 1 one did not, 2 cannot run here.
"""
import os
import re
import sys
import time
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tests/lab"))
import network  # noqa: E402
import payloads  # noqa: E402
import sandbox  # noqa: E402
import servers  # noqa: E402
from machine import Machine, mac, qemu_argv  # noqa: E402

TIMEOUT = 120
START_PXE = ">>Start PXE over IPv4"
FILES = {"x86-bios": "probe.0", "x64-uefi": "probex64.efi"}


@dataclass(frozen=True)
class PC:
    """One virtual PC: its firmware, what the demo says of it, and what its boot file prints."""
    firmware: str
    title: str
    short: str
    marker: str


PCS = (PC("bios", "BIOS: SeaBIOS, iPXE in the network card's ROM", "BIOS/iPXE",
          payloads.probe_text("bios")),
       PC("x64", "UEFI x64: OVMF, EDK2's own PXE client", "x64 UEFI/EDK2",
          payloads.probe_text("x64")))


# -- what is shown ---------------------------------------------------------------------
class Screen:
    """Lines with a time and a speaker; colours and a running clock on a terminal only."""
    COLOURS = {"dhcp": "33", "pxed": "36", "pc": "0", "lab": "2", "good": "1;32", "bad": "1;31"}

    def __init__(self):
        self.live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = self.live and not os.environ.get("NO_COLOR")
        self.start = self.spoken = time.monotonic()
        self.waiting = ""

    def restart(self):
        """Time counts from here."""
        self.start = self.spoken = time.monotonic()

    def paint(self, kind, text):
        """The text in the colour of its kind."""
        return "\033[%sm%s\033[0m" % (self.COLOURS[kind], text) if self.colour else text

    def clock(self):
        """The time, in a column of its own."""
        return "[%5.1f s]" % (time.monotonic() - self.start)

    def put(self, text=""):
        """A line as it is."""
        print(("\r\033[K" if self.waiting else "") + text, flush=True)
        self.waiting, self.spoken = "", time.monotonic()

    def say(self, who, text, kind=None):
        """A line with time and speaker."""
        self.put("%s  %-4s  %s" % (self.clock(), who, self.paint(kind or who, text)))

    def wait(self, text):
        """To be called often while nothing happens."""
        line = "%s  %s" % (self.clock(), self.paint("lab", "...   " + text))
        if self.live and line != self.waiting:
            print("\r\033[K" + line, end="", flush=True)
            self.waiting = line
        elif not self.live and time.monotonic() - self.spoken > 3:
            self.say("...", text, "lab")


def from_dhcp(line):
    """dnsmasq's log, in the words of the protocol."""
    m = re.search(r"DHCP(DISCOVER|OFFER|REQUEST|ACK)\(eth0\) (.*)", line)
    return "%-8s  %s" % (m[1], m[2].strip()) if m else None


def from_pxed(line):
    """pxed's log, without the clock and the fields that are the same in every line here."""
    line = re.sub(r"^(<\d>|[\d:.]+ )(pxed )?", "", line)
    return re.sub(r" (mac|interface|profile|form|port|peer|rtt_ms)=\S+", "", line)


def from_pc(line):
    """Of what the firmware prints, the lines that tell of the boot."""
    told = re.search(START_PXE + r"|Station IP.*|NBP file(?:name|size| down).*|iPXE initialising.*|Next server:.*|"
                     r"Filename:.*|tftp://.*|PXE-E.*|%s.*" % payloads.MARKER, line)
    return told.group().strip() if told else None


class Follow:
    """Says what is new in a log, as the translation puts it."""

    def __init__(self, screen, who, path, translate):
        self.screen, self.who, self.path, self.translate = screen, who, path, translate
        self.shown = 0

    def poll(self):
        """Says the lines that have been finished since the last call."""
        with open(self.path, encoding="latin-1", newline="") as f:
            text = network.clean(f.read())
        # EDK2 finishes this line only when all is over.
        lines = text.replace(START_PXE, START_PXE + "\n").split("\n")
        for line in lines[self.shown:-1]:
            text = self.translate(line)
            if text:
                self.screen.say(self.who, text, "good" if payloads.MARKER in text else None)
        self.shown = len(lines) - 1


# -- the demo, inside its sandbox ------------------------------------------------------
def start_host(screen, pxed):
    """The network, with both servers on one host; pxed's process."""
    network.make_bridge(len(PCS))
    network.make_host(network.PXE)
    screen.say("lab", "a private network: one bridge, one host (%s), no way out" % network.PXE[1])
    servers.start_dnsmasq(network.PXE)
    screen.say("dhcp", "dnsmasq: gives addresses, knows nothing of network boot")
    payloads.build("tftp")
    proc = servers.start_pxed(pxed, os.path.abspath("tftp"), FILES)
    screen.say("pxed", "runs beside it, on the same host: " +
               ", ".join("%s gets %s" % item for item in FILES.items()))
    return proc


def boot(screen, index, pc, logs):
    """Boots one PC; the seconds it took.  LabError when it did not."""
    screen.put("\nPC %d  %s" % (index + 1, pc.title))
    screen.restart()
    machine = Machine(qemu_argv(pc.firmware, index), index)
    screen.say("pc", "power on; network card " + mac(index))
    logs = [*logs, Follow(screen, "pc", machine.log, from_pc)]

    def show():
        for log in logs:
            log.poll()
        screen.wait("the firmware is at work")
    try:
        why = machine.wait_for(pc.marker, TIMEOUT, show)
        seconds = machine.seconds()
        show()
    finally:
        machine.stop()
    if why:
        raise network.LabError("%s: %s\n-- the last of its serial line:\n%s"
                               % (pc.title, why, network.tail(machine.log, 12)))
    return seconds


def inside(pxed):
    """The whole demo; the exit status."""
    sandbox.inside()
    screen = Screen()
    screen.put("pxed demo: two virtual PCs boot over the network, through pxed")
    try:
        proc = start_host(screen, pxed)
        logs = [Follow(screen, "dhcp", "dhcp.log", from_dhcp),
                Follow(screen, "pxed", "pxed.log", from_pxed)]
        logs[1].poll()
        times = [boot(screen, i, pc, logs) for i, pc in enumerate(PCS)]
        servers.stop_pxed(proc)
    except network.LabError as e:
        screen.put("\n%s\n-- the last of pxed's log:\n%s"
                   % (screen.paint("bad", "demo failed: %s" % e), network.tail("pxed.log", 12)))
        return 1
    told = ", ".join("%s in %.1f s" % (pc.short, t) for pc, t in zip(PCS, times))
    screen.put("\n" + screen.paint("good", "booted: %s, through pxed by TFTP" % told))
    return 0


def main():
    if len(sys.argv) == 3 and sys.argv[2] == "--inside":
        return inside(sys.argv[1])
    if not sandbox.begin("demo"):
        return 2
    proc = sandbox.isolated([os.path.abspath(__file__), os.path.abspath(sys.argv[1]), "--inside"])
    try:
        return proc.wait()
    except SystemExit:
        sandbox.end(proc)
        print("\ndemo: interrupted; the network, the servers and the PCs are gone",
              file=sys.stderr)
        raise


if __name__ == "__main__":
    sys.exit(main())
