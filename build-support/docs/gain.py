"""Draws docs/images/gain.svg, and writes a table of docs/qualify.md, from docs/figures/spark.json: what jobs on Spark take with other serializers.

`python3 build-support/docs/gain.py` writes both. The site is not built while they differ from the figures.
"""

import json
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs/figures/spark.json"
PLOT = ROOT / "docs/images/gain.svg"
PAGE = ROOT / "docs/qualify.md"
BEGIN = "<!-- gain figures: begin, written by build-support/docs/gain.py -->\n"
END = "<!-- gain figures: end -->"
JDK = "25"
JOBS = {
    "group-join": "Group and join of objects",
    "inverted-index": "Inverted index",
    "word-count": "Word count",
    "k-means": "k-means on a serialized cache",
}
TABLE = {"kryo": "Kryo", "kryo-registered": "Kryo, registered", "java": "Java serialization"}
PEERS = {"kryo": "Kryo", "kryo-registered": "Kryo, classes registered", "heapspan": "Heapspan"}
COLORS = {"kryo": "#8fa3bf", "kryo-registered": "#8fa3bf", "heapspan": "#3f51b5"}
LEFT, SCALE, ROW = 220, 1.75, 19


def medians(applications, job, peer):
    runs = [
        each
        for each in applications
        if (each["jdk"], each["workload"], each["peer"]) == (JDK, job, peer) and not each["failure"] and each["serializationShare"] == "NaN"
    ]
    cpu = statistics.median(each["executorCpuSeconds"] for each in runs)
    wall = statistics.median(sum(each["wallSeconds"]) for each in runs)
    return cpu, wall


def drawn():
    applications = json.loads(FIGURES.read_text(encoding="utf-8"))["applications"]
    rows = []
    y = 66
    for job, title in JOBS.items():
        base = medians(applications, job, "heapspan")
        rows.append(f'<text x="16" y="{y}" font-weight="bold">{title}</text>')
        y += 8
        for peer, name in PEERS.items():
            cpu, wall = (100 * value / whole for value, whole in zip(medians(applications, job, peer), base))
            rows.append(
                f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{name}</text>'
                f'<rect x="{LEFT}" y="{y + 2}" width="{cpu * SCALE:.1f}" height="14" fill="{COLORS[peer]}"/>'
                f'<text x="{LEFT + cpu * SCALE + 6:.1f}" y="{y + 13}">{cpu:.0f} %, wall {wall:.0f} %</text>'
            )
            y += ROW
        y += 26
    height = y - 14
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 {height}" width="700" height="{height}" '
            'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222222" role="img">',
            "<title>What jobs on Spark take with Kryo and with Heapspan</title>",
            '<rect width="100%" height="100%" rx="6" fill="#ffffff"/>',
            '<text x="16" y="26" font-size="15" font-weight="bold">Processor time of Spark\'s executors, Heapspan = 100 %</text>',
            f'<text x="16" y="44" fill="#555555">Shorter is better. Bars are processor time. JDK {JDK}, two executors.</text>',
            *rows,
            "</svg>",
            "",
        ]
    )


def table():
    applications = json.loads(FIGURES.read_text(encoding="utf-8"))["applications"]
    jobs = {each["workload"]: each["title"] for each in applications if (each["jdk"], each["peer"]) == (JDK, "kryo")}
    rows = []
    for job, title in jobs.items():
        base = medians(applications, job, "heapspan")
        factors = [[value / whole for value, whole in zip(medians(applications, job, peer), base)] for peer in TABLE]
        cells = (", ".join(f"{factor:.2f}" for factor in each) for each in factors)
        rows.append((-factors[0][0], f"| {title} | {' | '.join(cells)} |"))
    head = "| Job | " + " | ".join(f"{name}: CPU, wall" for name in TABLE.values()) + " |"
    return "\n".join([head, "|---" * (len(TABLE) + 1) + "|", *(row for _, row in sorted(rows)), ""])


def page():
    """The page as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PLOT.write_text(drawn(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
