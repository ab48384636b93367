#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws how an allreduce and a revocation grow with the processes, as the source's figure: docs/reference/resilience/scalability.svg.

usage: bench/resilience/plot.py [--build build/release] [--ranks 2,4,8,16,32]

Lines: the simulation (at_scale --curve). Points: jobs of this machine (failures), whose ranks share its cores; none with --ranks "".
The picture follows the reader's light or dark colours.
"""
import argparse
import csv
import io
import math
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
PICTURE = SOURCE / "docs/reference/resilience/scalability.svg"
COLOURS = {"undisturbed": "#0072b2", "revoke": "#d55e00", "first": "#e69f00", "second": "#009e73", "third": "#cc79a7"}
NAMES = {"undisturbed": "allreduce, nothing revoked", "revoke": "revoke: the last process is told", "first": "first allreduce after it",
         "second": "second", "third": "third"}
ROWS = {"operation before": "undisturbed", "revoke, last told": "revoke", "first after": "first", "second after": "second",
        "third after": "third"}
STYLE = """<style>
  text { font-family: sans-serif; font-size: 13px; fill: #1f2328 } .paper { fill: #f6f8fa; stroke: #d0d7de } .grid { stroke: #d0d7de }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .paper { fill: #161b22; stroke: #30363d } .grid { stroke: #30363d } }
</style>"""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 440, 64, 16, 16, 92
MOST_PROCESSES, LEAST_US, MOST_US = 65536, 1, 1000


def curve(build):
    said = subprocess.run([build / "bench/resilience/at_scale", "--curve"], check=True, capture_output=True, text=True).stdout
    return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(said))]


def measured(build, ranks):
    said = subprocess.run([build / "bin/mpiexec", "-q", "--survive", "-n", str(ranks), build / "bench/resilience/failures", "0"], check=True,
                          capture_output=True, text=True).stdout
    row = {"processes": float(ranks)}
    for line in said.splitlines():
        for begin, key in ROWS.items():
            if line.startswith(begin):
                row[key] = float(line[len(begin):].split()[0])
    return row


def x(processes):
    return LEFT + (math.log2(processes) - 1) / (math.log2(MOST_PROCESSES) - 1) * (WIDTH - LEFT - RIGHT)


def y(microseconds):
    share = (math.log10(microseconds) - math.log10(LEAST_US)) / (math.log10(MOST_US) - math.log10(LEAST_US))
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def draw(lines, points):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
             "<title>An allreduce and a revocation by the number of processes: simulated as lines, measured as points</title>", STYLE,
             f'<rect class="paper" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="6"/>']
    for power in range(1, 17, 3):
        at = x(2 ** power)
        parts.append(f'<path class="grid" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
                     f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{2 ** power:,}</text>')
    for power in range(int(math.log10(MOST_US)) + 1):
        at = y(10 ** power)
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>'
                     f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10 ** power} us</text>')
    for place, (key, colour) in enumerate(COLOURS.items()):
        path = "L".join(f"{x(row['processes']):.1f} {y(row[key]):.1f}" for row in lines)
        parts.append(f'<path d="M{path}" stroke="{colour}" stroke-width="2" fill="none"/>')
        parts += [f'<circle cx="{x(row["processes"]):.1f}" cy="{y(max(row[key], LEAST_US)):.1f}" r="3.5" fill="{colour}"/>' for row in points]
        left, top = LEFT + place % 3 * 230, HEIGHT - 44 + place // 3 * 22
        parts.append(f'<rect x="{left}" y="{top}" width="14" height="4" fill="{colour}"/><text x="{left + 20}" y="{top + 7}">{NAMES[key]}</text>')
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text("\n".join([*parts, "</svg>"]) + "\n")
    print(f"{PICTURE.relative_to(SOURCE)}: {PICTURE.stat().st_size} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=SOURCE / "build/release")
    parser.add_argument("--ranks", default="2,4,8,16,32")
    options = parser.parse_args()
    points = [measured(options.build, int(ranks)) for ranks in options.ranks.split(",") if ranks]
    for row in points:
        print(row)
    draw(curve(options.build), points)


if __name__ == "__main__":
    main()
