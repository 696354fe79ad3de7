"""CRC32C. Uses the package crc32c or google_crc32c if there is one, otherwise NumPy, otherwise a table (some MB/s)."""

import functools

_POLYNOMIAL = 0x82F63B78
_LEAST_VECTOR_BYTES = 1 << 16
_LANE_BYTES = 512


def _table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _table()


def _of_table(data):
    table = _TABLE
    value = 0xFFFFFFFF
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def _product(one, other):
    """The product of two polynomials modulo that of the checksum; the highest bit is the coefficient of 1."""
    bit = 1 << 31
    product = 0
    while one:
        if one & bit:
            product ^= other
            one ^= bit
        bit >>= 1
        other = other >> 1 ^ (_POLYNOMIAL if other & 1 else 0)
    return product


@functools.lru_cache(maxsize=64)
def _shift(length):
    """What multiplies the checksum of bytes that are followed by so many others."""
    result, power = 1 << 31, 1 << 30
    bits = 8 * length
    while bits:
        if bits & 1:
            result = _product(power, result)
        power = _product(power, power)
        bits >>= 1
    return result


def combined(first, second, second_length):
    """The checksum of two sequences of bytes, one after the other, from the checksums of both."""
    return _product(_shift(second_length), first) ^ second


def _of_numpy(numpy):
    table = numpy.array(_TABLE, dtype=numpy.uint32)

    def checksum(data):
        data = memoryview(data).cast("B")
        if len(data) < _LEAST_VECTOR_BYTES:
            return _of_table(data)
        # Each lane has the checksum of its own part.
        lanes = len(data) // _LANE_BYTES
        whole = lanes * _LANE_BYTES
        parts = numpy.frombuffer(data[:whole], dtype=numpy.uint8).reshape(lanes, _LANE_BYTES)
        columns = numpy.ascontiguousarray(parts.T)
        values = numpy.full(lanes, 0xFFFFFFFF, dtype=numpy.uint32)
        for column in columns:
            values = table[(values ^ column) & 0xFF] ^ values >> 8
        result = 0
        for value in (values ^ 0xFFFFFFFF).tolist():
            result = combined(result, value, _LANE_BYTES)
        return combined(result, _of_table(data[whole:]), len(data) - whole)

    return checksum


def _choose():
    try:
        from crc32c import crc32c

        return crc32c
    except ImportError:
        pass
    try:
        import google_crc32c

        return lambda data: google_crc32c.value(bytes(data))
    except ImportError:
        pass
    try:
        import numpy

        return _of_numpy(numpy)
    except ImportError:
        return _of_table


checksum = _choose()
