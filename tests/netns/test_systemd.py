"""What systemd sees of pxed: ready, alive, stopping; and the configuration a package begins with."""
import os
import socket

import check
import net


def notified(network, server, configuration, *words):
    """pxed started as systemd does; the socket that it reports to."""
    path = os.path.join(network.folder, "notify")
    reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    reports.settimeout(5)
    reports.bind(path)
    os.chmod(path, 0o777)
    place = os.path.join(network.folder, "pxed.json")
    net.write_json(place, configuration)
    program = server.start("env", "NOTIFY_SOCKET=" + path, *words, net.binary(), "run", "-c", place)
    return program, reports


def test_it_tells_systemd_that_it_is_ready_alive_and_stopping():
    with net.Net() as network:
        server, _ = network.pair()
        root = network.root()
        net.write_boot_files(root)
        program, reports = notified(network, server, net.config(root), "WATCHDOG_USEC=400000")
        check.equal(reports.recv(300), b"READY=1\nSTATUS=serves proxy-DHCP and TFTP", "first report")
        check.equal([reports.recv(300) for _ in range(3)], [b"WATCHDOG=1"] * 3, "signs of life")
        check.equal(program.stop(), 0, "exit status")
        rest = []
        reports.settimeout(0)
        while not rest or rest[-1] != b"STOPPING=1":
            rest.append(reports.recv(300))


def test_no_sign_of_life_is_sent_for_another_process():
    with net.Net() as network:
        server, _ = network.pair()
        root = network.root()
        net.write_boot_files(root)
        program, reports = notified(network, server, net.config(root), "WATCHDOG_USEC=100000",
                                    "WATCHDOG_PID=1")
        check.that(reports.recv(300).startswith(b"READY=1"), "not ready")
        reports.settimeout(0.5)
        try:
            check.fail("a sign of life: %r" % reports.recv(300))
        except TimeoutError:
            pass
        check.equal(program.stop(), 0, "exit status")


def test_without_interfaces_it_waits_and_opens_nothing():
    with net.Net() as network:
        server, _ = network.pair()
        root = network.root()
        net.write_boot_files(root)
        program, reports = notified(network, server, net.config(root, interfaces=()))
        check.that(b"serves nothing" in reports.recv(300), "its status")
        ports = [line.split()[1].rsplit(":", 1)[1] for name in ("udp", "udp6")
                 for line in server.read_proc(name).splitlines()[1:]]
        check.equal([port for port in ports if port in ("0043", "0045", "0FAB", "0223")], [],
                    "open ports of DHCP and TFTP")
        check.that("nothing is served: name the interface towards the clients" in program.log(),
                   "no word about how to go on")
        check.equal(program.stop(), 0, "exit status")
