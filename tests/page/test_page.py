"""What the page makes of documents that are made up (fixture.py)."""
import os
import re
import time

import check
import fixture
from browser import Browser
from harness import fixture as fixture_of_tests

PICTURES = os.path.join(fixture.TOP, "build", "page")
READY = "document.getElementById('live')?.textContent === 'live'"

# Each text and what it stands on: those whose contrast is below what WCAG 2.1 AA asks for.
PALE = """(() => {
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = rgb(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const pale = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility() || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(node.tagName)) continue;
    const [a, b] = [light(rgb(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) pale.push(walker.currentNode.data + " " + ((a + 0.05) / (b + 0.05)).toFixed(2));
  }
  return pale;
})()"""

TOO_WIDE = """Array.from(document.querySelectorAll("section .card, table")).filter((node) => node.checkVisibility() &&
  node.getBoundingClientRect().right > node.closest("section").getBoundingClientRect().right + 1).map((node) => node.className)"""

NAMELESS = """Array.from(document.querySelectorAll("button, a, input, progress, section")).filter((node) =>
  node.checkVisibility() && !node.textContent.trim() && !node.getAttribute("aria-label") &&
  !node.getAttribute("aria-labelledby") && !node.closest("label")).map((node) => node.outerHTML)"""


@fixture_of_tests
def browser():
    os.makedirs(PICTURES, exist_ok=True)
    with Browser() as one:
        yield one


@fixture_of_tests
def server():
    with fixture.Server(fixture.status()) as one:
        yield one


def look(browser, server, document, **how):
    """Opens the page anew with this document."""
    server.show(document)
    browser.complaints.clear()
    browser.open(server.url, **how)
    browser.until(READY)


def picture(browser, name):
    browser.screenshot(os.path.join(PICTURES, name + ".png"))


def test_a_quiet_server_says_so(browser, server):
    look(browser, server, fixture.status())
    text = browser.text()
    check.that("Ready, no machine has asked yet" in text, text)
    check.that("Needs attention" not in text, text)
    check.that("No machine is booting." in text and "10.0.5.2" in text, text)
    check.equal(browser.complaints, [], "what the browser complains of")


def test_failures_come_first_with_sentence_screen_and_remedy(browser, server):
    look(browser, server, fixture.busy_morning())
    text = browser.text()
    picture(browser, "wide")
    check.that(text.startswith("To the boots under way\n3 machines did not boot") or
               "3 machines did not boot" in text.split("Needs attention")[0], text)
    for words in ("2 machines did not boot", "The same happened to 52:54:00:00:00:06",
                  fixture.NO_FILE["sentence"], fixture.NO_FILE["screen"], fixture.NO_FILE["remedy"],
                  fixture.PROBE_ONLY["sentence"], "Recording of its packets",
                  "profiles.default.x64-uefii: unknown architecture", "second-proxy",
                  "pxed approve 52:54:00:77:00:01"):
        check.that(words in text, "no %r in:\n%s" % (words, text))
    order = [text.index(words) for words in (
        fixture.NO_FILE["sentence"], "configuration not taken over", "another server interferes", "Recent boots")]
    check.equal(order, sorted(order), "their order")
    check.equal(browser.value("document.querySelector('.links a').getAttribute('href')"),
                "evidence/3-525400000003.pcap", "the recording's address")
    check.equal(browser.complaints, [], "what the browser complains of")


def test_progress_is_shown_and_moves_without_a_flicker(browser, server):
    document = fixture.busy_morning()
    look(browser, server, document)
    check.equal(browser.value("document.querySelector('#booting progress').value"), 263000000, "octets")
    check.that("63 % · 263 MB of 412 MB" in browser.text(), browser.text())
    browser.value("document.querySelectorAll('#booting li, #attention li, #recent tr').forEach((n) => n.mine = true)")
    document["transfers"][0].update(sent=400000000, left=0.2)
    document["time"] = fixture.stamp(time.time())
    browser.until("document.querySelector('#booting progress').value === 400000000")
    check.equal(browser.value("Array.from(document.querySelectorAll('#booting li, #attention li, #recent tr'))"
                              ".every((n) => n.mine)"), True, "the rows are the same elements")
    ended = dict(document["boots"][0], state="booted", ended=document["time"], verdict="booted",
                 sentence="The machine booted.")
    server.show({**document, "boots": document["boots"][1:], "recent": [ended] + document["recent"],
                 "transfers": document["transfers"][1:]})
    browser.until("document.querySelector('#recent tbody tr').textContent.includes('lab-04')")
    check.that("lab-04" not in browser.value("document.querySelector('#booting').textContent"), "it left")


def test_a_timeline_opens_stays_open_and_follows(browser, server):
    document = fixture.busy_morning()
    look(browser, server, document)
    browser.click("document.querySelector('#booting .opener')")
    browser.until("document.querySelector('#booting .events li')")
    picture(browser, "timeline")
    text = browser.value("document.querySelector('#booting .more').innerText")
    check.that("+0.012" in text and "10.0.5.1 offers an address" in text and "boot.wim" in text, text)
    document["boots"][0]["events"].append(fixture.event(6.0, "refused", "menu.cfg: file not found"))
    browser.until("document.querySelector('#booting .more').innerText.includes('menu.cfg: file not found')")
    check.equal(browser.value("document.querySelector('#booting .opener').getAttribute('aria-expanded')"), "true", "open")
    browser.click("document.querySelector('#booting .opener')")
    browser.until("!document.querySelector('#booting .more')")
    browser.click("document.querySelector('#recent .opener')")
    browser.until("document.querySelector('#recent .events li')")


def test_names_of_others_are_text_and_nothing_else(browser, server):
    bad = fixture.HOSTILE
    row = fixture.file(bad, 1000, sent=10, seconds=0.1)
    document = fixture.with_transfers(fixture.status(
        boots=[fixture.under_way(1, "file", host=bad, client=bad, files=[row])],
        recent=[fixture.boot(2, host=bad, ago=9, evidence="../" + bad, **{**fixture.NO_FILE, "screen": bad, "remedy": bad, "sentence": bad})],
        conflicts=[{"kind": bad, "count": 2, "sentence": bad}],
        held=[{"mac": "52:54:00:00:00:09", "host": bad, "last_seen": None}]))
    document["boots"][0]["events"] = [fixture.event(0, bad, bad)]
    document["configuration"].update(path=bad, reload={"time": None, "ok": False, "faults": 1, "first": bad})
    document["interfaces"][0].update(name=bad, state=bad)
    look(browser, server, document)
    browser.click("document.querySelector('#booting .opener')")
    browser.until("document.querySelector('.events li')")
    check.equal(browser.value("document.querySelectorAll('img, main script').length"), 0, "elements made of names")
    check.that(browser.value("document.querySelector('#booting .load bdi').textContent") == bad, "the name as it is")
    check.that("owned" not in browser.value("document.title"), "the title")
    check.equal(browser.value("new URL(document.querySelector('.links a').href).pathname.startsWith('/evidence/..%2F')"),
                True, "a recording's name stays in its folder")
    check.equal(browser.complaints, [], "what the browser complains of")


def test_a_thousand_boots_are_painted_within_a_tenth_of_a_second(browser, server):
    look(browser, server, fixture.crowd(1000))
    paints = []
    for _ in range(5):
        paints.append(float(browser.value("(paint(), document.documentElement.dataset.paint)")))
    first = float(browser.value("(document.querySelectorAll('main li, main tbody tr').forEach((n) => n.remove()), "
                                "paint(), document.documentElement.dataset.paint)"))
    print("     1,000 boots under way and 1,000 ended: painted in %.0f ms, anew in %.0f ms" % (sorted(paints)[2], first))
    check.that(sorted(paints)[2] < 100 and first < 100, "%s and %s ms" % (paints, first))
    check.that("1000 machines are booting" in browser.text() or "100 machines did not boot" in browser.text(), browser.text()[:200])
    browser.click("document.querySelector('#recent .rest button')")
    check.equal(browser.value("document.querySelectorAll('#recent tbody tr').length"), 250, "rows after a click")


def test_recent_boots_can_be_filtered(browser, server):
    look(browser, server, fixture.busy_morning())
    browser.value("(() => { const f = document.getElementById('filter'); f.value = 'build-02'; f.dispatchEvent(new Event('input')); })()")
    check.equal(browser.value("document.querySelectorAll('#recent tbody tr').length"), 1, "rows named build-02")
    browser.value("(() => { const f = document.getElementById('filter'); f.value = ''; f.dispatchEvent(new Event('input')); })()")
    browser.click("document.getElementById('failed')")
    check.equal(browser.value("document.querySelectorAll('#recent tbody tr').length"), 3, "those that failed")


def test_a_server_that_falls_silent_is_told_and_comes_back(browser, server):
    document = fixture.busy_morning()
    look(browser, server, document)
    server.show(None)
    browser.until("document.getElementById('headline').textContent === 'pxed does not answer'")
    check.that("what is below is old" in browser.text(), browser.text())
    server.show(document)
    browser.until(READY + " && document.getElementById('headline').textContent === '3 machines did not boot'")


def test_it_fits_a_phone_and_a_wide_screen_in_light_and_dark(browser, server):
    for width, height in ((390, 844), (700, 900), (1110, 900), (1280, 900), (2200, 1200)):
        for dark in (False, True):
            look(browser, server, fixture.busy_morning(), width=width, height=height, dark=dark)
            browser.click("document.querySelector('#attention .opener')")
            browser.click("document.querySelector('#booting .opener')")
            browser.until("document.querySelectorAll('.events').length === 2")
            picture(browser, "%d-%s" % (width, "dark" if dark else "light"))
            check.that(browser.value("document.documentElement.scrollWidth") <= width, "no sideways scrolling at %d" % width)
            check.equal(browser.value(TOO_WIDE), [], "what sticks out of its section at %d" % width)
            check.equal(browser.value(PALE), [], "texts of poor contrast at %d" % width)
            check.equal(browser.value(NAMELESS), [], "controls without a name")
            check.equal(browser.value("Array.from(document.querySelectorAll('h1, h2, h3, h4')).filter((n) => n.getAttribute('role')).length"),
                        0, "headings that are none")


def test_nothing_is_fetched_from_elsewhere():
    page = fixture.page().decode()
    outside = re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]+[^\s'\"]*", re.sub(r"http://www\.w3\.org/2000/svg", "", page))
    check.equal(outside, [], "addresses in the page")
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
        check.that(word not in page, word + " in the page")
