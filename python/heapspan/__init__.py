"""A client of Heapspan's global heap: objects that JVMs and Python programs share by key. And native programs in PySpark."""

from .errors import ExchangeError, ImageError
from .heap import GlobalHeap, KeyInfo, ServerStatus
from .image import decode, encode
from .program import NativeProgram, native

__all__ = [
    "ExchangeError",
    "GlobalHeap",
    "ImageError",
    "KeyInfo",
    "NativeProgram",
    "ServerStatus",
    "decode",
    "encode",
    "native",
]
