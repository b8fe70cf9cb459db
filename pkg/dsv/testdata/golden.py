"""Writes golden.json: what Python's csv module makes of records, and records of text.

The settings are those of cqlsh's COPY: an escape, no doubled quotes, as few
quotes as possible, CRLF. Needs Python 3.10 or later, whose writer escapes the
escape too; the seed is fixed, and the versions from 3.10 to 3.13 write the same.

    python3 golden.py > golden.json
"""
import csv
import io
import json
import random
import re

FORMATS = [(",", '"', "\\"), ("\t", "'", "\\"), ("|", '"', "^"), (";", "'", "!")]
rnd = random.Random(20240229)


def settings(fmt):
    delimiter, quote, escape = fmt
    return dict(delimiter=delimiter, quotechar=quote, escapechar=escape,
                doublequote=False, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")


def pieces(fmt):
    return list(fmt) * 2 + ["\r", "\n", "\r\n", " ", "a", "N", "\u00e9", "\U0001f600", "words"]


def written(fmt):
    """A record, and the text that the writer makes of it."""
    record = ["".join(rnd.choices(pieces(fmt), k=rnd.choice([0, 1, 1, 2, 3, 5, 12])))
              for _ in range(rnd.choice([1, 1, 2, 3, 5]))]
    out = io.StringIO(newline="")
    csv.writer(out, **settings(fmt)).writerow(record)
    return dict(format="".join(fmt), text=out.getvalue(), records=[record])


def field(fmt):
    """The text of a field in any form that the reader and the package take alike."""
    delimiter, quote, escape = fmt
    quoted = rnd.random() < 0.4
    text = quote if quoted else ""
    for _ in range(rnd.choice([0, 1, 1, 2, 4, 8])):
        c = rnd.choice(pieces(fmt))
        if rnd.random() < 0.3:
            text += escape + c[0]
        elif c == escape or quoted and c == quote:
            text += escape + c
        elif quoted:
            text += c
        elif not (c == delimiter or c[0] in "\r\n" or c == quote and text == ""):
            text += c
    return text + quote if quoted else text


def read(fmt):
    """Text, and the records that the reader makes of it."""
    records = []
    while len(records) < rnd.choice([1, 2, 3]):
        record = [field(fmt) for _ in range(rnd.choice([1, 2, 3]))]
        if record != [""]:
            records.append(fmt[0].join(record) + rnd.choice(["\n", "\r\n"]))
    text = "".join(records)
    # The reader takes lines. Cut at LF alone, a lone CR is left where it was.
    lines = re.findall(r"[^\n]*\n", text)
    return dict(format="".join(fmt), text=text, records=list(csv.reader(lines, **settings(fmt))))


def dump(name, cases, end):
    print(json.dumps(name) + ": [")
    print(",\n".join(json.dumps(c) for c in cases))
    print("]" + end)


print("{")
dump("written", [written(f) for f in FORMATS for _ in range(40)], ",")
dump("read", [read(f) for f in FORMATS for _ in range(40)], "")
print("}")
