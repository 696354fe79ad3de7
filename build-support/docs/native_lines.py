"""Counts the lines of native programs and of their twins in Scala, and writes a table of docs/benchmarks-native.md.

`python3 build-support/docs/native_lines.py` writes it. Blank lines, comments and includes do not count, nor what only one of the two needs for
the benchmark: the check of arguments in C++; names, the twin that uses a library, and the summary of results in Scala. What a twin calls in
other files counts, and the line there that saves its results.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/benchmarks-native.md"
BEGIN = "<!-- lines: begin, written by build-support/docs/native_lines.py -->\n"
END = "<!-- lines: end -->"
WORKLOADS = ROOT / "workloads/src/main/scala/org/heapspan/workloads"
NOT_THE_JOB = {"name", "title", "program", "file", "arguments", "libraryLines", "summary"}
# `made.saveAsTextFile(...)`, which is in Twin.scala for all of them.
SAVES_RESULTS = 1
# Title, program, the file and object of the twin, and what it calls elsewhere.
EDGES = ("Data.scala", ["edges"])
VECTORS = ("TwinLearning.scala", ["vectors"])
JOBS = [
    ("Word count", "word_count", ("Twins.scala", "TwinWords"), []),
    ("Page ranks", "page_rank", ("Twins.scala", "TwinRanks"), [EDGES]),
    ("Connected components", "connected_components", ("TwinGraphs.scala", "TwinComponents"), [EDGES]),
    ("Triangles", "triangle_count", ("TwinGraphs.scala", "TwinTriangles"), [EDGES]),
    ("k-means", "kmeans", ("TwinLearning.scala", "TwinClusters"), [VECTORS, ("Learning.scala", ["sum"])]),
    ("Logistic regression", "logistic_regression", ("TwinLearning.scala", "TwinPlane"), [VECTORS, ("Learning.scala", ["dot", "sum"])]),
]


def counts(line):
    return line.strip() and not re.match(r"\s*(//|/\*|\*|#include)", line)


def members(lines):
    """The members of an object by name, each with all of its lines that count."""
    found = {}
    current = None
    for line in filter(counts, lines):
        start = re.match(r"  (?:override |private )*(?:def|val) (\w+)", line)
        if start:
            current = found.setdefault(start[1], [])
        elif not line.startswith("   ") and line.rstrip() != "  }":
            current = None
        if current is not None:
            current.append(line)
    return found


def body(file, name):
    text = (WORKLOADS / file).read_text()
    return re.search(rf"^(?:private )?object {name} .*?^\}}", text, re.M | re.S)[0].splitlines()


def scala_lines(twin, helpers):
    total = SAVES_RESULTS + sum(len(lines) for name, lines in members(body(*twin)).items() if name not in NOT_THE_JOB)
    for file, names in helpers:
        all_members = members((WORKLOADS / file).read_text().splitlines())
        total += sum(len(all_members[name]) for name in names)
    return total


def native_lines(program):
    text = (ROOT / "examples/native" / f"{program}.cpp").read_text()
    text = re.sub(r"  if \(args\.size\(\).*?\n  \}\n", "", text, flags=re.S)
    return len(list(filter(counts, text.splitlines())))


def table():
    rows = ["| job | native | Scala | |\n|---|--:|--:|--:|\n"]
    for title, program, twin, helpers in JOBS:
        native, scala = native_lines(program), scala_lines(twin, helpers)
        rows.append(f"| {title} | {native} | {scala} | {native / scala:.1f}x |\n")
    return "".join(rows)


page = PAGE.read_text()
before, rest = page.split(BEGIN)
PAGE.write_text(before + BEGIN + table() + END + rest.split(END)[1])
