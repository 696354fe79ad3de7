"""The global heap: values under keys, which JVMs and Python programs share through a server."""

import datetime
import itertools
import os
import re
import socket
import ssl
import struct
import threading
import time
import typing

from . import chunks, image, wire
from .checksum import checksum, combined
from .errors import ExchangeError, ImageError

_SERVER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:/\[\]@?#,]+):([0-9]{1,5})")
_BLOCK_BYTES = 256 << 10
_MOST_STORED_BYTES = 32 << 10
_MOST_WAIT_MILLIS = 1_000
_DEFAULT_MOST_BYTES = 1 << 30
# How long one of several servers may be silent before another one is asked.
_SILENCE_SECONDS = 4.0
_PAUSE_SECONDS = 0.05
# Failures after which another one of several servers may lead. Whatever is repeated counts once.
_OTHER_SERVER = ("NOT_LEADER", "CLOSED", "UNREACHABLE", "DEADLINE")


class KeyInfo(typing.NamedTuple):
    """What a server knows of a key."""

    key: str
    version: int
    size_bytes: int
    type_name: str
    is_raw: bool
    address: int
    leases: int
    committed: datetime.datetime


class ServerStatus(typing.NamedTuple):
    """What a server has at one time."""

    capacity_bytes: int
    used_bytes: int
    groups: int
    keys: int
    clients: int
    connections: int
    up_seconds: float
    directory: str
    version: str


class _Group(typing.NamedTuple):
    address: int
    size_bytes: int
    checksum: int
    is_raw: bool
    type_name: str
    version: int

    @classmethod
    def read(cls, body):
        address, size, value, raw = body.values("qqI?")
        return cls(address, size, value, raw, body.text(), body.value("q"))


class GlobalHeap:
    """A client of one server, or of several that replicate their keys. Thread-safe: calls wait for each other.

    On the host of the server, and for the same user, it reads and writes the files of the server in shared memory. Elsewhere
    all bytes go through the connection.

    Values are None, bool, int, float, str, bytes, lists and tuples, dicts, sets, uuid.UUID, decimal.Decimal, array.array
    and NumPy arrays of one dimension. Java sees them as boxes, strings, ArrayList, LinkedHashMap, LinkedHashSet, UUID,
    BigDecimal and primitive arrays. An int is an Integer, a Long or a BigInteger, as large as it needs. A tuple comes
    back as a list.
    """

    def __init__(self, servers, tls, secret, timeout, most_bytes, mapping):
        self._servers = servers
        # Whether calls are repeated while another one of several servers begins to lead.
        self._repeats = len(servers) > 1
        self._current = 0
        self._client_number = os.urandom(8)
        self._changes = itertools.count(1)
        self._tls = tls
        self._secret = secret
        self._timeout = timeout
        self._most_bytes = most_bytes
        self._mapping = mapping
        self._lock = threading.Lock()
        self._connection = None
        self._files = None
        self._is_closed = False
        self.status()

    @classmethod
    def connect(
        cls,
        url,
        *,
        tls_trust=None,
        secret=None,
        secret_file=None,
        timeout=30.0,
        most_bytes=_DEFAULT_MOST_BYTES,
        mapping=True,
    ):
        """Connects to heapspan://HOST:PORT, or to servers that replicate their keys: heapspan://HOST:PORT,HOST:PORT,HOST:PORT.

        :param tls_trust: uses TLS; the file of certificates (PEM) one of which is, or has signed, that of the server
        :param secret: at least 16 bytes, as the server has them; a str is UTF-8
        :param secret_file: the file that has them; if it is given, ``secret`` does not count
        :param timeout: seconds that the server may be silent, or that it may take until one of several leads
        :param most_bytes: the largest image that ``get`` and ``get_image`` take, in bytes; 1 GiB by default
        :param mapping: whether it may use the files of a server on this host

        Raises ValueError if the address or the secret is not valid, OSError if a file cannot be read, and ExchangeError
        if the server cannot be used.
        """
        servers = _servers(url)
        if secret_file is not None:
            secret = wire.secret_of_file(secret_file)
        tls = wire.tls_context(tls_trust)
        return cls(servers, tls, wire.checked_secret(secret), timeout, most_bytes, mapping)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def url(self):
        """Where the server is, or the servers are."""
        return "heapspan://" + ",".join(map(_place, self._servers))

    @property
    def maps_files(self):
        """Whether the files of the server are within reach."""
        return self._files is not None

    # Connection

    def _opened(self):
        """The connection; another one if the server may have closed it, because nobody used it for some time."""
        if self._is_closed:
            raise ExchangeError("CLOSED", "the heap has been closed")
        connection = self._connection
        if connection is not None:
            is_fresh = time.monotonic() - connection.last_sent < connection.lease_seconds / 2
            if is_fresh and connection.is_silent():
                return connection
            self._drop()
        silence = self._timeout if len(self._servers) == 1 else min(_SILENCE_SECONDS, self._timeout)
        connection = wire.Connection(*self._servers[self._current], self._tls, self._secret, silence)
        self._connection = connection
        if len(self._servers) == 1:
            # A keeper of several servers joins the next leader.
            self._repeats = self._call(connection, wire.ASK_ORIGIN, b"", wire.ORIGIN).value("?")
        if self._mapping:
            self._files = chunks.reachable(connection.directory, connection.server_id, connection.chunk_bytes)
        return connection

    def _drop(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._files is not None:
            self._files.close()
            self._files = None

    def _use(self, action, use):
        """Asks the server; one of several servers after the other, or a keeper of them, until one of them leads."""
        deadline = time.monotonic() + self._timeout
        with self._lock:
            while True:
                try:
                    return self._use_once(action, use)
                except ExchangeError as error:
                    is_last = not self._repeats or self._is_closed
                    if is_last or error.reason not in _OTHER_SERVER or time.monotonic() >= deadline:
                        raise
                    self._leave(str(error))
                time.sleep(_PAUSE_SECONDS)

    def _leave(self, said):
        """Turns to the server that leads, if the end of what was said names it, or to the next one."""
        self._drop()
        places = ["heapspan://" + _place(server) for server in self._servers]
        named = said.rsplit(" ", 1)[-1]
        if named in places and places.index(named) != self._current:
            self._current = places.index(named)
        else:
            self._current = (self._current + 1) % len(self._servers)

    def _use_once(self, action, use):
        is_usable = False
        try:
            result = use(self._opened())
            is_usable = True
            return result
        except wire.Refusal as refusal:
            is_usable = self._connection is not None
            raise ExchangeError(refusal.reason, f"{action} at {self.url} failed: {refusal}") from None
        except ExchangeError as error:
            raise ExchangeError(error.reason, f"{action} at {self.url} failed: {error}") from None
        except ImageError:
            is_usable = True
            raise
        except (TimeoutError, socket.timeout) as error:
            raise ExchangeError("DEADLINE", f"{action} at {self.url} failed: no answer in {self._timeout} s") from error
        except ssl.SSLError as error:
            raise ExchangeError("TLS", f"{action} at {self.url} failed: {_reason(error)}") from error
        except OSError as error:
            raise ExchangeError("UNREACHABLE", f"{action} at {self.url} failed: {error}") from error
        finally:
            # Bytes that nobody has read would be taken for the next reply.
            if not is_usable:
                self._drop()

    def _change(self, kind):
        """The type and the begin of a change. One that may be sent to several servers has a number, and counts once."""
        if not self._repeats:
            return kind, b""
        return wire.NUMBERED, self._client_number + struct.pack(">qB", next(self._changes), kind)

    @staticmethod
    def _call(connection, kind, body, expected):
        connection.send(kind, body)
        return connection.expect(expected)

    # Values

    def put(self, key, value):
        """Stores a value under a new key. Returns its version, 1.

        Raises ImageError if the value has no counterpart in Java, ExchangeError if the call fails (such as KEY_EXISTS),
        and ValueError if the key is no str of 1 to 1,024 bytes.
        """
        return self._store("put", key, *image.encode(value), 0)

    def replace(self, key, value, version):
        """Stores another value under a key that has this version. Returns the new version. Raises as ``put``."""
        if version < 1:
            raise ValueError(f"the version is {version}, expected 1 or more")
        return self._store("replacement", key, *image.encode(value), version)

    def put_image(self, key, content, type_name=""):
        """Stores a compact image that exists already. Returns the version of the key, 1."""
        return self._store("put", key, content, type_name, 0)

    def _store(self, action, key, content, type_name, replaced):
        _check_key(key)
        content = memoryview(content).cast("B")
        terms = wire.text(key) + struct.pack(">q", replaced) + wire.text(type_name[:256])
        is_short = len(content) <= _MOST_STORED_BYTES
        kind, number = self._change(wire.STORE if is_short else wire.COMMIT)
        # Before the connection is used: it may take longer than the server waits for a message.
        known = checksum(content) if is_short or self._files is not None else None

        def store_at_once(connection):
            body = number + struct.pack(">I?", known, False) + terms
            connection.send(kind, body, content, known)
            return connection.expect(wire.STORED).values("qq")[1]

        def store(connection):
            address = self._call(connection, wire.RESERVE, struct.pack(">q", len(content)), wire.RESERVED).value("q")
            is_committed = False
            try:
                is_direct = self._write(address, content)
                if not is_direct:
                    whole = self._upload(connection, address, content)
                else:
                    whole = checksum(content) if known is None else known
                commit = struct.pack(">qqI???", address, len(content), whole, False, is_direct, False)
                version = self._call(connection, kind, number + commit + terms, wire.COMMITTED).value("q")
                is_committed = True
                return version
            except wire.Refusal:
                self._release(connection, address)
                is_committed = True
                raise
            finally:
                if not is_committed:
                    # The server gives the space back when the session has ended.
                    connection.close()

        return self._use(f"{action} of key {key!r}", store_at_once if is_short else store)

    def _write(self, address, content):
        """Writes a group to the files of the server. Returns False if they are not within reach."""
        if self._files is None or not self._files.has(address):
            return False
        try:
            self._files.write(address, content)
            return True
        except OSError as error:
            raise wire.Refusal("STORAGE", f"the files of the server could not be written to: {error}") from error

    @staticmethod
    def _upload(connection, address, content):
        """Sends the bytes of a group. Returns their checksum."""
        whole = 0
        for offset in range(0, len(content), _BLOCK_BYTES):
            block = content[offset : offset + _BLOCK_BYTES]
            value = checksum(block)
            whole = combined(whole, value, len(block)) if offset else value
            connection.send(wire.DATA, struct.pack(">qq", address, offset), block, value)
        return whole

    def _release(self, connection, address):
        self._call(connection, wire.RELEASE, struct.pack(">iq", 1, address), wire.DONE)

    def get(self, key, wait=10.0):
        """Returns the value of a key. Waits so many seconds until it is committed.

        Raises ExchangeError (KEY_MISSING) after that time, or if the call fails, and ImageError for objects that Python
        does not have.
        """
        return self._read(key, wait, image.decode)

    def get_image(self, key, wait=10.0):
        """Returns the image of a key, without decoding it."""
        return self._read(key, wait, bytes)

    def _read(self, key, wait, use):
        """Makes something of the image of a key."""
        _check_key(key)
        deadline = time.monotonic() + wait
        while True:
            # The server waits for a part of the time, so that other threads have their turn.
            millis = int(max(0, min(_MOST_WAIT_MILLIS, 1000 * (deadline - time.monotonic()))))
            try:
                return self._use(f"get of key {key!r}", lambda connection: self._fetch(connection, key, millis, use))
            except ExchangeError as error:
                if error.reason != "KEY_MISSING" or time.monotonic() >= deadline:
                    raise

    def _fetch(self, connection, key, millis, use):
        located = self._call(connection, wire.LOCATE_KEY, wire.text(key) + struct.pack(">q", millis), wire.LOCATED)
        group = _Group.read(located)
        refusal = None
        if group.is_raw:
            refusal = wire.Refusal("RAW", "its image is raw, which only JVMs read; let its writer use Encoding.COMPACT")
        elif group.size_bytes > self._most_bytes:
            refusal = wire.Refusal("LIMIT", f"its image has {group.size_bytes} bytes, expected at most {self._most_bytes}")
        if refusal is not None:
            self._release(connection, group.address)
            raise refusal
        content = self._mapped(group)
        if content is not None:
            return self._use_mapped(connection, group, content, use)
        size = self._call(connection, wire.FETCH, struct.pack(">q", group.address), wire.PAYLOAD).value("q")
        if size != group.size_bytes:
            raise ExchangeError("PROTOCOL", f"the server sends {size} bytes of a group of {group.size_bytes}")
        content = connection.receive_payload(size)
        # What follows may take longer than the server waits for a message.
        self._end_lease(connection, group)
        _compare(group, content)
        return use(content)

    def _use_mapped(self, connection, group, content, use):
        """Makes something of bytes in the files of the server, which may end the lease if this takes long."""
        began = time.monotonic()
        try:
            if not self._files.is_compared(group.address):
                _compare(group, content)
                self._files.set_compared(group.address)
            try:
                return use(content)
            finally:
                is_certain = time.monotonic() - began < connection.lease_seconds / 2
                if not is_certain and checksum(content) != group.checksum:
                    raise wire.Refusal("GROUP_GONE", "the server has ended its lease while it was read")
        finally:
            self._end_lease(connection, group)

    def _end_lease(self, connection, group):
        """Ends the lease of a group that was read. A server that cannot be told ends it with the session."""
        try:
            self._release(connection, group.address)
        except (OSError, ExchangeError):
            self._drop()

    def _mapped(self, group):
        """The bytes of a group in the files of the server, or None if they are not within reach."""
        if self._files is None or not self._files.has(group.address):
            return None
        try:
            return self._files.read(group.address, group.size_bytes)
        except OSError:
            return None

    # Keys

    def remove(self, key):
        """Removes a key. Returns False if there was none."""
        _check_key(key)
        kind, number = self._change(wire.REMOVE)
        body = number + wire.text(key) + struct.pack(">q", 0)
        try:
            self._use(
                f"removal of key {key!r}",
                lambda connection: self._call(connection, kind, body, wire.DONE),
            )
            return True
        except ExchangeError as error:
            if error.reason != "KEY_MISSING":
                raise
            return False

    def find(self, key):
        """Returns what the server knows of a key, or None if it is not committed."""
        _check_key(key)
        found, _ = self._use(
            f"look-up of key {key!r}",
            lambda connection: _keys(self._call(connection, wire.STAT_KEY, wire.text(key), wire.KEYS)),
        )
        return found[0] if found else None

    def list(self, prefix=""):
        """Returns what the server knows of all keys that begin with a prefix, in alphabetical order."""
        found, after = [], ""
        while True:
            body = wire.text(prefix) + wire.text(after)
            some, has_more = self._use(
                "list of keys", lambda connection: _keys(self._call(connection, wire.LIST_KEYS, body, wire.KEYS))
            )
            found += some
            if not has_more or not some or some[-1].key == after:
                return found
            after = some[-1].key

    def status(self):
        """Returns what the server has now."""

        def ask(connection):
            body = self._call(connection, wire.ASK_STATUS, b"", wire.STATUS)
            numbers = body.values("qqiiiiq")
            return ServerStatus(*numbers[:6], numbers[6] / 1000, body.text(), body.text())

        return self._use("status", ask)

    def close(self):
        """Ends the session. Keys stay."""
        with self._lock:
            if self._connection is not None:
                try:
                    self._call(self._connection, wire.GOODBYE, b"", wire.DONE)
                except (OSError, ExchangeError):
                    # The server ends the session when its lease has passed.
                    pass
            self._drop()
            self._is_closed = True


def _servers(url):
    """The hosts and ports in an address."""
    servers = []
    for place in url[len("heapspan://") :].split(","):
        match = _SERVER.fullmatch(place)
        if not url.startswith("heapspan://") or match is None or not 0 < int(match[2]) < 65_536:
            raise ValueError(f"{url!r} is no address of a server, expected heapspan://HOST:PORT")
        servers.append((match[1].strip("[]"), int(match[2])))
    return servers


def _place(server):
    host, port = server
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _reason(error):
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate of the server is not accepted: {error.verify_message}"
    return f"{error}; does the server speak TLS 1.3?"


def _compare(group, content):
    if checksum(content) != group.checksum:
        raise wire.Refusal("DAMAGED", "its bytes have another checksum than those that were committed")


def _check_key(key):
    if not isinstance(key, str) or not 1 <= len(key.encode("utf-8")) <= 1_024:
        raise ValueError("a key is a str with 1 to 1,024 bytes of UTF-8")


def _keys(body):
    keys = []
    for _ in range(body.value("i")):
        name = body.text()
        group = _Group.read(body)
        millis, leases = body.values("qi")
        committed = datetime.datetime.fromtimestamp(millis / 1000, datetime.timezone.utc)
        keys.append(
            KeyInfo(
                name, group.version, group.size_bytes, group.type_name, group.is_raw, group.address, leases, committed
            )
        )
    return keys, body.value("?")
