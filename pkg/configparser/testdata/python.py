"""Reads texts, a JSON list, from the standard input. Writes what Python's configparser makes of each:
the options of each section, with and without interpolation, or the line of the error."""
import configparser
import io
import json
import sys


def read(text):
    raw, parser = configparser.RawConfigParser(), configparser.ConfigParser()
    try:
        for p in (raw, parser):
            # as a file that is opened as text
            p.read_file(io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8"))
    except configparser.ParsingError as e:
        # MissingSectionHeaderError has a line of its own
        return {"line": getattr(e, "lineno", None) or e.errors[0][0]}
    except configparser.Error as e:
        return {"line": e.lineno}
    sections = []
    for name in raw.sections():
        options = []
        for option, value in raw.items(name):
            try:
                interpolated = parser.get(name, option)
            except configparser.Error:
                interpolated = None
            options.append({"name": option, "value": value, "interpolated": interpolated})
        sections.append({"name": name, "options": options})
    return {"sections": sections}


json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout, indent=1, ensure_ascii=False)
print()
