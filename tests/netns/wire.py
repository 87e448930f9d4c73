"""Ethernet, IPv4 and UDP by hand: frames as a client sends them, frames as they arrived."""
import socket
import struct
import time

ETH_P_ALL, ETH_P_IP, ETH_P_ARP, ETH_P_8021Q, ETH_P_IPV6 = 0x0003, 0x0800, 0x0806, 0x8100, 0x86dd
PACKET_OUTGOING = 4
BROADCAST_MAC = b"\xff" * 6


def ip_bytes(text):
    return socket.inet_aton(text)


def mac_bytes(text):
    return bytes.fromhex(text.replace(":", ""))


def checksum(data):
    """The Internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def pseudo_header(src, dst, length):
    return src + dst + struct.pack("!BBH", 0, socket.IPPROTO_UDP, length)


def udp_bytes(src, dst, sport, dport, payload):
    """A UDP datagram with its checksum; src and dst are four bytes each."""
    length = 8 + len(payload)
    head = struct.pack("!HHH", sport, dport, length)
    value = checksum(pseudo_header(src, dst, length) + head + b"\0\0" + payload) or 0xffff
    return head + struct.pack("!H", value) + payload


def ip_packet(src, dst, body, fragment=0, options=b"", protocol=socket.IPPROTO_UDP):
    """An IPv4 packet around a body; fragment: the flags and offset field as it is."""
    words = 5 + len(options) // 4
    head = struct.pack("!BBHHHBBH4s4s", 0x40 | words, 0, words * 4 + len(body), 0x1234, fragment,
                       64, protocol, 0, src, dst) + options
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + body


def icmp_packet(src, dst, kind, code, about):
    """An ICMP error from src to dst about the packet that begins with these octets."""
    head = struct.pack("!BBHI", kind, code, 0, 0)
    head = head[:2] + struct.pack("!H", checksum(head + about)) + head[4:]
    return ip_packet(src, dst, head + about, protocol=socket.IPPROTO_ICMP)


def frame(src_mac, dst_mac, packet, vlan=None):
    """An Ethernet frame; vlan: the identifier of an 802.1Q tag."""
    tag = b"" if vlan is None else struct.pack("!HH", ETH_P_8021Q, vlan)
    return dst_mac + src_mac + tag + struct.pack("!H", ETH_P_IP) + packet


def udp_frame(src_mac, dst_mac, src, dst, sport, dport, payload, vlan=None):
    """A whole frame; src and dst are texts."""
    body = udp_bytes(ip_bytes(src), ip_bytes(dst), sport, dport, payload)
    return frame(src_mac, dst_mac, ip_packet(ip_bytes(src), ip_bytes(dst), body), vlan)


def port_unreachable(src_mac, dst_mac, src, dst, sport, dport):
    """The ICMP error of src about a UDP datagram that dst sent it from dport to its sport."""
    about = ip_packet(ip_bytes(dst), ip_bytes(src), struct.pack("!HHHH", dport, sport, 8, 0))
    return frame(src_mac, dst_mac, icmp_packet(ip_bytes(src), ip_bytes(dst), 3, 3, about))


def udp6_frame(src_mac, dst_mac, src, dst, sport, dport, payload):
    """The same over IPv6."""
    source, target = socket.inet_pton(socket.AF_INET6, src), socket.inet_pton(socket.AF_INET6, dst)
    length = 8 + len(payload)
    head = struct.pack("!HHH", sport, dport, length)
    pseudo = source + target + struct.pack("!II", length, socket.IPPROTO_UDP)
    value = checksum(pseudo + head + b"\0\0" + payload) or 0xffff
    ip = struct.pack("!IHBB", 6 << 28, length, socket.IPPROTO_UDP, 64) + source + target
    return dst_mac + src_mac + struct.pack("!H", ETH_P_IPV6) + ip + head + struct.pack("!H", value) + payload


def arp_request(src_mac, src, wanted):
    """Who has that address?  Whoever is asked knows the asker from then on (RFC 826)."""
    body = struct.pack("!HHBBH", 1, ETH_P_IP, 6, 4, 1) + src_mac + ip_bytes(src) + bytes(6) + ip_bytes(wanted)
    return BROADCAST_MAC + src_mac + struct.pack("!H", ETH_P_ARP) + body


class Datagram:
    """A UDP datagram over IPv4 as it was seen on the wire."""

    def __init__(self, data):
        self.data = data
        self.dst_mac, self.src_mac = data[0:6], data[6:12]
        ip = data[14:14 + struct.unpack("!H", data[16:18])[0]]
        head = (ip[0] & 15) * 4
        self.ip_ok = checksum(ip[:head]) == 0
        flags = struct.unpack("!H", ip[6:8])[0]
        self.dont_fragment, self.fragmented = bool(flags & 0x4000), bool(flags & 0x3fff)
        self.ttl = ip[8]
        self.src, self.dst = socket.inet_ntoa(ip[12:16]), socket.inet_ntoa(ip[16:20])
        udp = ip[head:]
        self.sport, self.dport, length, value = struct.unpack("!HHHH", udp[:8])
        self.payload = udp[8:length]
        self.udp_ok = value != 0 and length == len(udp) and \
            checksum(pseudo_header(ip[12:16], ip[16:20], length) + udp) == 0

    @staticmethod
    def of(data):
        """The datagram in a frame, or None when it is something else."""
        if len(data) < 42 or data[12:14] != b"\x08\x00" or data[23] != socket.IPPROTO_UDP:
            return None
        return Datagram(data)


class Wire:
    """A raw socket on one interface: sends frames, sees every frame that comes in."""

    def __init__(self, namespace, iface="eth0"):
        self.namespace, self.iface = namespace, iface
        self.mac = namespace.mac(iface)
        self.sock = namespace.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.sock.bind((iface, ETH_P_ALL))

    def send(self, data):
        self.sock.send(data)

    def receive(self, timeout):
        """The next datagram that came in, None when there is none in time."""
        end = time.monotonic() + timeout
        while True:
            left = end - time.monotonic()
            self.sock.settimeout(max(left, 0.0001))
            try:
                data, where = self.sock.recvfrom(65536)
            except (TimeoutError, BlockingIOError):
                return None
            datagram = Datagram.of(data) if where[2] != PACKET_OUTGOING else None
            if datagram:
                return datagram
            if left <= 0:
                return None

    def collect(self, seconds, wanted=lambda datagram: True):
        """Every wanted datagram that comes within this time."""
        end = time.monotonic() + seconds
        found = []
        while time.monotonic() < end:
            datagram = self.receive(end - time.monotonic())
            if datagram and wanted(datagram):
                found.append(datagram)
        return found

    def drain(self):
        """Forget what has come so far."""
        self.sock.setblocking(False)
        try:
            while True:
                self.sock.recv(65536)
        except BlockingIOError:
            pass

    def close(self):
        self.sock.close()
