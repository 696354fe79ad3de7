"""The exchange protocol, version 2 (docs/formats/exchange-protocol.md): frames, the handshake, and the values in messages."""

import hmac
import os
import selectors
import socket
import ssl
import struct
import time

from .checksum import checksum, combined
from .errors import ExchangeError

HELLO, CHALLENGE, PROOF, WELCOME = 1, 2, 3, 4
RESERVE, DATA, COMMIT, LOCATE_KEY, FETCH, RELEASE = 16, 17, 18, 19, 21, 22
REMOVE, LIST_KEYS, STAT_KEY, ASK_STATUS, GOODBYE, STORE = 23, 24, 25, 26, 28, 29
DONE, REFUSAL, RESERVED, COMMITTED, LOCATED, PAYLOAD, KEYS, STATUS = range(48, 56)
NUMBERED, STORED, WORKING = 39, 56, 59
ASK_ORIGIN, ORIGIN = 44, 63

_MAGIC, _VERSION = b"HX", 2
_START = struct.Struct(">2sBBI")
_HEADER_BYTES = 12
_TAG_BYTES = 16
# The bytes of a group have a tag after so many of them, and after the last ones.
_PIECE_BYTES = 65_536
_MOST_BODY_BYTES = 263_168
_MOST_HANDSHAKE_BYTES = 8_192
_RECEIVE_BYTES = 1 << 20
_LEAST_SECRET_BYTES = 16
_MOST_SECRET_FILE_BYTES = 4_096
# What Java takes for white space (Character.isWhitespace): bytes.rstrip does not know the last four.
_WHITE_SPACE = b"\t\n\x0b\x0c\r \x1c\x1d\x1e\x1f"
# What a server that speaks TLS begins with: an alert, or a handshake.
_TLS_RECORDS = (0x15, 0x16)

# The names of ExchangeException.Reason for the codes of a refusal.
_REASONS = {
    1: "PROTOCOL", 2: "SECRET", 3: "KEY_MISSING", 4: "KEY_EXISTS", 5: "OTHER_VERSION", 6: "GROUP_GONE", 7: "FULL",
    8: "LIMIT", 9: "BUSY", 10: "STORAGE", 11: "DAMAGED", 12: "CLOSED", 13: "UNREACHABLE", 14: "NOT_LEADER",
}  # fmt: skip


def text(value):
    """A text in a message."""
    content = value.encode("utf-8")
    if len(content) > 4_096:
        raise ValueError(f"a text of {len(content)} bytes, expected at most 4096")
    return struct.pack(">H", len(content)) + content


class Body:
    """Reads the values of a message."""

    def __init__(self, content):
        self._content = content
        self._at = 0

    def take(self, length):
        end = self._at + length
        if end > len(self._content):
            raise ExchangeError("PROTOCOL", "a message of the server ends early")
        content = self._content[self._at : end]
        self._at = end
        return content

    def values(self, form):
        return struct.unpack(">" + form, self.take(struct.calcsize(">" + form)))

    def value(self, form):
        return self.values(form)[0]

    def text(self):
        return self.take(self.value("H")).decode("utf-8", "replace")


class Connection:
    """One connection after its handshake. For one thread at a time."""

    def __init__(self, host, port, tls, secret, timeout):
        self._socket = socket.create_connection((host, port), timeout)
        self._key = None
        self._sent = self._received = 0
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if tls is not None:
                self._socket = tls.wrap_socket(self._socket, server_hostname=host)
            self._shake_hands(secret)
        except BaseException:
            self.close()
            raise

    def close(self):
        self._socket.close()

    def is_silent(self):
        """Whether the server has said nothing that nobody asked for, such as that it has closed the connection."""
        if isinstance(self._socket, ssl.SSLSocket) and self._socket.pending():
            return False
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._socket, selectors.EVENT_READ)
                return not selector.select(0)
        except (OSError, ValueError):
            return False

    # Handshake

    def _shake_hands(self, secret):
        hello = os.urandom(32) + bytes(16)
        self.send(HELLO, hello)
        challenge = self.expect(CHALLENGE, _MOST_HANDSHAKE_BYTES)
        server_id, nonce, needed = challenge.values("16s32s?")
        if needed != (secret is not None):
            raise ExchangeError(
                "SECRET",
                "the server needs a secret; name the file that has it (secret_file)"
                if needed
                else "the server has no secret, but this client expects one: it may be another server",
            )

        def compute(purpose, more=b""):
            said = b"heapspan exchange 1 " + purpose + hello + server_id + nonce + more
            return hmac.new(secret, said, "sha256").digest()

        self.send(PROOF, bytes(32) if secret is None else compute(b"client"))
        welcome = self.expect(WELCOME, _MOST_HANDSHAKE_BYTES)
        proof = welcome.take(32)
        rest = welcome.take(len(welcome._content) - 32)
        if secret is not None:
            if not hmac.compare_digest(proof, compute(b"server", bytes(32) + rest)):
                raise ExchangeError("SECRET", "the server does not know the secret of this client, or has another one")
            self._key = compute(b"frames")
        said = Body(rest)
        said.take(16)
        self.server_id, self.directory = server_id, said.text()
        self.chunk_bytes, lease_millis = said.values("iq")
        self.lease_seconds = max(0.1, lease_millis / 1000)

    # Frames

    def _tag(self, direction, number, header, body):
        mac = hmac.new(self._key, bytes([direction]) + struct.pack(">q", number) + header, "sha256")
        mac.update(body)
        return mac.digest()[:_TAG_BYTES]

    def send(self, kind, body, data=b"", data_checksum=0):
        """Sends a message; ``data`` is the end of its body, whose checksum is known."""
        start = _START.pack(_MAGIC, _VERSION, kind, len(body) + len(data))
        value = checksum(start + body)
        if data:
            value = combined(value, data_checksum, len(data))
        header = start + struct.pack(">I", value)
        frame = b"".join([header, body, data])
        if self._key is not None:
            frame += self._tag(1, self._sent, header, frame[_HEADER_BYTES:])
            self._sent += 1
        self._socket.sendall(frame)
        self.last_sent = time.monotonic()

    def _receive(self, length):
        content = bytearray(length)
        view = memoryview(content)
        while view:
            count = self._socket.recv_into(view)
            if count == 0:
                if len(view) < length:
                    _check_plain(content)
                raise ConnectionError("the server has closed the connection")
            view = view[count:]
        return bytes(content)

    def receive_payload(self, length):
        """The bytes of a group, which are no frame. Takes memory for bytes that have come."""
        content = bytearray()
        while len(content) < length:
            begin = len(content)
            end = length if self._key is None else min(length, begin + _PIECE_BYTES)
            while len(content) < end:
                piece = self._socket.recv(min(_RECEIVE_BYTES, end - len(content)))
                if not piece:
                    missing = length - len(content)
                    raise ConnectionError(f"the server has closed the connection, {missing} bytes are missing")
                content += piece
            if self._key is not None:
                tag = self._receive(_TAG_BYTES)
                if not hmac.compare_digest(tag, self._tag(2, self._received, b"", content[begin:])):
                    raise ExchangeError("PROTOCOL", "a group was changed on its way: its authentication fails")
                self._received += 1
        return content

    def expect(self, kind, most_bytes=_MOST_BODY_BYTES):
        """Receives a message of this type, which may take its time while the server says so. A refusal is an ExchangeError."""
        found, content = self._message(most_bytes)
        while found == WORKING:
            found, content = self._message(most_bytes)
        if found == REFUSAL:
            code = content.value("B")
            raise Refusal(_REASONS.get(code, "PROTOCOL"), content.text())
        if found != kind:
            raise ExchangeError("PROTOCOL", f"the server sent a message of type {found}, expected {kind}")
        return content

    def _message(self, most_bytes):
        header = self._receive(_HEADER_BYTES)
        _check_plain(header)
        magic, version, found, length = _START.unpack_from(header)
        if magic != _MAGIC or version != _VERSION or length > most_bytes:
            raise ExchangeError("PROTOCOL", "the other end does not speak version 2 of the exchange protocol")
        body = self._receive(length)
        if checksum(header[:8] + body) != int.from_bytes(header[8:], "big"):
            raise ExchangeError("PROTOCOL", "a frame is damaged: its checksum does not fit its bytes")
        if self._key is not None:
            tag = self._receive(_TAG_BYTES)
            if not hmac.compare_digest(tag, self._tag(2, self._received, header, body)):
                raise ExchangeError("PROTOCOL", "a frame was changed on its way: its authentication fails")
            self._received += 1
        return found, Body(body)


def _check_plain(header):
    if header[0] in _TLS_RECORDS:
        raise ExchangeError("PROTOCOL", "the server speaks TLS; name the file of certificates to trust (tls_trust)")


class Refusal(ExchangeError):
    """The server has refused a request. The connection can be used again."""


def tls_context(trusted):
    """What a client does with TLS 1.3: it trusts the certificates in a file, and compares names of hosts. None without a file."""
    if trusted is None:
        return None
    context = ssl.create_default_context(cafile=trusted)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    # A certificate that is in the file is trusted, whoever has signed it (X509_V_FLAG_PARTIAL_CHAIN of OpenSSL).
    context.verify_flags |= getattr(ssl, "VERIFY_X509_PARTIAL_CHAIN", 0x80000)
    return context


def secret_of_file(path):
    """The bytes of a file without white space at its end."""
    with open(path, "rb") as file:
        content = file.read(_MOST_SECRET_FILE_BYTES + 1)
    if len(content) > _MOST_SECRET_FILE_BYTES:
        raise ValueError(f"{path} has more than 4,096 bytes, which is the most that a secret has")
    return content.rstrip(_WHITE_SPACE)


def checked_secret(secret):
    """A secret as bytes."""
    if secret is None:
        return None
    secret = secret.encode("utf-8") if isinstance(secret, str) else bytes(secret)
    if len(secret) < _LEAST_SECRET_BYTES:
        raise ValueError(f"the secret has {len(secret)} bytes, expected at least {_LEAST_SECRET_BYTES}")
    return secret
