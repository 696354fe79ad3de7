import random
import unittest

from heapspan import checksum


class ChecksumTest(unittest.TestCase):
    def test_known_values(self):
        # RFC 3720, B.4
        self.assertEqual(checksum.checksum(bytes(32)), 0x8A9136AA)
        self.assertEqual(checksum.checksum(bytes([0xFF] * 32)), 0x62A8AB43)
        self.assertEqual(checksum.checksum(bytes(range(32))), 0x46DD794E)
        self.assertEqual(checksum.checksum(b""), 0)
        self.assertEqual(checksum._of_table(b"123456789"), 0xE3069283)

    def test_parts_are_combined(self):
        content = random.Random(1).randbytes(5_000)
        for cut in (0, 1, 7, 512, 4_999, 5_000):
            first, second = content[:cut], content[cut:]
            whole = checksum.combined(checksum._of_table(first), checksum._of_table(second), len(second))
            self.assertEqual(whole, checksum._of_table(content), cut)

    def test_numpy_computes_the_same(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("does not apply: there is no NumPy")
        of_numpy = checksum._of_numpy(numpy)
        for length in (0, 100, 1 << 16, (1 << 16) + 77, 300_001):
            content = random.Random(length).randbytes(length)
            self.assertEqual(of_numpy(content), checksum._of_table(content), length)
