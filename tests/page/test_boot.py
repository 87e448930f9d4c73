"""The page of a running pxed, while machines boot in a namespace."""
import json
import os

import check
import dhcp
import net
import tftp
import web
from browser import Browser
from harness import fixture
from test_page import PICTURES, READY

IMAGE = 3000000
BLOCK = 1000
HOSTILE = "<img src=x onerror=document.title='owned'>"
HOST = "52:54:00:77:00:01"


class Site:
    """An ordinary DHCP server, pxed, and a browser on the same host; a machine to boot."""

    def __init__(self, network):
        self.server, self.client = network.pair()
        root = network.root()
        net.write_boot_files(root)
        self.image = root.write("boot.img", os.urandom(IMAGE))
        configuration = net.config(root, hosts=[{"name": "lab-01", "mac": HOST, "x64-uefi": "boot.img"}])
        configuration["profiles"] = {"default": {"x64-uefi": "x64.efi"}}
        network.dnsmasq(self.server)
        self.pxed = network.pxed(self.server, configuration)
        os.makedirs(PICTURES, exist_ok=True)

    def machine(self, mac):
        return dhcp.Client(self.client, mac=bytes.fromhex(mac.replace(":", "")))


@fixture
def site():
    with net.Net() as network:
        yield Site(network)


@fixture
def browser(site):
    with Browser(site.server.name) as one:
        one.open("http://127.0.0.1:%d/" % web.PORT)
        one.until(READY)
        yield one


def lease(machine):
    """DISCOVER and REQUEST as firmware does them: pxed's offer names the file, dnsmasq's the address."""
    discover = machine.prepare(dhcp.discover(7))
    machine.send(discover)
    offers = machine.replies(3.0, {discover.xid}, stop=lambda reply: reply.message.yiaddr != "0.0.0.0")
    leased = next(reply.message for reply in offers if reply.message.yiaddr != "0.0.0.0")
    request = dhcp.discover(7, xid=discover.xid, chaddr=discover.chaddr).set(53, bytes([dhcp.REQUEST]))
    request.options += [(54, leased.option(54)), (50, bytes(map(int, leased.yiaddr.split("."))))]
    machine.send(request)
    check.that(machine.replies(3.0, {request.xid}, stop=lambda reply: True), "no ACK from the DHCP server")
    return leased.yiaddr


class Load:
    """A file of which the machine takes as much as it is told to."""

    def __init__(self, site, address, name):
        site.client.addr("eth0", address + "/24")
        self.transfer = tftp.Download(tftp.Client(site.client, net.SERVER, local=address), name,
                                      options=(("blksize", str(BLOCK)), ("tsize", "0"), ("windowsize", "4")))

    def run(self, share=1.0):
        while not self.transfer.over and (share == 1.0 or len(self.transfer.parts) * BLOCK < share * IMAGE):
            packet = self.transfer.client.receive(1.0)
            if packet:
                self.transfer.on_packet(packet)
            else:
                self.transfer.on_timeout()


def booting(browser):
    return browser.value("document.getElementById('booting').innerText")


def test_a_boot_is_shown_from_its_first_request_to_its_end(site, browser):
    stranger = site.machine("52:54:00:77:00:02")
    stranger.send(dhcp.discover(11))
    machine = site.machine(HOST)
    address = lease(machine)
    browser.until("document.getElementById('booting').innerText.includes('lab-01')")
    load = Load(site, address, "boot.img")
    load.run(0.4)
    browser.until("document.querySelector('#booting progress')?.value > %d" % (0.3 * IMAGE))
    check.that("boot.img" in booting(browser) and "of 3.0 MB" in booting(browser), booting(browser))
    browser.click("Array.from(document.querySelectorAll('#booting .opener')).find((b) => b.textContent === 'lab-01')")
    browser.until("document.querySelector('#booting .events')?.innerText.includes('boot.img')")
    browser.screenshot(os.path.join(PICTURES, "boot.png"))
    words = browser.value("document.querySelector('#booting .events').innerText")
    check.that(all(word in words for word in ("discover", "offer", "other-offer", "request", "file")), words)
    ask = tftp.Client(site.client, net.SERVER, local=address)
    ask.request(HOSTILE)
    ask.expect_error(1)
    browser.until("document.querySelector('#booting .events')?.innerText.includes(%s)" % json.dumps(HOSTILE), 20)
    load.run()
    check.same_bytes(load.transfer.data, site.image, "the image")
    browser.until("document.querySelector('#recent tbody')?.innerText.includes('lab-01')", 30)
    browser.until("document.getElementById('attention').innerText.includes('arm64-uefi')", 30)
    browser.screenshot(os.path.join(PICTURES, "ended.png"))
    check.equal(browser.value("document.querySelectorAll('img').length"), 0, "elements made of names")
    check.that("owned" not in browser.value("document.title"), "the title")
    check.equal(browser.complaints, [], "what the browser complains of")
    same_numbers(site, browser)


def same_numbers(site, browser):
    """Page, document and metrics tell the same."""
    totals = web.document(site.server, "/api/status")["totals"]
    numbers, _ = web.metrics(site.server)
    page = browser.value("document.getElementById('totals').innerText")
    ended = {state: sum(value for name, value in numbers.items() if name.startswith("pxed_boots_total{") and
                        'state="%s"' % state in name) for state in ("booted", "stopped")}
    check.equal(ended, {"booted": totals["booted"], "stopped": totals["stopped"]}, "boots in the metrics")
    check.equal(numbers['pxed_transfers_total{door="tftp",result="done"}'], 1, "files that came whole")
    check.that("booted\n%d" % totals["booted"] in page and "did not boot\n%d" % totals["stopped"] in page, page)
