"""Queries filters in frames of docs/format.md, using only the standard library.

    import filterfam
    blocked = filterfam.load(open("blocked.bin", "rb").read())
    if blocked.has("login.example"):
        print("ask the server")

load returns an object with some of these methods. A key is a str, which means
its bytes in UTF-8, or bytes, or an int, which means eight little-endian bytes.

    has(key)       whether the filter contains the key     every filter
    has_all(keys)  a list with the result for each key     every filter
    count(key)     how many times it contains the key      counting, cuckoo
    value(key)     the key's value, or None                perfect filter
    index(key)     the key's index                         perfect filter, function

load does not copy the data, which can also be a memoryview or an mmap, and must
not change while the filter is used. It checks all of the data, which takes
longest for a cuckoo filter.
"""

import itertools
import struct
from array import array

_MASK = 2**64 - 1
_STEP = 0xD1342543DE82EF95  # x(i+1) = x(i) * _STEP
_GOLDEN = 0x9E3779B97F4A7C15
_word = struct.Struct("<Q").unpack_from


class FrameError(ValueError):
    """The data is not a frame that load can read.

    The reason is "corrupt", "version" or "family", as ErrCorrupt, ErrVersion
    and ErrFamily in docs/format.md, or "kind" if the frame contains something
    that load does not read.
    """

    def __init__(self, reason, text):
        super().__init__("filterfam: " + text)
        self.reason = reason


def load(data, key=None):
    """Return the filter in a frame. A secret family has a key of 16 bytes."""
    family = _Family(key)
    data = memoryview(data).cast("B")
    end = len(data) - 8  # of the payload
    _check(end >= 64 and data[:4] == b"\xf1fam", "not a frame")
    kind, version, p, check, length = struct.unpack_from("<BBHQQ", data, 4)
    start = (24 + p + 8 + 63) // 64 * 64
    _check(p % 8 == 0 and p <= 256, "length of the parameters")
    _check(length % 8 == 0 and start + length == end, "length of the payload")
    _check(_word(data, start - 8)[0] == _crc32c(data[: start - 8]), "checksum of the header")
    _check(not any(data[24 + p : start - 8]), "zeros of the header")
    if kind >= len(_KINDS):
        raise FrameError("version", f"cannot read kind {kind}: this file is too old")
    name, read = _KINDS[kind]
    if read is None:
        raise FrameError("kind", "cannot read " + name)
    if version != 1:
        raise FrameError("version", f"cannot read version {version} of {name}: this file is too old")
    if check != family.check:
        raise FrameError("family", f"another family, with the check value {check:016x}")
    _check(_word(data, end)[0] == _crc32c(data[:end]), "checksum")
    return read(family, data[24 : 24 + p], data[start:end])


def _check(ok, text):
    if not ok:
        raise FrameError("corrupt", text)


def _fields(layout, params):
    """Return the numbers in the parameters. Bytes without a number must be zero."""
    _check(len(params) == struct.calcsize(layout), "length of the parameters")
    fields = struct.unpack(layout, params)
    _check(struct.pack(layout, *fields) == params, "zeros in the parameters")
    return fields


def _check_zeros(data, bits):
    """Check that all bits of the data from a position on are zero."""
    rest = data[bits // 8 :]
    _check(not rest or rest[0] >> bits % 8 == 0 and not any(rest[1:]), "bits after the last")


# Checksums and digests


_CRC = list(range(256))
for _ in range(8):
    _CRC = [c >> 1 ^ (c & 1) * 0x82F63B78 for c in _CRC]


def _crc32c(data):
    """Return the CRC-32C of data, which has at least four bytes.

    The polynomial of CRC-32C divides x^a + x^b + x^c + 1 for the numbers below.
    So the first bits can be added to later ones without changing the CRC,
    thousands at a time.
    """
    crc = 0xFFFFFFFF
    for at in range(0, len(data), 1 << 16):
        piece = data[at : at + (1 << 16)]
        n = 8 * len(piece)
        bits = int.from_bytes(piece, "little") ^ crc  # the lowest bit is the first
        for power in range(6, -1, -1):
            a, b, c = 5685 << power, 1362 << power, 426 << power
            while n > a:
                some = min(n - a, a - b)
                first = bits & (1 << some) - 1
                bits = bits >> some ^ first << a - b - some ^ first << a - c - some ^ first << a - some
                n -= some
        size = (n + 7) // 8
        crc = 0
        for byte in (bits << 8 * size - n).to_bytes(size, "little"):
            crc = crc >> 8 ^ _CRC[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


class _Family:
    """A hash family: the public one if the key is None."""

    def __init__(self, key):
        if key is not None and len(key) != 16:
            raise ValueError(f"filterfam: a key of {len(key)} bytes, want 16")
        self.k0, self.k1 = struct.unpack("<QQ", key or bytes(16))
        self.check = self._siphash(b"filterfam check", True)[0]

    def derived(self, label):
        return _Family(struct.pack("<QQ", *self._siphash(b"filterfam derive\0" + label, True)))

    def digest(self, key):
        if isinstance(key, str):
            key = key.encode()
        elif isinstance(key, int):
            key = key.to_bytes(8, "little")
        elif not isinstance(key, (bytes, bytearray, memoryview)):
            raise TypeError(f"filterfam: a key is a str, bytes or an int, not {type(key).__name__}")
        return self._siphash(bytes(key))

    def _siphash(self, text, wide=False):
        """Return SipHash-2-4 of a text. If wide is true, it has two halves."""
        a, b = self.k0 ^ 0x736F6D6570736575, self.k1 ^ 0x646F72616E646F6D
        c, d = self.k0 ^ 0x6C7967656E657261, self.k1 ^ 0x7465646279746573
        if wide:
            b ^= 0xEE
        text += bytes(7 - len(text) % 8) + bytes((len(text) & 255,))
        for word in struct.unpack(f"<{len(text) // 8}Q", text):
            a, b, c, d = _rounds(2, a, b, c, d ^ word)
            a ^= word
        a, b, c, d = _rounds(4, a, b, c ^ (0xEE if wide else 0xFF), d)
        first = a ^ b ^ c ^ d
        if not wide:
            return first
        a, b, c, d = _rounds(4, a, b ^ 0xDD, c, d)
        return first, a ^ b ^ c ^ d


def _rounds(n, a, b, c, d):
    """Return the state of SipHash after n rounds."""
    for _ in range(n):
        a = a + b & _MASK
        b = (b << 13 | b >> 51) & _MASK ^ a
        a = (a << 32 | a >> 32) & _MASK
        c = c + d & _MASK
        d = (d << 16 | d >> 48) & _MASK ^ c
        a = a + d & _MASK
        d = (d << 21 | d >> 43) & _MASK ^ a
        c = c + b & _MASK
        b = (b << 17 | b >> 47) & _MASK ^ c
        c = (c << 32 | c >> 32) & _MASK
    return a, b, c, d


# Structures


class _Filter:
    def has_all(self, keys):
        return [self.has(key) for key in keys]


class _Array(_Filter):
    """A Bloom filter, or the part that it has in common with a counting one."""

    layouts = (0, 1, 2)
    width = 1  # bits for each position
    most = 1 << 48

    def __init__(self, family, params, payload):
        self.family, self.payload = family, payload
        self.m, self.k, self.layout = _fields("<QBB6x", params)
        _check(1 <= self.m <= self.most and self.k >= 1, "parameters")
        _check(self.layout in self.layouts and self.m % (1, self.k, 512)[self.layout] == 0, "parameters")
        _check(len(payload) == 8 * ((self.m * self.width + 63) // 64), "length of the payload")
        _check_zeros(payload, self.m * self.width)

    def positions(self, key):
        x = self.family.digest(key) * _STEP & _MASK
        if self.layout == 2:
            line = 512 * (x * (self.m // 512) >> 64)
            for _ in range(self.k):
                x = x * _STEP & _MASK
                yield line + (x >> 55)
            return
        step = self.m // self.k if self.layout == 1 else 0
        size = step or self.m
        for i in range(self.k):
            yield i * step + (x * size >> 64)
            x = x * _STEP & _MASK


class _Bloom(_Array):
    def has(self, key):
        payload = self.payload
        for i in self.positions(key):
            if not payload[i >> 3] >> (i & 7) & 1:
                return False
        return True


class _Counting(_Array):
    layouts = (0, 2)
    width = 4
    most = 1 << 46

    def count(self, key):
        """Return the smallest counter of the key. 15 means 15 or more."""
        return min(self.payload[i >> 1] >> 4 * (i & 1) & 15 for i in self.positions(key))

    def has(self, key):
        return self.count(key) > 0


class _Cuckoo(_Filter):
    # the four highest bits of the fingerprints in a compact bucket
    highest = [(a, b, c, d) for d in range(16) for c in range(d + 1) for b in range(c + 1) for a in range(b + 1)]

    def __init__(self, family, params, payload):
        self.family, self.payload = family, payload
        self.m, self.f, self.compact, stored = _fields("<QBB6xQ", params)
        _check(4 <= self.f <= 32 and self.compact <= 1, "parameters")
        self.bits = 4 * self.f - 4 * self.compact  # of a bucket
        _check(self.m >= 2 and self.m % 2 == 0 and self.m * self.bits <= 1 << 48, "parameters")
        log = self.m.bit_length() - 1
        _check(self.f >= 4 + (log >= 19) + (log >= 27) + (log >= 36) + (log >= 44), "parameters")
        _check(len(payload) == 8 * ((self.m * self.bits + 63) // 64 + 1), "length of the payload")
        _check_zeros(payload, self.m * self.bits)
        self.k = family.derived(b"cuckoo relocation").digest(0)
        free = 0
        for i in range(self.m):
            bucket = self.bucket(i)
            free += bucket.count(0)
            _check(not self.compact or bucket == sorted(bucket), "order in a bucket")
        _check(stored == 4 * self.m - free, "number of keys")

    def bucket(self, i):
        """Return the fingerprints in bucket i."""
        at = i * self.bits
        bits = int.from_bytes(self.payload[at >> 3 : (at + self.bits + 7) >> 3], "little") >> (at & 7)
        f = self.f
        if not self.compact:
            mask = (1 << f) - 1
            return [bits & mask, bits >> f & mask, bits >> 2 * f & mask, bits >> 3 * f & mask]
        code = bits & 4095
        _check(code < len(self.highest), "code of a bucket")
        f -= 4
        mask = (1 << f) - 1
        a, b, c, d = self.highest[code]
        bits >>= 12
        return [a << f | bits & mask, b << f | bits >> f & mask, c << f | bits >> 2 * f & mask, d << f | bits >> 3 * f & mask]

    def count(self, key):
        m, x = self.m, self.family.digest(key) * _STEP & _MASK
        product = x * (2**self.f - 1)
        p = 1 + (product >> 64)
        x = (product & _MASK) * m >> 64
        z = (p ^ self.k) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ z >> 32) * 0x94D049BB133111EB & _MASK
        h = z ^ z >> 32 | 1
        offset = z * m >> 64 if m & m - 1 else 0
        other = x ^ h & (1 << (x ^ m).bit_length() - 1) - 1
        return self.bucket((x - offset) % m).count(p) + self.bucket((other - offset) % m).count(p)

    def has(self, key):
        return self.count(key) > 0


class _Ribbon:
    """A ribbon, which is at a position of the payload. It ends at self.end."""

    def __init__(self, payload, at, keys, columns, layers):
        self.payload, self.all, self.layers = payload, columns == 0, []
        _check(keys <= 1 << 48 and columns <= 32 << 16 and layers <= 32, "parameters")
        _check((layers == 0) == (keys == 0 or columns == 0), "number of layers")
        sizes = [keys] * min(layers, 1)
        self.end = at
        for at in range(at, self.after(at, max(layers - 1, 0)), 8):
            sizes.append(_word(payload, at)[0])
            _check(1 <= sizes[-1] <= sizes[-2], "number of keys of a layer")
        for i, n in enumerate(sizes):
            self.layers.append(self.layer(i, n, columns))

    def after(self, at, words):
        """Return the position after some words, which the payload must have."""
        self.end = at + 8 * words
        _check(self.end <= len(self.payload), "length of the payload")
        return self.end

    def layer(self, i, n, columns):
        planned = (n * 20 // 19 + 63) // 64 if i else (n * 50 // 51 + 32) // 64
        parts = max(1, planned - min(planned, (planned + 1024) // 1025))
        buckets = (parts + 3) // 4
        r = (columns + 65535) >> 16
        narrow = parts * (65536 * r - columns) // 65536
        narrow += narrow // 1024
        segments = parts + (parts + 1023) // 1024
        thresholds = self.end
        slots = self.after(thresholds, (buckets + 15) // 16)
        _check_zeros(self.payload[thresholds:slots], 4 * buckets)
        self.after(slots, r * segments - min(narrow, segments))
        return 64 * parts, thresholds, slots, r, narrow

    def has(self, x):
        """Return whether the ribbon contains a digest, or the last x before the
        three that layer 0 uses."""
        for starts, thresholds, slots, r, narrow in self.layers:
            x = x * _STEP & _MASK
            s = x * starts >> 64
            y = x = x * _STEP & _MASK
            x = x * _STEP & _MASK
            threshold = self.payload[thresholds + (s >> 9)] >> (s >> 6 & 4) & 15
            if min((s & 255) >> 3, 14) < threshold:
                continue
            g = (s >> 6) + (s >> 16)
            mask = (y ^ y >> 32 | 1) << (s & 63)
            low, high = mask & _MASK, mask >> 64
            first = slots + 8 * (r * g - min(narrow, g))
            second = slots + 8 * (r * (g + 1) - min(narrow, g + 1))
            for j in range(r - (g < narrow)):
                word = _word(self.payload, first + 8 * j)[0] & low ^ _word(self.payload, second + 8 * j)[0] & high
                if bin(word).count("1") & 1 != x >> 32 + j & 1:
                    return False
            return True
        return self.all


class _Static(_Filter):
    def __init__(self, family, params, payload):
        self.family = family
        keys, columns, layers, second, self.inverse, absent, passed = _fields("<QIBBBxQQ", params)
        _check(self.inverse <= (absent < keys), "parameters")
        inside, others = (absent, keys) if self.inverse else (keys, absent)
        _check(others <= 1 << 48, "parameters")
        self.first = _Ribbon(payload, 0, inside, columns, layers)
        self.second = None
        if absent or self.inverse:
            most = inside + others if inside else 0
            _check((inside if columns else most) <= passed <= most, "number of keys that pass")
            self.second = _Ribbon(payload, self.first.end, passed, 65536, second)
        else:
            _check(columns and not passed and not second, "parameters")
        _check((self.second or self.first).end == len(payload), "length of the payload")

    def has(self, key):
        digest = self.family.digest(key)
        found = self.first.has(digest)
        if found and self.second:
            found = self.second.has(digest * _STEP**3 & _MASK)
        return found != self.inverse


class _List:
    """The ascending numbers, below a limit, that Elias-Fano coding stores in the
    payload from a position on. It ends at self.end."""

    def __init__(self, payload, at, n, limit):
        self.payload, self.n, self.low, self.end = payload, n, at, at
        self.marks = array("Q")  # for every 256th number, its bit in high
        if n == 0:
            return
        self.width = max((limit // n).bit_length() - 1, 0)
        self.high = at + (n * self.width + 7) // 8
        self.end = self.high + (n + (limit - 1 >> self.width) + 64) // 64 * 8
        _check(self.end <= len(payload), "length of the payload")
        _check_zeros(payload[at : self.high], n * self.width)
        i = 0
        for at in range(0, self.end - self.high, 8):
            word = _word(payload, self.high + at)[0]
            while word:
                bit = 8 * at + (word & -word).bit_length() - 1
                _check(i < n and self.number(i, bit) < limit, "numbers in the list")
                if i % 256 == 0:
                    self.marks.append(bit)
                i += 1
                word &= word - 1
        _check(i == n, "numbers in the list")

    def number(self, i, bit):
        """Return number i, which belongs to this bit in high."""
        at = i * self.width
        low = int.from_bytes(self.payload[self.low + (at >> 3) : self.low + (at + self.width + 7 >> 3)], "little")
        return bit - i << self.width | low >> (at & 7) & (1 << self.width) - 1

    def __getitem__(self, i):
        if i >= self.n:
            return 0
        at, first = divmod(self.marks[i >> 8], 64)
        word, left = _word(self.payload, self.high + 8 * at)[0] >> first << first, i & 255
        while bin(word).count("1") <= left:
            left -= bin(word).count("1")
            at += 1
            word = _word(self.payload, self.high + 8 * at)[0]
        for _ in range(left):
            word &= word - 1
        return self.number(i, 64 * at + (word & -word).bit_length() - 1)


class _Function:
    """A minimal perfect hash function, or the first part of a perfect filter."""

    def __init__(self, family, params, payload):
        self.family, self.payload = family, payload
        k = params[9] if len(params) > 9 else 0
        _check(k <= 24, "number of levels")
        self.n, self.compact, _, self.seed, self.width, self.bits, *sizes = _fields(f"<QBB2xIIB3x{k}Q", params)
        _check(self.n <= 1 << 40 and self.compact <= 1 and self.seed < 1 << 20, "parameters")
        _check(self.valid(), "size of a slot")
        n, at = self.n, 0
        self.levels, self.before = [], [0, *itertools.accumulate(sizes, initial=0)]
        for size in sizes:
            _check(8 < n >= size, "number of keys of a level")
            slice = 1 << max(4, min(1024, n // 12)).bit_length() - 1
            self.levels.append((at, 5 * n // 22 + 1, n - slice + 1, 65 - slice.bit_length(), self.compact or slice < 1024))
            at += 5 * n // 22 + 1
            n = size
        _check(n <= 8, "number of keys of a level")
        self.last = n
        self.list = _List(payload, at, sum(sizes), self.n)
        self.slots = (self.list.end + 7) // 8 * 8
        _check(len(payload) == self.slots + self.slot_bytes(), "length of the payload")
        _check(not any(payload[self.list.end : self.slots]), "zeros after the list")
        _check_zeros(payload[self.slots :], self.slot(self.n))

    def valid(self):
        return self.width == self.bits == 0

    def slot(self, i):
        return 0

    def slot_bytes(self):
        return 0

    def index(self, key):
        """Return the key's index, a number below the number of keys, or 0."""
        return self.find(self.family.digest(key) * _STEP & _MASK)

    def find(self, x):
        """Return the index of a key with this x(0)."""
        for i, (at, buckets, starts, shift, factors) in enumerate(self.levels):
            y = x * _STEP & _MASK
            seed = self.payload[at + (x * buckets >> 64)]
            if seed:
                y = y * seed * _GOLDEN if factors else y + (seed << shift)
                return self.place(i, (x * starts >> 64) + ((y & _MASK) >> shift))
            x = y * _STEP * _STEP & _MASK
        z = x + self.seed * _GOLDEN & _MASK
        z = (z ^ z >> 33) * 0xFF51AFD7ED558CCD & _MASK
        z = (z ^ z >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
        return self.place(len(self.levels), (z ^ z >> 33) * self.last >> 64)

    def place(self, i, place):
        """Return the index for a place in level i."""
        return self.list[self.before[i] + place] if i else place


class _Perfect(_Function, _Filter):
    def valid(self):
        return self.bits <= 64 and self.bits << 16 < self.width <= self.bits + 56 << 16

    def slot(self, i):
        """Return the first bit of slot i."""
        return (i * self.width + 65535) >> 16

    def slot_bytes(self):
        return 8 * ((self.slot(self.n) + 63) // 64 + 1)

    def value(self, key):
        """Return the key's value, or None if the filter does not contain the key."""
        if self.n == 0:
            return None
        x = self.family.digest(key) * _STEP & _MASK
        i = self.find(x)
        at, end = self.slot(i), self.slot(i + 1)
        bits = int.from_bytes(self.payload[self.slots + (at >> 3) : self.slots + (end + 7 >> 3)], "little")
        bits = bits >> (at & 7) & (1 << end - at) - 1
        third = x * _STEP * _STEP & _MASK
        if bits >> self.bits != third >> 64 - (end - at - self.bits):
            return None
        return bits & (1 << self.bits) - 1

    def has(self, key):
        return self.value(key) is not None


_KINDS = (
    ("kind 0", None),
    ("a Bloom filter", _Bloom),
    ("a counting Bloom filter", _Counting),
    ("a cuckoo filter", _Cuckoo),
    ("a count-min sketch", None),
    ("heavy hitters", None),
    ("a top k", None),
    ("a static filter", _Static),
    ("kind 8", None),
    ("a minimal perfect hash function", _Function),
    ("a perfect hash filter", _Perfect),
    ("a scalable Bloom filter", None),
    ("a scalable cuckoo filter", None),
    ("a rotating Bloom filter", None),
    ("a window of heavy hitters", None),
    ("a Bloom filter delta", None),
)
