"""Values as compact object images (docs/formats/image.md): what Java reads as strings, boxes, collections and arrays."""

import array
import decimal
import struct
import sys
import uuid

from .checksum import checksum
from .errors import ImageError

_HEADER = struct.Struct("<4sBBH")
_FRAME = struct.Struct("<III")
_MAGIC = b"HSPI"
_VERSION = 1
_COMPACT = 1
_RECORD_SCOPE = 2
_CLONE = 4
_GROUP_SCOPE = 16
_NO_BACK_REFERENCES = 32
_SHARED_OBJECTS = 64
_CHECKSUM = 1
_KNOWN_FLAGS = _CHECKSUM | _RECORD_SCOPE | _CLONE | _GROUP_SCOPE | _NO_BACK_REFERENCES | _SHARED_OBJECTS
_MOST_BODY_BYTES = 1 << 30

# Deeper objects would have to be deferred.
_MOST_DEPTH = 90
_MOST_READ_DEPTH = 400

_STRING, _BOOLEAN, _BYTE, _SHORT, _CHARACTER, _INTEGER, _LONG, _FLOAT, _DOUBLE = range(3, 12)
_BOOLEANS, _BYTES = 12, 13
_BIG_INTEGER, _BIG_DECIMAL, _UUID = 31, 32, 33
_OBJECTS, _STRINGS = 20, 21
_ARRAY_LIST, _LINKED_HASH_MAP, _LINKED_HASH_SET = 24, 26, 29
_FIRST_DESCRIBED = 64
_OBJECT_ARRAY_KIND = 2

_ARRAYS = {14: "h", 15: "H", 16: "i", 17: "q", 18: "f", 19: "d"}
_ARRAY_TAGS = {"b": 13, "h": 14, "i": 16, "l": 17 if array.array("l").itemsize == 8 else 16, "q": 17, "f": 18, "d": 19}
_NUMPY_TAGS = {"|b1": 12, "|i1": 13, "<i2": 14, "<i4": 16, "<i8": 17, "<f4": 18, "<f8": 19}
_ARRAY_NAMES = {12: "[Z", 13: "[B", 14: "[S", 15: "[C", 16: "[I", 17: "[J", 18: "[F", 19: "[D"}
_BOX_NAMES = {_BOOLEAN: "Boolean", _INTEGER: "Integer", _LONG: "Long", _DOUBLE: "Double", _STRING: "String"}
_LISTS = {_ARRAY_LIST, 46, 47, 54}
_SETS = {28, _LINKED_HASH_SET, 57}
_MAPS = {25, _LINKED_HASH_MAP, 27, 53}
# No digit is lost.
_WIDE = decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)

_VALUES = {_BOOLEAN, _BYTE, _SHORT, _CHARACTER, _INTEGER, _LONG, _FLOAT, _DOUBLE, 30, 52}


# Writing


def encode(value):
    """Returns the image of a value, and the name of the Java class of its root."""
    writer = _Writer()
    writer.reference(value, 1)
    size = sum(len(part) for part in writer.parts)
    if size > _MOST_BODY_BYTES:
        raise ImageError(f"the value takes {size} bytes, expected at most {_MOST_BODY_BYTES}; split it")
    header = _HEADER.pack(_MAGIC, _VERSION, _COMPACT, _RECORD_SCOPE | _NO_BACK_REFERENCES)
    return b"".join([header, _FRAME.pack(size, 0, 0), *writer.parts]), _class_name(value)


def _class_name(value):
    if value is None:
        return "null"
    tag = _tag(value)
    if tag in _BOX_NAMES:
        return "java.lang." + _BOX_NAMES[tag]
    if tag in _ARRAY_NAMES:
        return _ARRAY_NAMES[tag]
    names = {_BIG_INTEGER: "java.math.BigInteger", _BIG_DECIMAL: "java.math.BigDecimal", _UUID: "java.util.UUID"}
    names.update({_ARRAY_LIST: "java.util.ArrayList", _LINKED_HASH_MAP: "java.util.LinkedHashMap"})
    return names.get(tag, "java.util.LinkedHashSet")


def _number(value):
    length = max(1, (value.bit_length() + 6) // 7)
    if length <= 8:
        return (value << length | 1 << length - 1).to_bytes(length, "little")
    return b"\0" + value.to_bytes(8, "little")


def _signed(value):
    return _number((value << 1 ^ value >> 63) & 0xFFFFFFFFFFFFFFFF)


def _text(value):
    """Header and bytes of a string."""
    try:
        content, coder = value.encode("latin-1"), 0
    except UnicodeEncodeError:
        content, coder = value.encode("utf-16-le", "surrogatepass"), 1
    return _number((len(content) << 1 | coder) + 3) + content


def _array_tag(value):
    """The tag of a primitive array, or None."""
    if isinstance(value, array.array):
        tag = _ARRAY_TAGS.get(value.typecode)
        if tag is None:
            raise ImageError(f"Java has no arrays of type {value.typecode!r}")
        return tag
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        tag = _NUMPY_TAGS.get(value.dtype.newbyteorder("<").str if value.dtype.itemsize > 1 else value.dtype.str)
        if tag is None or value.ndim != 1:
            raise ImageError(
                f"an array of {value.dtype} with {value.ndim} dimensions, expected one dimension of bool, int8, int16, int32,"
                " int64, float32 or float64"
            )
        return tag
    return None


def _tag(value):
    kind = type(value)
    if kind is str:
        return _STRING
    if kind is bool:
        return _BOOLEAN
    if kind is int:
        return _INTEGER if -(1 << 31) <= value < 1 << 31 else _LONG if -(1 << 63) <= value < 1 << 63 else _BIG_INTEGER
    if kind is float:
        return _DOUBLE
    if isinstance(value, (list, tuple)):
        return _ARRAY_LIST
    if isinstance(value, dict):
        return _LINKED_HASH_MAP
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _BYTES
    if isinstance(value, (set, frozenset)):
        return _LINKED_HASH_SET
    if isinstance(value, uuid.UUID):
        return _UUID
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return _BIG_DECIMAL
    tag = _array_tag(value)
    if tag is not None:
        return tag
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        # Plain Python has no long doubles: their item is one again. That of a time may be a number without its unit.
        plain = value.item()
        if not isinstance(plain, numpy.generic) and not isinstance(value, (numpy.datetime64, numpy.timedelta64)):
            return _tag(plain)
    raise ImageError(f"{kind.__module__}.{kind.__qualname__} has no counterpart in Java: {str(value)[:60]!r}")


class _Writer:
    def __init__(self):
        self.parts = []

    def reference(self, value, depth):
        if value is None:
            self.parts.append(b"\1")
            return
        tag = _tag(value)
        self.parts.append(_number(tag))
        self._body(tag, value, depth)

    def _body(self, tag, value, depth):
        write = self.parts.append
        if depth > _MOST_DEPTH:
            raise ImageError(f"values are nested more than {_MOST_DEPTH} levels deep, or contain themselves")
        if tag == _STRING:
            write(_text(value))
        elif tag == _BOOLEAN:
            write(b"\1" if value else b"\0")
        elif tag in (_INTEGER, _LONG):
            write(_signed(int(value)))
        elif tag == _DOUBLE:
            write(struct.pack("<d", value))
        elif tag == _BIG_INTEGER:
            self._big(int(value))
        elif tag == _BIG_DECIMAL:
            sign, digits, exponent = value.as_tuple()
            if not -(1 << 31) <= -exponent < 1 << 31:
                raise ImageError(f"a decimal has exponent {exponent}, which Java does not have")
            write(_signed(-exponent))
            self._big(int(decimal.Decimal((sign, digits, 0))))
        elif tag == _UUID:
            write(struct.pack("<QQ", value.int >> 64, value.int & 0xFFFFFFFFFFFFFFFF))
        elif tag == _ARRAY_LIST:
            self._elements(value, depth)
        elif tag == _LINKED_HASH_SET:
            self._elements(list(value), depth)
        elif tag == _LINKED_HASH_MAP:
            write(b"\0")
            self._map(value, depth)
        else:
            self._array(tag, value)

    def _big(self, value):
        content = value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True)
        self.parts += [_number(len(content)), content]

    def _array(self, tag, value):
        if isinstance(value, array.array):
            if sys.byteorder == "big":
                value = array.array(value.typecode, value)
                value.byteswap()
            content, length = value.tobytes(), len(value)
        elif hasattr(value, "dtype"):
            dtype = value.dtype if value.dtype.itemsize == 1 else value.dtype.newbyteorder("<")
            content, length = value.astype(dtype, copy=False).tobytes(), len(value)
        else:
            content = bytes(value)
            length = len(content)
        self.parts += [_number(length), content]

    def _kind(self, values):
        """The kind of elements that suits all of them; 0 for references."""
        kinds = {_tag(value) if value is not None else 0 for value in values}
        kind = kinds.pop()
        return kind if not kinds and kind in (_STRING, _INTEGER, _LONG, _DOUBLE, _BOOLEAN) else 0

    def _element(self, kind, value, depth):
        write = self.parts.append
        if kind == 0:
            self.reference(value, depth + 1)
        elif kind == _STRING:
            write(_text(value))
        elif kind in (_INTEGER, _LONG):
            number = ((int(value) << 1 ^ int(value) >> 63) & 0xFFFFFFFFFFFFFFFF) + 1
            if number >> 64:
                # The least long does not fit: it is a reference, as an element of another class.
                write(_number(0))
                self.reference(value, depth + 1)
            else:
                write(_number(number))
        else:
            self._body(kind, value, depth)

    def _elements(self, values, depth):
        self.parts.append(_number(len(values)))
        if values:
            kind = self._kind(values)
            self.parts.append(_number(kind))
            for value in values:
                self._element(kind, value, depth)

    def _map(self, entries, depth):
        self.parts.append(_number(len(entries)))
        if entries:
            key_kind, value_kind = self._kind(list(entries)), self._kind(list(entries.values()))
            self.parts += [_number(key_kind), _number(value_kind)]
            for key, value in entries.items():
                self._element(key_kind, key, depth)
                self._element(value_kind, value, depth)


# Reading


def decode(image):
    """Returns the value of an image that anybody may have made."""
    try:
        return _Reader(image).record()
    except ImageError:
        raise
    except RecursionError as error:
        raise ImageError("values are nested too deep") from error
    except (struct.error, IndexError, ValueError, ArithmeticError) as error:
        raise ImageError(f"the image is damaged: {error}") from error


class _Reader:
    def __init__(self, image):
        image = memoryview(image).cast("B")
        magic, version, encoding, flags = _HEADER.unpack_from(image)
        if magic != _MAGIC:
            raise ImageError("these bytes are no image")
        if encoding != _COMPACT:
            raise ImageError("the image is raw, which only JVMs read; write it with Encoding.COMPACT")
        if version != _VERSION or flags & ~_KNOWN_FLAGS or not flags & (_RECORD_SCOPE | _GROUP_SCOPE):
            raise ImageError(f"an image of version {version} with flags {flags}, which this client does not know")
        self.shares = bool(flags & _SHARED_OBJECTS)
        self.types = []
        bodies = []
        at = _HEADER.size
        while at < len(image):
            body_bytes, type_bytes, expected = _FRAME.unpack_from(image, at)
            if body_bytes == 0 and type_bytes == 0:
                break
            types_at = at + _FRAME.size
            at = types_at + type_bytes + body_bytes
            if at > len(image):
                raise ImageError("the image ends early")
            if flags & _CHECKSUM and checksum(image[types_at:at]) != expected:
                raise ImageError("the image is damaged: a frame has another checksum than its bytes")
            self._describe(image[types_at : types_at + type_bytes])
            bodies.append(image[types_at + type_bytes : at])
        self.body = bodies[0] if len(bodies) == 1 else memoryview(b"".join(bodies))
        self.at = 0
        self.depth = 0
        self.objects = []
        self.deferred = []

    def _describe(self, types):
        """Remembers kind and name of each type. Only arrays of objects can be read."""
        at = 0
        while at < len(types):
            (length,) = struct.unpack_from("<H", types, at)
            self.body, self.at = types[at + 2 : at + 2 + length], 0
            kind = self._octet()
            name = bytes(self._bytes(self._count())).decode("utf-8", "replace")
            self.types.append((kind, name))
            at += 2 + length

    # Bytes

    def _octet(self):
        value = self.body[self.at]
        self.at += 1
        return value

    def _bytes(self, length):
        end = self.at + length
        if end > len(self.body):
            raise ImageError("the image is damaged: it ends early")
        content = self.body[self.at : end]
        self.at = end
        return content

    def _number(self):
        first = self._octet()
        if first == 0:
            return int.from_bytes(self._bytes(8), "little")
        length = (first & -first).bit_length()
        self.at -= 1
        return int.from_bytes(self._bytes(length), "little") >> length

    def _signed(self):
        value = self._number()
        return value >> 1 ^ -(value & 1)

    def _count(self):
        """A number of things that take a byte each, at least."""
        count = self._number()
        if count > len(self.body) - self.at:
            raise ImageError(f"the image is damaged: {count} elements are announced, {len(self.body) - self.at} bytes are left")
        return count

    def _characters(self, header):
        content = bytes(self._bytes(header - 3 >> 1))
        text = content.decode("utf-16-le", "surrogatepass") if header - 3 & 1 else content.decode("latin-1")
        self.objects.append(text)
        return text

    # Objects

    def record(self):
        value = self._section(self._reference)
        if self.at != len(self.body):
            raise ImageError(f"the image has {len(self.body) - self.at} more bytes than its value")
        return value

    def _section(self, contents):
        outer, self.deferred = self.deferred, []
        value = contents()
        # Bodies that are deferred by these come behind them.
        for target, fill in self.deferred:
            fill(target)
        self.deferred = outer
        return value

    def _earlier(self):
        index = self._number()
        if self.shares:
            if index & 1:
                raise ImageError("the image refers to shared values, which this client does not read")
            index >>= 1
        if index >= len(self.objects):
            raise ImageError(f"the image is damaged: it refers to object {index} of {len(self.objects)}")
        return self.objects[index]

    def _reference(self):
        tag = self._number()
        if tag == 0:
            return None
        if tag == 1:
            return self._earlier()
        if tag == 2:
            return self._object(self._number(), True)
        return self._object(tag, False)

    def _object(self, tag, is_deferred):
        self.depth += 1
        if self.depth > _MOST_READ_DEPTH:
            raise ImageError("values are nested too deep")
        try:
            value = self._new(tag, is_deferred)
        finally:
            self.depth -= 1
        return value

    def _new(self, tag, is_deferred):
        if tag in _LISTS:
            return self._filled([], self._fill_list, is_deferred)
        if tag in _MAPS:
            if tag == _LINKED_HASH_MAP:
                self._octet()
            return self._filled({}, self._fill_map, is_deferred)
        if tag in _SETS:
            return self._filled(set(), self._fill_set, is_deferred)
        if tag in (_OBJECTS, _STRINGS) or self._is_object_array(tag):
            length = self._count()
            return self._filled([], lambda target: self._fill(target, length), is_deferred)
        if is_deferred:
            raise ImageError(f"the image is damaged: an object with tag {tag} is deferred")
        if tag == 49:
            return self._filled([], lambda target: self._section(lambda: self._fill_immutable(target)), False)
        if tag == 50:
            return self._filled(set(), lambda target: self._section(lambda: self._fill_set(target)), False)
        if tag == 51:
            return self._filled({}, lambda target: self._section(lambda: self._fill_map(target)), False)
        if tag in _VALUES:
            return self._value(tag)
        if tag == _STRING:
            return self._characters(self._number())
        return self._identified(tag)

    def _is_object_array(self, tag):
        if tag < _FIRST_DESCRIBED:
            return False
        index = tag - _FIRST_DESCRIBED
        if index >= len(self.types):
            raise ImageError(f"the image is damaged: it has no type {index}")
        return self.types[index][0] == _OBJECT_ARRAY_KIND

    def _filled(self, target, fill, is_deferred):
        self.objects.append(target)
        if is_deferred:
            self.deferred.append((target, fill))
        else:
            fill(target)
        return target

    def _value(self, tag):
        if tag == _BOOLEAN:
            return self._octet() != 0
        if tag == _BYTE:
            return struct.unpack("<b", self._bytes(1))[0]
        if tag == _CHARACTER:
            return chr(self._number())
        if tag == _FLOAT:
            return struct.unpack("<f", self._bytes(4))[0]
        if tag == _DOUBLE:
            return struct.unpack("<d", self._bytes(8))[0]
        if tag == 30:
            return self._section(self._reference)
        if tag == 52:
            return ([], set(), {})[self._octet()]
        return self._signed()

    def _identified(self, tag):
        index = len(self.objects)
        self.objects.append(None)
        if tag == _BYTES:
            value = bytes(self._bytes(self._count()))
        elif tag == _BOOLEANS:
            value = [each != 0 for each in self._bytes(self._count())]
        elif tag in _ARRAYS:
            value = array.array(_ARRAYS[tag])
            value.frombytes(self._bytes(self._count() * value.itemsize))
            if sys.byteorder == "big":
                value.byteswap()
        elif tag == _BIG_INTEGER:
            value = self._big()
        elif tag == _BIG_DECIMAL:
            scale = self._signed()
            value = decimal.Decimal(self._big()).scaleb(-scale, _WIDE)
        elif tag == _UUID:
            most, least = struct.unpack("<QQ", self._bytes(16))
            value = uuid.UUID(int=most << 64 | least)
        else:
            name = self.types[tag - _FIRST_DESCRIBED][1] if tag >= _FIRST_DESCRIBED else f"tag {tag}"
            raise ImageError(f"the image has an object of {name}, which Python does not have; let its writer put lists and maps")
        self.objects[index] = value
        return value

    def _big(self):
        return int.from_bytes(self._bytes(self._count()), "big", signed=True)

    # Elements

    def _fill(self, target, length):
        if length:
            kind = self._number()
            for _ in range(length):
                target.append(self._element(kind))

    def _fill_list(self, target):
        self._fill(target, self._count())

    def _fill_immutable(self, target):
        self._octet()
        self._fill_list(target)

    def _fill_set(self, target):
        elements = []
        self._fill_list(elements)
        for element in elements:
            target.add(self._hashable(element))
        self._check_different(target, len(elements))

    def _fill_map(self, target):
        length = self._count()
        if length:
            key_kind, value_kind = self._number(), self._number()
            for _ in range(length):
                key = self._hashable(self._element(key_kind))
                target[key] = self._element(value_kind)
        self._check_different(target, length)

    @staticmethod
    def _check_different(target, length):
        if len(target) != length:
            raise ImageError("a map or a set has values that are equal in Python, such as 1 and 1.0, and different in Java")

    @staticmethod
    def _hashable(value):
        try:
            hash(value)
        except TypeError:
            raise ImageError(f"a {type(value).__name__} is a key or an element of a set, which Python does not have") from None
        return value

    def _element(self, kind):
        if kind == 0:
            return self._reference()
        if kind == _STRING:
            header = self._number()
            if header == 0:
                return None
            if header == 1:
                return self._earlier()
            return self._reference() if header == 2 else self._characters(header)
        if kind in (_INTEGER, _LONG):
            number = self._number()
            if number == 0:
                return self._reference()
            number -= 1
            return number >> 1 ^ -(number & 1)
        if kind in _VALUES:
            return self._value(kind)
        if kind < 3:
            raise ImageError(f"the image is damaged: elements of kind {kind}")
        marker = self._octet()
        if marker == 0:
            return None
        if marker == 1:
            return self._earlier()
        if marker in (2, 3):
            return self._object(kind, marker == 3)
        if marker == 4:
            return self._reference()
        raise ImageError(f"the image is damaged: an element with marker {marker}")
