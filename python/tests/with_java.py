"""Run by PythonClientIT with the address of a server, and perhaps the files of its secret and its certificate: reads what Java has put, and puts what Java reads."""

import array
import decimal
import socket
import ssl
import sys
import uuid

from heapspan import ExchangeError, GlobalHeap, ImageError


def fails(reason, call):
    try:
        call()
    except ExchangeError as error:
        assert error.reason == reason, error
        return str(error)
    raise AssertionError(f"expected {reason}")


def read(heap):
    expected = {
        "list": ["a", 1, 1 << 40, 2.5, True, None, 0.25, -3, "x", 7],
        "immutable": [["a", "b"], {"k": 1}, {"e"}, []],
        "map": {"one": [1], "two": [2, 2]},
        "sorted": {"a": 1.5, "b": -1.5},
        "strings": ["a", None, "\u20ac"],
        "objects": [1, ["x"], None],
        "integers": [1, None, 3],
        "ints": array.array("i", [1, -2]),
        "doubles": array.array("d", [0.5]),
        "bytes": bytes(i * 7 & 0xFF for i in range(700_000)),
        "text": "\u20ac" * 300_000,
        "decimal": decimal.Decimal("-12.50"),
        "uuid": uuid.UUID(int=(1 << 64) + 2),
        "null": None,
    }
    for name, value in expected.items():
        found = heap.get("java/" + name)
        assert found == value, (name, str(found)[:200])
    shared = heap.get("java/shared")
    assert shared[0] is shared[1] and shared[2][0] is shared[0]
    deep, depth = heap.get("java/deep"), 0
    while deep:
        deep, depth = deep[0], depth + 1
    assert depth == 250, depth
    try:
        heap.get("java/model")
    except ImageError as error:
        assert "Model" in str(error), error
    else:
        raise AssertionError("an object of a class that Python does not have")
    assert [key.key for key in heap.list("java/")] == sorted(f"java/{name}" for name in [*expected, "shared", "deep", "model"])


def write(heap):
    values = {
        "json": {"name": "x", "numbers": [1, 2.5, 1 << 40, None], "nested": {"flags": [True, False]}},
        "text": "\u20ac\u00e4a",
        "large": array.array("d", [i / 2 for i in range(100_000)]),
        "bytes": bytes(range(256)) * 4_000,
        "ints": array.array("i", [1, -2]),
        "big": 1 << 100,
        "longs": [-(1 << 63), 1 << 40],
        "null": None,
    }
    for name, value in values.items():
        assert heap.put("python/" + name, value) == 1
        found = heap.get("python/" + name)
        assert found == value, name


def check(heap):
    fails("KEY_EXISTS", lambda: heap.put("python/text", "again"))
    assert heap.replace("python/text", "again", 1) == 2
    assert heap.get("python/text") == "again"
    fails("OTHER_VERSION", lambda: heap.replace("python/text", "x", 1))
    said = fails("KEY_MISSING", lambda: heap.get("missing", wait=0.1))
    assert "'missing'" in said and heap.url in said, said
    info = heap.find("python/ints")
    assert (info.version, info.type_name, info.is_raw) == (1, "[I", False), info
    assert heap.find("missing") is None
    heap.put("gone", 1)
    assert heap.remove("gone") and not heap.remove("gone")
    fails("FULL", lambda: heap.put("too large", bytes(20 << 20)))
    status = heap.status()
    assert status.keys == len(heap.list()) and status.clients >= 1, status
    # The space of what failed was given back.
    assert status.groups == status.keys, status


def check_files(heap, connect):
    """Reads and writes the files of the server, and does without them."""
    assert heap.maps_files
    content = bytes(range(256)) * 1_000
    with connect(mapping=False) as remote:
        assert not remote.maps_files
        assert remote.get("python/large") == heap.get("python/large") == array.array("d", [i / 2 for i in range(100_000)])
        remote.put("files/remote", content)
        heap.put("files/own", content)
        assert heap.get("files/remote") == remote.get("files/own") == content
        assert heap.get_image("files/own") == remote.get_image("files/own")
        bytes_of_frames = []
        receive = heap._connection.receive_payload
        heap._connection.receive_payload = lambda length: bytes_of_frames.append(length) or receive(length)
        heap.get("files/own")
        assert not bytes_of_frames, "the bytes came through the connection"
        heap._files.read = unreachable
        assert heap.get("files/own") == content and len(bytes_of_frames) == 1
        heap._drop()
        damage(heap.find("files/own").address, heap)
        assert "checksum" in fails("DAMAGED", lambda: heap.get("files/own"))
        fails("DAMAGED", lambda: remote.get("files/own"))
        # Nothing is leased any more.
        assert heap.get("files/remote") == content
        assert heap.find("files/own").leases == 0
        heap._files.write = unreachable
        groups = heap.status().groups
        fails("STORAGE", lambda: heap.put("files/none", content))
        assert heap.status().groups == groups
        assert heap.remove("files/own") and heap.remove("files/remote")


def unreachable(*_):
    raise FileNotFoundError("no such file")


def damage(address, heap):
    chunk, offset = divmod(address, heap._connection.chunk_bytes)
    with open(f"{heap.status().directory}/chunk-{chunk:016x}", "r+b") as file:
        file.seek(offset + 100)
        file.write(b"damage")


def check_tls(url, tls_trust):
    assert "speaks TLS" in fails("PROTOCOL", lambda: GlobalHeap.connect(url))
    # Whatever this system trusts has not signed it.
    others = ssl.get_default_verify_paths().cafile
    if others is not None:
        said = fails("TLS", lambda: GlobalHeap.connect(url, tls_trust=others))
        assert "is not accepted" in said, said
    said = fails("TLS", lambda: GlobalHeap.connect(url.replace("127.0.0.1", "localhost"), tls_trust=tls_trust))
    assert "localhost" in said, said


def main(url, secret_file="", tls_trust=""):
    secret_file, tls_trust = secret_file or None, tls_trust or None
    if tls_trust is not None:
        check_tls(url, tls_trust)
    with GlobalHeap.connect(url, secret_file=secret_file, tls_trust=tls_trust) as heap:
        read(heap)
        write(heap)
        check(heap)
        check_files(
            heap, lambda **more: GlobalHeap.connect(url, secret_file=secret_file, tls_trust=tls_trust, **more)
        )
        # A connection that was lost is opened again.
        heap._connection._socket.shutdown(socket.SHUT_RDWR)
        assert heap.get("python/null") is None
    fails("CLOSED", heap.status)
    other = {"secret": b"another secret than that", "tls_trust": tls_trust}
    fails("SECRET", lambda: GlobalHeap.connect(url, **other))
    if secret_file is not None:
        fails("SECRET", lambda: GlobalHeap.connect(url, tls_trust=tls_trust))
    with GlobalHeap.connect(url, secret_file=secret_file, tls_trust=tls_trust, most_bytes=1_000) as careful:
        fails("LIMIT", lambda: careful.get("java/bytes"))
        assert careful.get("java/ints") == array.array("i", [1, -2])


if __name__ == "__main__":
    main(*sys.argv[1:])
    print("done")
