import math
import os
import struct
import tempfile
import time
import unittest
import unittest.mock

from heapspan import ExchangeError, GlobalHeap, chunks, encode, image, wire
from heapspan import heap as heap_module
from heapspan.checksum import checksum

LEASE_SECONDS = 1.0
CHUNK_BYTES = 1 << 20
ADDRESS = 5 * CHUNK_BYTES
LARGE = bytes(range(256)) * 400


class Server:
    """In place of connections to a server, which closes one that is silent for too long. It has one group."""

    lease_seconds = LEASE_SECONDS
    chunk_bytes, directory, server_id = CHUNK_BYTES, "", bytes(16)

    def __init__(self, content=b"", address=ADDRESS):
        self.content, self.address = content, address
        self.kinds = []

    def connection(self, *_):
        self.last_sent = time.monotonic()
        return self

    def is_silent(self):
        return True

    def close(self):
        pass

    def send(self, kind, body, data=b"", data_checksum=0):
        if time.monotonic() - self.last_sent > self.lease_seconds:
            raise ConnectionError("the server has closed the connection")
        self.last_sent = time.monotonic()
        self.kinds.append(kind)

    def expect(self, kind):
        group = struct.pack(">qqI?", self.address, len(self.content), checksum(self.content), False)
        replies = {
            wire.ORIGIN: b"\0",
            wire.STATUS: struct.pack(">qqiiiiq", *range(7)) + wire.text("") * 2,
            wire.LOCATED: group + wire.text("") + struct.pack(">q", 1),
            wire.PAYLOAD: struct.pack(">q", len(self.content)),
            wire.RESERVED: struct.pack(">q", self.address),
            wire.COMMITTED: struct.pack(">q", 1),
            wire.DONE: b"",
        }
        return wire.Body(replies[kind])

    def receive_payload(self, length):
        return self.content


def slow(function):
    def call(*arguments):
        time.sleep(1.5 * LEASE_SECONDS)
        return function(*arguments)

    return call


class HeapTest(unittest.TestCase):
    def patch(self, *arguments):
        patch = unittest.mock.patch.object(*arguments)
        patch.start()
        self.addCleanup(patch.stop)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write(b"")

    def write(self, content):
        """The bytes of the group in the file of its chunk."""
        path = os.path.join(self.folder, f"chunk-{ADDRESS // CHUNK_BYTES:016x}")
        with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "wb") as file:
            file.write(content + bytes(CHUNK_BYTES - len(content)))

    def files(self):
        return chunks.ChunkFiles(os.open(self.folder, os.O_RDONLY), CHUNK_BYTES)

    def heap(self, server, files=None):
        self.patch(wire, "Connection", server.connection)
        self.patch(chunks, "reachable", lambda *_: files and files())
        heap = GlobalHeap.connect("heapspan://host:1")
        self.addCleanup(heap.close)
        return heap

    def test_a_value_may_take_longer_than_the_lease(self):
        content, _ = encode(LARGE)
        self.write(content)
        self.patch(image, "decode", slow(image.decode))
        for files in (None, self.files):
            with self.subTest(mapped=files is not None):
                self.assertEqual(self.heap(Server(content), files).get("key"), LARGE)

    def test_bytes_that_have_gone_meanwhile_are_noticed(self):
        content, _ = encode(LARGE)
        self.write(content)

        def decode(found):
            self.write(bytes(len(content)))
            time.sleep(LEASE_SECONDS)
            return bytes(found)

        self.patch(image, "decode", decode)
        with self.assertRaises(ExchangeError) as failure:
            self.heap(Server(content), self.files).get("key")
        self.assertEqual(failure.exception.reason, "GROUP_GONE")

    def test_the_checksum_of_a_value_may_take_longer_than_the_lease(self):
        self.patch(heap_module, "checksum", slow(checksum))
        server = Server()
        self.assertEqual(self.heap(server, self.files).put("key", LARGE), 1)
        self.assertNotIn(wire.DATA, server.kinds)

    def test_a_key_may_be_waited_for_without_end(self):
        content, _ = encode(LARGE)
        self.assertEqual(self.heap(Server(content)).get("key", wait=math.inf), LARGE)

    def test_the_end_of_a_secret_file_is_passed_over_as_in_java(self):
        found = []
        self.patch(wire, "Connection", lambda host, port, tls, secret, timeout: found.append(secret) or Server().connection())
        path = os.path.join(self.folder, "secret")
        for end in (b"", b"\n", b" \t\r\n", bytes(range(0x1C, 0x20)), b"\x0b\x0c"):
            with open(path, "wb") as file:
                file.write(b"0123456789abcdef\x80" + end)
            GlobalHeap.connect("heapspan://host:1", secret_file=path).close()
        self.assertEqual(found, [b"0123456789abcdef\x80"] * 5)
        with open(path, "wb") as file:
            file.write(bytes(5_000))
        with self.assertRaisesRegex(ValueError, "4,096"):
            GlobalHeap.connect("heapspan://host:1", secret_file=path)

    def test_what_has_no_room_in_memory_goes_through_the_connection(self):
        server = Server(address=(1 << 62) + ADDRESS)
        self.assertEqual(self.heap(server, self.files).put("key", LARGE), 1)
        self.assertEqual(server.kinds[-3:], [wire.RESERVE, wire.DATA, wire.COMMIT])


if __name__ == "__main__":
    unittest.main()
