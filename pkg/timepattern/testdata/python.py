"""Writes times by directives, for the tests of this package: python3 python.py > python.txt"""
from datetime import datetime

formats = [
    "%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M:%S.%f", "%m/%d/%Y %I:%M:%S %p", "%a, %d %b %Y %H:%M:%S %z",
    "%A %d %B %y", "%Y%m%d%H%M%S%f", "%Y-%m-%dT%H:%M:%S.%f%z", "%F %T%z", "%D %R", "%e %h %Y", "%w %Y-%m-%d",
    "%H:%M", "100%% %Y", "%c",
]
times = [
    "2024-03-01T00:05:09.123456+00:00", "1999-12-31T23:59:59.999999-05:30",
    "2000-02-29T12:00:00+00:00", "2015-10-09T13:07:00.500000+02:00",
]
for f in formats:
    for t in times:
        print(f, t, datetime.fromisoformat(t).strftime(f), sep="\t")
