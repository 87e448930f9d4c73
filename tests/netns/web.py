"""HTTP clients: one that sends what it is told and reads answers exactly."""
import json
import re
import socket

import check

PORT = 8069


class Response:
    """An answer: status, header fields (names in lower case) and body."""

    def __init__(self, status, fields, body, whole):
        self.status, self.fields, self.body = status, fields, body
        self.whole = whole  # False: the connection ended before Content-Length was there

    def __str__(self):
        return "%d %s, %d octets" % (self.status, self.fields, len(self.body))


class Connection:
    """A TCP connection of a namespace (None: of this one) to the server."""

    def __init__(self, namespace, address, port=PORT, timeout=check.PATIENCE, source=None, buffer=None):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        if namespace:
            self.sock = namespace.socket(family, socket.SOCK_STREAM)
        else:
            self.sock = socket.socket(family, socket.SOCK_STREAM)
        self.sock.settimeout(timeout)
        self.host = "[%s]" % address.partition("%")[0] if ":" in address else address
        if buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        if source:
            self.sock.bind((source, 0))
        address, _, scope = address.partition("%")
        where = (address, port)
        if family == socket.AF_INET6:
            where = (address, port, 0, namespace.index(scope) if scope else 0)
        self.sock.connect(where)
        self.data = b""

    def send(self, octets):
        self.sock.sendall(octets)

    def ask(self, path, method="GET", version="HTTP/1.1", **fields):
        """Send a request; if_range=... becomes If-Range."""
        lines = ["%s %s %s" % (method, path, version), "Host: " + fields.pop("Host", self.host)]
        lines += ["%s: %s" % (name.replace("_", "-"), value) for name, value in fields.items()]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    def more(self):
        """Read once; False at the end."""
        octets = self.sock.recv(1 << 18)
        self.data += octets
        return bool(octets)

    def head(self):
        """Status and header fields of the next answer."""
        while b"\r\n\r\n" not in self.data:
            if not self.more():
                check.fail("no answer, but %r and the end" % self.data[:200])
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {}
        for line in lines:
            name, _, value = line.partition(":")
            fields[name.strip().lower()] = value.strip()
        return int(first.split()[1]), fields

    def read(self, body=True):
        """The next answer; body=False: to HEAD, so that none follows."""
        status, fields = self.head()
        size = int(fields.get("content-length", 0)) if body and status != 304 else 0
        parts = [self.data]
        have = len(self.data)
        while have < size:
            octets = self.sock.recv(1 << 18)
            if not octets:
                break
            parts.append(octets)
            have += len(octets)
        data = b"".join(parts)
        self.data = data[size:]
        return Response(status, fields, data[:size], have >= size)

    def get(self, path, method="GET", **fields):
        self.ask(path, method, **fields)
        return self.read(body=method != "HEAD")

    def ended(self):
        """True when the server has closed it and nothing is left to read."""
        try:
            return not self.data and self.sock.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def get(namespace, address, path, method="GET", port=PORT, **fields):
    """One request over a connection of its own."""
    with Connection(namespace, address, port) as connection:
        return connection.get(path, method, **fields)


def document(namespace, path):
    """The JSON of an API path, asked on the server's own host."""
    answer = get(namespace, "127.0.0.1", path)
    check.equal((answer.status, answer.fields.get("content-type")), (200, "application/json"), "GET " + path)
    return json.loads(answer.body)


def metrics(namespace):
    """The samples, "name{labels}" -> number, and the text."""
    answer = get(namespace, "127.0.0.1", "/metrics")
    check.equal((answer.status, answer.fields.get("content-type")),
                (200, "text/plain; version=0.0.4; charset=utf-8"), "GET /metrics")
    text = answer.body.decode()
    samples = re.findall(r"^([^#\s]\S*) (\S+)$", text, re.M)
    return {name: float(value) for name, value in samples}, text
