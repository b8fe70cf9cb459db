"""What the measurements beside this file share."""
import functools
import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parent.parent


def number(text):
    """Returns a number that may end in k, M or G."""
    unit = {"k": 1000, "M": 1_000_000, "G": 1_000_000_000}.get(text[-1:], 1)
    return int(text.rstrip("kMG")) * unit


@functools.cache
def tool(name):
    """Builds a program of the folder tools, once, and returns its path."""
    path = TOP / ".cache" / "bin" / name
    subprocess.run(["go", "build", "-o", path, f"./tools/{name}"], cwd=TOP, check=True)
    return path


def cql(work, host, *statements):
    """Runs statements on a cluster, from a script in the folder work."""
    script = work / "statements.cql"
    script.write_text(";\n".join(statements) + ";\n")
    subprocess.run([tool("cql"), "-hosts", host, script], check=True, stdout=subprocess.DEVNULL)


def programs(text):
    """Returns the paths of the programs of --binary."""
    return [str(pathlib.Path(b).resolve()) for b in text.split(",")]


def shown(binary):
    """Returns a program's path as tables have it."""
    return os.path.relpath(binary, TOP)
