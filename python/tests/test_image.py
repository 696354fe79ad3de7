import array
import decimal
import random
import struct
import sys
import types
import unittest
import uuid
from unittest import mock

from heapspan import ImageError, decode, encode
from heapspan.checksum import checksum

# Of the worked dump in docs/formats/image.md: an ArrayList of strings, the last of which is the first one again.
PENS = bytes.fromhex("48535049 01 01 0200 0d000000 00000000 00000000 31 07 07 1370656e 1369 6e6b 0303")


class ImageTest(unittest.TestCase):
    def same(self, value, expected=None):
        content, _ = encode(value)
        found = decode(content)
        self.assertEqual(found, value if expected is None else expected)
        return found

    def test_values_are_the_same_again(self):
        for value in (
            None, True, False, 0, -1, 1 << 31, -(1 << 31), (1 << 63) - 1, -(1 << 63), 1 << 63, -(1 << 200), 0.5, -1e300,
            "", "Ada", "\u00e4", "\u20ac", "\ud800", "\U0001f600", b"", b"bytes", [], {}, set(), [None], [1, None, "a"],
            [1, 2, -3], [1 << 40, 1], [-(1 << 63), (1 << 63) - 1], ["a", ""], [0.5, 1.5], [True, False], {"a": 1, "b": [2, {"c": None}]},
            {1: "one", "two": 2.0}, {"x", "y"}, uuid.UUID(int=5 << 100), decimal.Decimal("-12.50"), decimal.Decimal("1E+9"),
            array.array("d", [0.5, -1]), array.array("i", [1, -2]), array.array("q", [1 << 60]), array.array("h"),
            array.array("f", [0.25]),
        ):  # fmt: skip
            found = self.same(value)
            self.assertIs(type(found), type(value))
        self.same((1, 2), [1, 2])
        self.same(bytearray(b"x"), b"x")
        self.same([1, True], [1, True])

    def test_the_class_of_the_root_is_named(self):
        names = {"java.util.ArrayList": [], "[D": array.array("d"), "java.lang.Long": 1 << 40, "[B": b"", "null": None}
        for name, value in names.items():
            self.assertEqual(encode(value)[1], name)

    def test_a_documented_image_is_read(self):
        found = decode(PENS)
        self.assertEqual(found, ["pen", "ink", "pen"])
        self.assertIs(found[0], found[2])

    def test_indexes_of_images_with_shared_values_are_of_two_kinds(self):
        image = bytearray(PENS)
        image[6] |= 64
        image[-1] = 2 << 1 | 1
        found = decode(image)
        self.assertEqual(found, ["pen", "ink", "pen"])
        self.assertIs(found[0], found[2])
        image[-1] = 3 << 1 | 1
        with self.assertRaisesRegex(ImageError, "shared values"):
            decode(image)

    def test_a_frame_with_a_checksum_is_compared(self):
        image = bytearray(PENS)
        image[6] |= 1
        image[16:20] = struct.pack("<I", checksum(image[20:]))
        self.assertEqual(decode(image), ["pen", "ink", "pen"])
        image[24] ^= 1
        with self.assertRaisesRegex(ImageError, "checksum"):
            decode(image)

    def test_values_that_are_different_in_java_alone_are_not_lost(self):
        # A HashMap and a HashSet with an Integer and a Double.
        for body, value in (
            ("33 05 01 01 11 05 01 17 %s 01", {1: None, 2.0: None}),
            ("39 05 01 11 05 17 %s", {1, 2.0}),
        ):
            self.assertEqual(decode(self.image(body % struct.pack("<d", 2).hex())), value)
            with self.assertRaisesRegex(ImageError, "equal in Python"):
                decode(self.image(body % struct.pack("<d", 1).hex()))

    @staticmethod
    def image(body):
        body = bytes.fromhex(body)
        return struct.pack("<4sBBHIII", b"HSPI", 1, 1, 2, len(body), 0, 0) + body

    def test_what_java_does_not_have_is_refused(self):
        cyclic = []
        cyclic.append(cyclic)
        deep = None
        for _ in range(100):
            deep = [deep]
        for value in (object(), 1j, array.array("I"), decimal.Decimal("NaN"), [[{}], cyclic], deep):
            with self.assertRaises(ImageError):
                encode(value)

    def test_mutated_images_are_values_or_errors(self):
        source = random.Random(20_261_125)
        good = encode({"a": [1, 2.5, None, "text", b"bytes"], "b": {"c": [["d"], {"e"}]}, "f": array.array("i", [1, 2])})[0]
        refused = 0
        for _ in range(3_000):
            changed = bytearray(good)
            for _ in range(source.randint(1, 3)):
                changed[source.randrange(len(changed))] = source.randrange(256)
            if source.random() < 0.2:
                del changed[source.randrange(len(changed)) :]
            try:
                decode(changed)
            except ImageError:
                refused += 1
        self.assertGreater(refused, 1_000)

    def test_numpy_arrays(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("does not apply: there is no NumPy")
        self.same(numpy.array([1, 2], dtype="<i4"), array.array("i", [1, 2]))
        self.same(numpy.array([1, 2], dtype=">i8"), array.array("q", [1, 2]))
        self.same(numpy.array([1, -2], dtype="int8"), b"\x01\xfe")
        self.same(numpy.array([True, False]), [True, False])
        self.same([numpy.float64(0.5), numpy.int64(3)], [0.5, 3])
        self.same([numpy.uint64(1 << 63)], [1 << 63])
        self.same([numpy.int64(-(1 << 63))], [-(1 << 63)])
        for value in (
            numpy.zeros((2, 2)), numpy.zeros(2, dtype="uint8"), numpy.longdouble(1), numpy.datetime64(1, "ns"),
            numpy.timedelta64(1, "ns"),
        ):  # fmt: skip
            with self.assertRaises(ImageError):
                encode(value)

    def test_numpy_scalars_that_python_does_not_have_are_refused(self):
        # NumPy may be absent.
        class Scalar:
            def __init__(self, plain):
                self.plain = plain

            def item(self):
                return self.plain

            def __int__(self):
                return self.plain

        class LongDouble(Scalar):
            def item(self):
                return LongDouble(self.plain)

        class DateTime(Scalar):
            pass

        class TimeDelta(Scalar):
            pass

        class Array:
            pass

        numpy = types.SimpleNamespace(generic=Scalar, ndarray=Array, datetime64=DateTime, timedelta64=TimeDelta)
        with mock.patch.dict(sys.modules, {"numpy": numpy}):
            self.same(Scalar(3), 3)
            for kind in (LongDouble, DateTime, TimeDelta):
                for value in (kind(1), [kind(1)], {"key": kind(1)}):
                    with self.assertRaisesRegex(ImageError, kind.__name__ + " has no counterpart"):
                        encode(value)
