"""Compares what DSBulk, Spark and cqlbulk write. See deploy/test-peers for what it does."""

import glob
import json
import os
import subprocess
import sys
import tempfile

from cassandra.cluster import Cluster

HERE = os.path.dirname(os.path.abspath(__file__))
HOST, DSBULK, SPARK = sys.argv[1:]

COLUMNS = """id int PRIMARY KEY, a ascii, bi bigint, b blob, bo boolean, d date, de decimal,
    dou double, du duration, f float, ip inet, i int, sm smallint, tx text, ti time, ts timestamp,
    tu timeuuid, ty tinyint, u uuid, vi varint, l list<int>, m map<text, int>, s set<text>,
    fl frozen<list<text>>, tup tuple<int, text>, ad frozen<address>, ad2 address,
    ml map<int, frozen<list<timestamp>>>"""

# DSBulk unloads a null collection as an empty one. A frozen list, and the set of a frozen user
# type, are then empty: by column, what it makes of null.
EMPTIED = {"fl": [], "ad": {"street": None, "zip": None, "tags": []}}

failed = []


def run(*command, **env):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env},
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)[:300]}: exit status {done.returncode}\n"
                 f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def cqlbulk(command, *args):
    return run("bin/cqlbulk", command, *args, "--hosts", HOST)


def dsbulk(command, table, form, url):
    connector = "csv" if form == "csv" else "json"
    run("java", "-cp", f"{DSBULK}/*", "com.datastax.oss.dsbulk.runner.DataStaxBulkLoader", command,
        "-k", "peers", "-t", table, "-c", connector, f"--connector.{connector}.url", url, "-h", HOST,
        "--log.directory", f"{work}/logs")


def rows_of(table):
    text = cqlbulk("scan", f"peers.{table}", "-q", "--format", "json")
    # Numbers stay texts: a float would have other digits.
    rows = [json.loads(line, parse_float=str, parse_int=str) for line in text.splitlines()]
    return {tuple(row[key] for key in ("id", "k", "c") if key in row): row for row in rows}


def same(what, want, got, by_dsbulk=None):
    """Prints whether two tables have the same rows, and each value that differs.

    by_dsbulk is what DSBulk did, unload or load, which changes some values.
    """
    differ = [f"{key}: is not in both" for key in want.keys() ^ got.keys()]
    for key in want.keys() & got.keys():
        for column, value in want[key].items():
            other = got[key][column]
            if by_dsbulk == "unload" and column in EMPTIED and other == EMPTIED[column]:
                continue
            if by_dsbulk == "load" and (value, other) == ("-0", "0"):
                continue  # it reads numbers as decimals, which have no negative zero
            if value != other:
                differ.append(f"{key}, {column}: {value!r} and {other!r}")
    print(f"{what}: {'differs' if differ else 'the same'}, {len(want)} rows", flush=True)
    print("".join(f"    {line}\n" for line in differ), end="")
    if differ or not want:
        failed.append(what)


def exchange_with_dsbulk(session):
    session.execute("CREATE TYPE address (street text, zip int, tags frozen<set<text>>)")
    session.execute(f"CREATE TABLE rows ({COLUMNS})")
    with open(f"{HERE}/types.cql", encoding="utf-8") as statements:
        for statement in statements.read().split(";\n"):
            if statement.strip():
                session.execute(statement)
    want = rows_of("rows")
    for form in ("csv", "json"):
        for by in ("dsbulk", "cqlbulk"):
            table = f"of_{by}_{form}"
            session.execute(f"CREATE TABLE {table} ({COLUMNS})")
            out = f"{work}/{table}.{form}"
            if by == "dsbulk":
                dsbulk("unload", "rows", form, out)
                cqlbulk("load", f"peers.{table}", out, "--dialect", "dsbulk", "--format", form, "-q",
                        "--run-dir", f"{work}/run-{form}")
                same(f"DSBulk unloads {form}, cqlbulk loads", want, rows_of(table), "unload")
            else:
                cqlbulk("scan", "peers.rows", "-o", out, "--dialect", "dsbulk", "-q")
                dsbulk("load", table, form, out)
                same(f"cqlbulk scans {form}, DSBulk loads", want, rows_of(table), "load")


def write_beside_spark(session):
    columns = "k int, c int, l list<int>, s set<text>, m map<text, int>, v text, n int"
    for table in ("theirs", "ours"):
        session.execute(f"CREATE TABLE {table} ({columns}, PRIMARY KEY (k, c))")
    jars = ",".join(sorted(glob.glob(f"{SPARK}/connector/*.jar")))
    home = f"{SPARK}/python/pyspark"
    said = run(f"{home}/bin/spark-shell", "--master", "local[2]", "--jars", jars,
               "--conf", f"spark.cassandra.connection.host={HOST}", "--conf", "spark.ui.enabled=false",
               "--conf", f"spark.local.dir={work}", "-i", f"{HERE}/writes.scala",
               SPARK_HOME=home, SPARK_LOCAL_IP="127.0.0.1")
    if "all was written" not in said:
        sys.exit(f"spark-shell did not write all:\n{said[-3000:]}")

    def write(when, header, row, *flags):
        path = f"{work}/spark-{len(os.listdir(work))}.csv"
        with open(path, "w", encoding="utf-8") as out:
            out.write(header + "\n")
            out.writelines(row(k, c) + "\n" for k in range(20) for c in range(10) if when(c))
        cqlbulk("load", *([] if "--query" in flags else ["peers.ours"]), path, "-q", *flags)

    def update(when, change, header, value):
        write(when, f"k,c,{header}", lambda k, c: f"{k},{c},{value(c)}",
              "--query", f"UPDATE peers.ours SET {change} WHERE k = :k AND c = :c")

    write(lambda c: True, "k,c,l,s,m,v,n",
          lambda k, c: f"""{k},{c},"[1, 2, 3]","{{'a', 'b'}}","{{'x': 1, 'y': 2}}",v{c},{c}""")
    update(lambda c: c % 2 == 0, "l = l + :l", "l", lambda c: '"[4, 5]"')
    update(lambda c: c % 3 == 0, "l = :l + l", "l", lambda c: '"[9, 8]"')
    update(lambda c: c % 4 == 0, "l = l - :l", "l", lambda c: '"[2]"')
    update(lambda c: c % 2 == 1, "s = s + :s, m = m + :m", "s,m",
           lambda c: f"""{{'z'}},"{{'x': 7, 'q': {c}}}\"""")
    update(lambda c: c % 5 == 0, "s = s - :s", "s", lambda c: "{'a'}")
    key = lambda k, c: f"{k},{c}"
    write(lambda c: c == 7, "k,c", key, "--query", "DELETE v FROM peers.ours WHERE k = :k AND c = :c")
    write(lambda c: c == 8, "k,c", key, "--delete")
    write(lambda c: c == 0, "k", lambda k, c: str(k if k in (3, 4) else 1000), "--delete-by", "k")
    write(lambda c: c == 1, "k,c,v", lambda k, c: f"{k},{c},timed", "--ttl", "86400",
          "--timestamp", "4102444800000000")
    same("Spark and cqlbulk write", rows_of("theirs"), rows_of("ours"))
    for table in ("theirs", "ours"):
        times = session.execute(f"SELECT writetime(v) AS w, ttl(v) AS t FROM {table} WHERE k = 5 AND c = 1")
        if [(row.w, 86000 < row.t <= 86400) for row in times] != [(4102444800000000, True)]:
            failed.append(f"times of {table}")


with tempfile.TemporaryDirectory() as work:
    cluster = Cluster([HOST])
    connected = cluster.connect()
    connected.execute("CREATE KEYSPACE peers WITH replication = "
                      "{'class': 'SimpleStrategy', 'replication_factor': 1}")
    connected.set_keyspace("peers")
    exchange_with_dsbulk(connected)
    write_beside_spark(connected)
    cluster.shutdown()
if failed:
    sys.exit("what was written differs: " + "; ".join(failed))
