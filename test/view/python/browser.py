"""A headless Chromium, driven over the DevTools protocol with nothing but the standard library: just enough of WebSocket, and of the
protocol to open pages, run script in them, take pictures, and hear of errors and requests."""
import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time

LIMIT = 60  # seconds for anything that the browser is asked; it answers in milliseconds


def find():
    """The program, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class WebSocket:
    """A connection that carries texts. Frames from us are masked, as the protocol wants it; parts are put together."""

    def __init__(self, address):
        host, port, path = re.fullmatch(r"ws://([^:/]+):(\d+)(/.*)", address).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=LIMIT)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(4096)
        self.rest = answer.split(b"\r\n\r\n", 1)[1]
        if b" 101 " not in answer.split(b"\r\n", 1)[0]:
            raise OSError(f"no WebSocket at {address}")

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x81]) + (bytes([0x80 | size]) if size < 126 else bytes([0xFE]) + struct.pack(">H", size) if size < 65536
                                else bytes([0xFF]) + struct.pack(">Q", size))
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def take(self, count):
        parts = [self.rest]
        have = len(self.rest)
        while have < count:
            part = self.socket.recv(max(65536, count - have))
            if not part:
                raise OSError("the browser has closed the connection")
            parts.append(part)
            have += len(part)
        data = b"".join(parts)
        self.rest = data[count:]
        return data[:count]

    def receive(self):
        whole = b""
        while True:
            first, second = self.take(2)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            data = self.take(size)
            if first & 15 in (0, 1):
                whole += data
                if first & 128:
                    return whole.decode()


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="nereid-browser-")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0", f"--user-data-dir={self.folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        address = None
        for line in self.process.stderr:
            found = re.search(r"DevTools listening on (ws://\S+)", line)
            if found:
                address = found.group(1)
                break
        if not address:
            raise OSError("the browser did not start")
        self.socket = WebSocket(address)
        self.number, self.events, self.session, self.target = 0, [], None, None

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width=1280, height=800, dark=False):
        """Opens a file in a new page and waits until it is there."""
        self.session = None
        if self.target:
            self.call("Target.closeTarget", targetId=self.target)
        self.events = []
        self.target = target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        deadline = time.monotonic() + LIMIT
        while self.run("document.readyState") != "complete" or self.run("typeof start") != "function":
            if time.monotonic() > deadline:
                raise OSError(f"{path} does not load")

    def run(self, script):
        """The value of an expression in the page; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def settle(self):
        """Until what the page wanted to draw is drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def problems(self):
        """Errors of the console, exceptions, and requests to anything but the page itself."""
        self.run("0")
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append("exception: " + (details.get("exception", {}).get("description") or details["text"]))
            elif event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert", "warning"):
                found.append("console: " + str(parameters["args"]))
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append("log: " + parameters["entry"]["text"])
            elif event["method"] == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith(("file:", "data:", "about:")):
                found.append("request: " + parameters["request"]["url"])
        return found

    def picture(self, path, whole=False):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]))

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
