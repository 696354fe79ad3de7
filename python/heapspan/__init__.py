"""A client of Heapspan's global heap: objects that JVMs and Python programs share by key."""

from .errors import ExchangeError, ImageError
from .heap import GlobalHeap, KeyInfo, ServerStatus
from .image import decode, encode

__all__ = ["ExchangeError", "GlobalHeap", "ImageError", "KeyInfo", "ServerStatus", "decode", "encode"]
