"""Run by PythonClientIT with the address of servers that replicate their keys, a number, and what is to be done."""

import array
import sys

from heapspan import ExchangeError, GlobalHeap


def write(heap, prefix):
    assert heap.put(prefix + "small", [1, "x"]) == 1
    assert heap.put(prefix + "large", array.array("d", [i / 2 for i in range(100_000)])) == 1
    assert heap.replace(prefix + "small", [2, "y"], 1) == 2
    heap.put(prefix + "gone", 1)
    assert heap.remove(prefix + "gone") and not heap.remove(prefix + "gone")
    try:
        heap.put(prefix + "small", "again")
    except ExchangeError as error:
        assert error.reason == "KEY_EXISTS", error
    else:
        raise AssertionError("expected KEY_EXISTS")


def read(heap, prefix):
    assert heap.get(prefix + "small", wait=0) == [2, "y"]
    assert heap.get(prefix + "large", wait=0) == array.array("d", [i / 2 for i in range(100_000)])
    assert [key.key for key in heap.list(prefix)] == [prefix + "large", prefix + "small"]
    assert heap.url == url


def is_refused(address):
    try:
        GlobalHeap.connect(address)
    except ValueError:
        return True
    return False


url = sys.argv[1]
assert all(map(is_refused, ["heapspan://a:1,", "heapspan://a:1,b", "heapspan://", "a:1", "heapspan://a:1,b:0"]))
with GlobalHeap.connect(url, timeout=120) as several:
    (write if sys.argv[3] == "write" else read)(several, f"round/{sys.argv[2]}/")
print("done")
