"""Draws 50 %Page against the number of streams, from the results of an experiment. The figure is an SVG file.

    npx interleave experiment examples/streams.grid.json --out streams
    python3 examples/figure.py streams/results.csv figure.svg

The script uses only the standard library of Python.
"""

import csv
import statistics
import sys
from collections import defaultdict

WIDTH, HEIGHT, MARGIN = 480, 300, 50
COLOURS = {"0": "#1a5fb4", "0.01": "#c64600", "0.03": "#613583"}


def read(path):
    """Returns the times of SCTP in seconds, by loss and number of streams. Incomplete loads are excluded."""
    times = defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["pipeline"] == "sctp" and row["outcome"] == "complete":
                times[row["path.loss"], int(row["panes.1.streams"])].append(float(row["p50PageMs"]) / 1000)
    return times


def draw(times):
    """Returns an SVG with a line for each loss rate. At each point a bar shows the standard error of the mean."""
    streams = sorted({count for _, count in times})
    top = max(statistics.mean(values) for values in times.values()) * 1.15

    def x(count):
        return MARGIN + (WIDTH - 2 * MARGIN) * streams.index(count) / (len(streams) - 1)

    def y(seconds):
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * seconds / top

    parts = []
    for loss in sorted({loss for loss, _ in times}, key=float):
        colour = COLOURS.get(loss, "#000")
        points = []
        for count in streams:
            values = times[loss, count]
            mean = statistics.mean(values)
            error = statistics.stdev(values) / len(values) ** 0.5
            points.append(f"{x(count):.1f},{y(mean):.1f}")
            parts.append(f'<path d="M{x(count):.1f} {y(mean - error):.1f}V{y(mean + error):.1f}" stroke="{colour}"/>')
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        label = f"{100 * float(loss):g} % loss"
        parts.append(f'<text x="{WIDTH - MARGIN + 4}" y="{y(mean) + 4:.1f}" fill="{colour}">{label}</text>')
    for count in streams:
        parts.append(f'<text x="{x(count):.1f}" y="{HEIGHT - MARGIN + 20}" text-anchor="middle">{count}</text>')
    for seconds in range(0, int(top) + 1):
        parts.append(f'<text x="{MARGIN - 8}" y="{y(seconds) + 4:.1f}" text-anchor="end">{seconds} s</text>')
    parts.append(f'<text x="{MARGIN}" y="20">SCTP: half of every object is there (50 %Page), by streams</text>')
    body = "\n".join(parts)
    size = f'viewBox="0 0 {WIDTH + 40} {HEIGHT}" font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{body}\n</svg>\n'


if __name__ == "__main__":
    source, target = sys.argv[1:]
    with open(target, "w") as file:
        file.write(draw(read(source)))
    print(f"{target} is written")
