"""Writes values as cqlsh's COPY TO does, for the tests of this package.

    copy_to.py > copy_to.tsv, by a Python that has cqlsh 6.2.2

A line has the type, the options, the value in hex, and its text as JSON before CSV quotes it.
"""
import json
import random
import struct


from cassandra.cqltypes import EMPTY, lookup_casstype
from cqlshlib import cqlshmain
from cqlshlib.displaying import NO_COLOR_MAP
from cqlshlib.formatting import CqlType, DateTimeFormat, format_value_default, get_formatter

cqlshmain.insert_driver_hooks()
R = random.Random(26)

KINDS = {
    "boolean": "BooleanType", "int": "Int32Type", "bigint": "LongType", "smallint": "ShortType",
    "tinyint": "ByteType", "varint": "IntegerType", "decimal": "DecimalType", "float": "FloatType",
    "double": "DoubleType", "timestamp": "TimestampType", "date": "SimpleDateType", "time": "TimeType",
    "duration": "DurationType", "uuid": "UUIDType", "timeuuid": "TimeUUIDType", "inet": "InetAddressType",
    "blob": "BytesType", "text": "UTF8Type", "ascii": "AsciiType",
}


def vint(n):
    z = (n << 1) ^ (n >> 63)
    z &= (1 << 64) - 1
    size = max(0, (z.bit_length() - 1) // 7)
    if size >= 8:
        return b"\xff" + z.to_bytes(8, "big")
    out = bytearray(z.to_bytes(size + 1, "big"))
    out[0] |= (0xFF << (8 - size)) & 0xFF
    return bytes(out)


def varint(n):
    size = (n.bit_length() if n >= 0 else (n + 1).bit_length()) // 8 + 1
    return n.to_bytes(size, "big", signed=True)


def integer(bits):
    half = 1 << (bits - 1)
    return R.choice([0, 1, -1, 999, -1000 % 128, half - 1, -half, R.randrange(-half, half),
                     R.randrange(-half, half) >> R.randrange(bits)]) if bits > 8 else R.randrange(-half, half)


def number():
    digits = R.randrange(1, 18)
    n = R.randrange(10 ** digits) * R.choice([1, -1])
    return n * 10.0 ** R.randrange(-20, 20) if R.random() < 0.7 else R.choice(
        [0.0, -0.0, 0.1, 1.5, 100.0, 99999.99, 0.9999999, 1e22, 5e-324, 1.7e308, 123456.789, 1e-4, 1e-5,
         2.2e-16, 2.3e-16, float("nan"), float("inf"), -float("inf"), 1234567.0, -1000.0, 12.0])


def scalar(kind):
    if kind == "boolean":
        return bytes([R.randrange(2)])
    if kind in ("tinyint", "smallint", "int", "bigint"):
        bits = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}[kind]
        return (integer(bits) & ((1 << bits) - 1)).to_bytes(bits // 8, "big")
    if kind == "varint":
        return varint(integer(R.choice([16, 64, 200])))
    if kind == "decimal":
        return struct.pack(">i", R.choice([0, 1, 2, 9, 18, -3, -10, 40])) + varint(integer(R.choice([16, 64, 128])))
    if kind == "float":
        n = number()
        try:
            return struct.pack(">f", n)
        except OverflowError:
            return struct.pack(">f", 1.5)
    if kind == "double":
        return struct.pack(">d", number())
    if kind == "timestamp":
        return struct.pack(">q", R.choice([0, -1, 1450000000123, R.randrange(-30000000000000, 7000000000000),
                                           R.randrange(-70000000000000, 300000000000000)]))
    if kind == "date":
        return struct.pack(">I", (1 << 31) + R.choice([0, -1, 16436, R.randrange(-800000, 3000000), R.randrange(-1 << 31, 1 << 31)]))
    if kind == "time":
        return struct.pack(">q", R.choice([0, R.randrange(86400 * 10 ** 9), 45296 * 10 ** 9]))
    if kind == "duration":
        sign = R.choice([1, -1])
        n = [sign * R.choice([0, 1, 14, R.randrange(1 << 31)]), sign * R.choice([0, 3, R.randrange(1 << 31)]),
             sign * R.choice([0, 1, 3600000000001, R.randrange(1 << 62)])]
        return b"".join(map(vint, n))
    if kind == "uuid":
        return R.randbytes(16)
    if kind == "timeuuid":
        u = bytearray(R.randbytes(16))
        u[6], u[8] = u[6] & 0x0F | 0x10, u[8] & 0x3F | 0x80
        return bytes(u)
    if kind == "inet":
        return R.choice([R.randbytes(4), R.randbytes(16), bytes(12) + R.randbytes(4), bytes(14) + R.randbytes(2), bytes(16),
                         bytes(10) + b"\xff\xff" + R.randbytes(4), b"\x20\x01" + bytes(10) + R.randbytes(4)])
    if kind == "blob":
        return R.randbytes(R.randrange(5))
    if kind == "ascii":
        return R.choice([b"", b"a", b"it's", b"a,b", b"None"])
    return R.choice(["", "a", "it's", "a,b", "é日😀", "a:b", " x "]).encode()


def sized(b):
    return struct.pack(">i", len(b)) + b


OPTIONS = [{}, {"thousandssep": ","}, {"decimalsep": ","}, {"decimalsep": ",", "thousandssep": "."},
           {"floatprecision": 9, "doubleprecision": 17}, {"boolstyle": "yes,no", "null": "NULL"},
           {"datetimeformat": "%d/%m/%Y %H:%M:%S.%f"}, {"datetimeformat": "%Y-%m-%dT%H:%M:%S,%fZ"}]


def text(name, cass, wire, o):
    value = lookup_casstype(cass).from_binary(wire, 4)
    null = o.get("null", "")
    if value is None or value == EMPTY:
        return format_value_default(null, colormap=NO_COLOR_MAP)
    cqltype = CqlType(name)
    precision = o.get("doubleprecision", 12) if name == "double" else o.get("floatprecision", 5)
    return get_formatter(value, cqltype)(
        value, cqltype=cqltype, encoding="utf8", colormap=NO_COLOR_MAP,
        date_time_format=DateTimeFormat(o.get("datetimeformat", "%Y-%m-%d %H:%M:%S.%f%z"), milliseconds_only=True),
        float_precision=precision, nullval=null, quote=False, decimal_sep=o.get("decimalsep", "."),
        thousands_sep=o.get("thousandssep", ""), boolean_styles=o.get("boolstyle", "True,False").split(","))


def show(name, cass, wire, o):
    try:
        shown = str(text(name, cass, wire, o))
    except Exception:  # the page would be lost
        shown = None
    print(name, json.dumps(o), wire.hex(), json.dumps(shown, ensure_ascii=False), sep="\t")


for kind, cass in KINDS.items():
    numeric = kind in ("decimal", "float", "double", "varint", "bigint", "int")
    for _ in range(60 if numeric else 25):
        show(kind, cass, scalar(kind), R.choice(OPTIONS))
    for _ in range(12):
        wires = [scalar(kind) for _ in range(R.randrange(4))]
        wire = struct.pack(">i", len(wires)) + b"".join(map(sized, wires))
        show("list<%s>" % kind, "ListType(%s)" % cass, wire, R.choice(OPTIONS))
    for _ in range(6):
        other = R.choice(list(KINDS))
        wire = sized(scalar(kind)) + (struct.pack(">i", -1) if R.random() < 0.3 else sized(scalar(other)))
        show("tuple<%s, %s>" % (kind, other), "TupleType(%s, %s)" % (cass, KINDS[other]), wire, R.choice(OPTIONS))
for kind in ("uuid", "timeuuid", "inet"):
    for _ in range(10):
        wires = [scalar(kind) for _ in range(4)]
        wire = struct.pack(">i", len(wires)) + b"".join(map(sized, wires))
        show("set<%s>" % kind, "SetType(%s)" % KINDS[kind], wire, {})
        wire = struct.pack(">i", len(wires)) + b"".join(sized(w) + sized(scalar("int")) for w in wires)
        show("map<%s, int>" % kind, "MapType(%s, Int32Type)" % KINDS[kind], wire, {})
