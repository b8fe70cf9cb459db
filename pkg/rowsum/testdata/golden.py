"""Writes golden.json: checksums by a second implementation of cqlbulk-rowsum-1,
made from the definition in ../doc.go alone. Needs the xxhash package:

    python3 golden.py > golden.json
"""
import json
import re
import struct

import xxhash

MOD = 1 << 128
UDTS = {
    "addr": [("street", "text"), ("zip", "int")],
    "person": [("name", "text"), ("tags", "frozen<set<text>>"), ("home", "frozen<addr>")],
}


def parse(s):
    """A type as (kind, [element types], dimension)."""
    toks = re.findall(r"\w+|[<>,]", s)

    def one(i):
        word = toks[i]
        i += 1
        args, dim = [], 0
        if i < len(toks) and toks[i] == "<":
            while toks[i] != ">":
                i += 1
                if toks[i].isdigit():
                    dim, i = int(toks[i]), i + 1
                else:
                    t, i = one(i)
                    args.append(t)
            i += 1
        if word == "frozen":
            return args[0], i
        if word in UDTS:
            return ("tuple", [parse(t) for _, t in UDTS[word]], 0), i
        return (word, args, dim), i

    return one(0)[0]


def deep(t):
    return t[0] in ("set", "map") or any(deep(e) for e in t[1])


def H(b):
    return xxhash.xxh3_128_intdigest(b)


def be(n, size):
    return n.to_bytes(size, "big")


def field(t, v):
    if v is None:
        return b"\xff" * 4
    f = form(t, v)
    return be(len(f), 4) + f


class Malformed(Exception):
    pass


def take(v, pos, size):
    if len(v) - pos < size:
        raise Malformed
    return v[pos:pos + size], pos + size


def vint(v, pos):
    first, pos = take(v, pos, 1)
    bits = f"{first[0]:08b}"
    extra = len(bits) - len(bits.lstrip("1"))
    rest, pos = take(v, pos, extra)
    value = int(bits[extra:].rjust(1, "0") + "".join(f"{b:08b}" for b in rest), 2)
    if extra and value < 1 << 7 * extra:
        raise Malformed
    return value, pos


def form(t, v):
    if not deep(t):
        return v
    try:
        return inner(t, v)
    except Malformed:
        return v


def inner(t, v):
    kind, elems, dim = t
    pos, out = 0, b""
    if kind in ("set", "map", "list"):
        head, pos = take(v, 0, 4)
        count = struct.unpack(">i", head)[0]
        if count < 0:
            raise Malformed
        total = 0
        for _ in range(count):
            part = b""
            for e in elems:
                head, pos = take(v, pos, 4)
                n = struct.unpack(">i", head)[0]
                if n < 0:
                    raise Malformed
                x, pos = take(v, pos, n)
                part += field(e, x)
            out += part
            total += H(part)
        if kind != "list":
            out = be(total % MOD, 16)
        out = be(count, 4) + out
    elif kind == "vector":
        for _ in range(dim):
            n, pos = vint(v, pos)
            x, pos = take(v, pos, n)
            out += field(elems[0], x)
    else:
        for e in elems:
            if pos == len(v):
                break
            head, pos = take(v, pos, 4)
            n = struct.unpack(">i", head)[0]
            if n < 0:
                out += head
                continue
            x, pos = take(v, pos, n)
            out += field(e, x)
    if pos != len(v):
        raise Malformed
    return out


# Values for the cases below.
def i4(n):
    return struct.pack(">i", n)


def sized(v):
    return i4(-1) if v is None else i4(len(v)) + v


def coll(*vs):
    return i4(len(vs)) + b"".join(map(sized, vs))


def mapping(*kvs):
    return i4(len(kvs)) + b"".join(sized(k) + sized(v) for k, v in kvs)


def tup(*vs):
    return b"".join(map(sized, vs))


A, B, C = b"alpha", b"beta", b""


class Pattern(bytes):
    """A long value, written as pattern:first:end."""

    def __new__(cls, first, end):
        self = super().__new__(cls, (i * 7 % 251 for i in range(first, end)))
        self.text = f"pattern:{first}:{end}"
        return self


def spell(v):
    if v is None:
        return None
    return v.text if isinstance(v, Pattern) else v.hex()


CASES = [
    ("no columns", [], [[]]),
    ("scalars", ["int", "text", "blob"], [[i4(1), A, b"\x00\xff"], [i4(2), None, b""], [None, None, None]]),
    ("null and empty", ["text"], [[None], [b""]]),
    ("long row", ["int", "blob", "set<text>", "blob"], [[i4(1), Pattern(0, 70000), coll(A, B), Pattern(0, 40000)]]),
    ("many middling cells", ["blob"] * 6, [[Pattern(n, n + 9000) for n in range(6)]]),
    ("set", ["set<text>"], [[coll(A, B, C)], [coll(C, B, A)], [coll()], [None]]),
    ("map", ["frozen<map<int, text>>"], [[mapping((i4(1), A), (i4(2), B))], [mapping((i4(2), B), (i4(1), A))], [mapping((i4(1), B), (i4(2), A))]]),
    ("list stays", ["list<text>"], [[coll(A, B)], [coll(B, A)]]),
    ("list of sets", ["list<frozen<set<text>>>"], [[coll(coll(A, B), coll())], [coll(coll(B, A), coll())], [coll(coll(), coll(A, B))]]),
    ("map of lists of sets", ["map<text, frozen<list<frozen<set<int>>>>>"], [[mapping((A, coll(coll(i4(1), i4(2)))), (B, coll()))], [mapping((B, coll()), (A, coll(coll(i4(2), i4(1)))))]]),
    ("set of sets", ["set<frozen<set<int>>>"], [[coll(coll(i4(1), i4(2)), coll(i4(3)))], [coll(coll(i4(3)), coll(i4(2), i4(1)))]]),
    ("tuple", ["tuple<int, set<text>, text>"], [[tup(i4(1), coll(A, B), None)], [tup(i4(1), coll(B, A))], [tup(i4(1))], [b""], [tup(i4(1)) + i4(-2)]]),
    ("user-defined type", ["frozen<person>"], [[tup(A, coll(A, B), tup(B, i4(5)))], [tup(A, coll(B, A), tup(B))], [tup(A)]]),
    ("vector", ["vector<frozen<set<text>>, 2>"], [[b"\x0d" + coll(A) + b"\x80\x85" + coll(b"x" * 125)], [b"\x80\x0d" + coll(A) + b"\x04" + coll()]]),
    ("malformed", ["set<text>", "list<frozen<set<text>>>"], [[b"", b""], [i4(-1), i4(-1)], [coll(A) + b"!", coll(coll(A) + b"!", coll(A, B))], [coll(A)[:-1], coll(coll(A), None)], [coll(None), coll(b"")]]),
    ("malformed, in order", ["tuple<int, set<text>>", "vector<frozen<set<text>>, 1>"], [[tup(i4(1), coll(A))[:-1], b""], [tup(i4(1), coll(A), A), b"\xff" * 9], [i4(9)[:3], b"\x05" + coll()], [tup(None, coll(A) + b"!"), b"\x04" + coll() + b"!"]]),
]


def main():
    out = []
    for name, types, rows in CASES:
        ts = [parse(t) for t in types]
        sums = [H(b"".join(field(t, v) for t, v in zip(ts, row))) for row in rows]
        out.append({
            "name": name,
            "types": types,
            "rows": [[spell(v) for v in row] for row in rows],
            "sums": [f"{s:032x}" for s in sums],
            "table": f"{sum(sums) % MOD:032x}",
        })
    print(json.dumps(out, indent=1))


main()
