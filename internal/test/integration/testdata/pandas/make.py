"""Writes frames as pandas 3.1 does by its defaults.

CSV is of to_csv(index=False), JSON of to_json(orient="records", lines=True). Run it in this folder
with pandas installed: the files beside it are its output.
"""
import datetime
import decimal
import uuid

import numpy
import pandas

date, time = datetime.date, datetime.time
null = None
frames = {
    "bools": {"t": [True, False, True]},
    "bools_with_nulls": {"t": [True, null, False]},
    "categories": {"v": pandas.Categorical(["x", null, "y"])},
    "dates_and_times": {
        "dd": [date(2024, 2, 29), null, date(1999, 12, 31)],
        "tt": [time(10), time(23, 59, 59, 123456), null],
    },
    "days_as_timestamps": {"at": pandas.to_datetime(["2024-01-31", "2024-02-01"])},
    "floats": {
        "f": numpy.array([0.1, numpy.nan, 1e-7, 3e38], dtype="float32"),
        "d": [0.1, numpy.inf, -numpy.inf, 1e300],
    },
    "ints_with_nulls": {"i": [1, null, 3], "b": [2**53 - 1, null, -5]},
    "nullable_ints": {
        "i": pandas.array([1, null, 3], dtype="Int32"),
        "b": pandas.array([2**62, null, -5], dtype="Int64"),
    },
    "objects": {
        "m": [decimal.Decimal("1.50"), null],
        "u": [uuid.UUID("550e8400-e29b-41d4-a716-446655440000"), null],
        "l": [[1, 2], []],
    },
    "texts": {"v": ["a,b", 'say "hi"', "two\nlines", null, "NaN"]},
    "timestamps": {
        "at": pandas.to_datetime(
            ["2024-01-31 10:00:00", "2024-02-01 00:00:00.123", null], format="ISO8601"
        )
    },
    "timestamps_zoned": {
        "at": pandas.to_datetime(
            ["2024-07-14 13:05:00", null, "1969-12-24 18:30:59"]
        ).tz_localize("Europe/Berlin")
    },
}
for name, columns in frames.items():
    frame = pandas.DataFrame(columns)
    frame.insert(0, "k", range(1, len(frame) + 1))
    frame.to_csv(name + ".csv", index=False)
    frame.to_json(name + ".json", orient="records", lines=True, default_handler=str)
