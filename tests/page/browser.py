"""A headless Chromium, told what to do through a pipe (the DevTools protocol, no driver).

    with Browser() as browser:
        browser.open("http://127.0.0.1:8069/", width=390)
        browser.until("document.title.includes('booting')")
        browser.screenshot("page.png")
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb")


class BrowserError(Exception):
    """The browser did not do as it was told."""


def program():
    """The browser's path, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One browser with one page; namespace: where it runs."""

    def __init__(self, namespace=None):
        self.folder = tempfile.mkdtemp(prefix="pxed-page-")
        down, self.to_browser = os.pipe()
        self.from_browser, up = os.pipe()
        self.process = subprocess.Popen(self.command(namespace, down, up), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        pass_fds=(down, up))
        os.close(down)
        os.close(up)
        self.buffer, self.number, self.complaints = b"", 0, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    session = None

    def command(self, namespace, down, up):
        """Chromium reads its orders from descriptor 3 and answers on 4."""
        inside = ("ip", "netns", "exec", namespace) if namespace else ()
        shell = 'exec "$@" 3<&%d 4>&%d' % (down, up)
        return (*inside, "bash", "-c", shell, "bash", program(), *FLAGS,
                "--user-data-dir=" + self.folder, "--remote-debugging-pipe", "about:blank")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        """One order and its result."""
        self.number += 1
        order = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(order).encode() + b"\0")
        end = time.monotonic() + 30
        while True:
            message = self.receive(end)
            if message.get("id") == self.number:
                if "error" in message:
                    raise BrowserError("%s: %s" % (method, message["error"]["message"]))
                return message["result"]
            self.note(message)

    def receive(self, end):
        """The next message before `end`."""
        while b"\0" not in self.buffer:
            if not select.select([self.from_browser], [], [], max(0, end - time.monotonic()))[0]:
                raise BrowserError("Chromium says nothing")
            octets = os.read(self.from_browser, 1 << 16)
            if not octets:
                raise BrowserError("Chromium has ended")
            self.buffer += octets
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def note(self, message):
        """Keeps what a person would see in the browser's console."""
        what, values = message.get("method"), message.get("params", {})
        if what == "Runtime.exceptionThrown":
            detail = values["exceptionDetails"]
            self.complaints.append(detail.get("exception", {}).get("description", detail["text"]))
        elif what == "Log.entryAdded" and values["entry"]["level"] in ("warning", "error"):
            self.complaints.append(values["entry"]["text"])
        elif what == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning"):
            self.complaints.append(str(values["args"]))

    def open(self, url, width=1280, height=900, dark=False):
        """Shows a page at a window size; at phone widths as a phone does."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)

    def value(self, expression):
        """What a JavaScript expression is in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise BrowserError("%s: %s" % (
                expression, result["exceptionDetails"]["exception"].get("description")))
        return result["result"].get("value")

    def until(self, expression, timeout=40.0):
        """Waits until it is true."""
        end = time.monotonic() + timeout
        while not self.value("Boolean(%s)" % expression):
            if time.monotonic() > end:
                raise BrowserError("not within %.0f s: %s; the page says:\n%s" % (
                    timeout, expression, self.value("document.body.innerText")))
            time.sleep(0.02)

    def text(self):
        """What a person reads."""
        return self.value("document.body.innerText")

    def click(self, expression):
        """A click on the element that the expression gives."""
        self.value("(%s).click()" % expression)

    def screenshot(self, path, whole=False):
        """A PNG of what is seen, or of the whole page."""
        extra = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            extra = {"captureBeyondViewport": True,
                     "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
        image = self.call("Page.captureScreenshot", format="png", **extra)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(image))
