#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs scaling.cpp on 1 to 32 processes, prints a table of medians and draws them as docs/reference/array/scaling.svg.

usage: bench/array/scaling.py [--build build/release] [--runs 5] [--operations 1000] [--picture FILE.svg]
"""
import argparse
import math
import re
import statistics
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
PROCESSES = (1, 2, 4, 8, 16, 32)
OPERATIONS = ("broadcast and reduction", "migration", "message")
COLOURS = ("#cf222e", "#9a6700", "#0969da")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 400, 70, 20, 180, 50


def measured(build, processes, operations):
    """Microseconds by operation, of one run."""
    said = subprocess.run([build / "bin/mpiexec", "-n", str(processes), build / "bench/array/scaling_starling", str(operations)],
                          capture_output=True, text=True, check=True, timeout=300).stdout
    return {name: float(re.search(rf"{name} ([\d.]+) us", said).group(1)) for name in OPERATIONS}


def draw(path, figures):
    """figures: {operation: {processes: us}}; both axes are logarithmic."""
    values = [us for line in figures.values() for us in line.values()]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def place(processes, us):
        x = LEFT + math.log2(processes) / math.log2(PROCESSES[-1]) * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - (math.log10(us) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return round(x, 1), round(y, 1)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
             "<title>Time of the operations of object arrays by processes</title>",
             "<style>text { font: 13px sans-serif; fill: #57606a } .grid { stroke: #8c959f; stroke-opacity: 0.4 } "
             ".curve { fill: none; stroke-width: 2 }</style>"]
    for power in range(low, high + 1):
        x, y = place(1, 10.0 ** power)
        parts.append(f'<line class="grid" x1="{x}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}"/>')
        parts.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{10.0 ** power:g} us</text>')
    for processes in PROCESSES:
        x, y = place(processes, 10.0 ** low)
        parts.append(f'<text x="{x}" y="{y + 20}" text-anchor="middle">{processes}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">processes</text>')
    for colour, (name, line) in zip(COLOURS, figures.items()):
        points = [place(processes, us) for processes, us in line.items()]
        parts.append(f'<polyline class="curve" stroke="{colour}" points="{" ".join(f"{x},{y}" for x, y in points)}"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in points]
        parts.append(f'<text x="{points[-1][0] + 10}" y="{points[-1][1] + 4}" style="fill: {colour}">{name}</text>')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=SOURCE / "build/release")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--operations", type=int, default=1000)
    parser.add_argument("--picture", type=Path, default=SOURCE / "docs/reference/array/scaling.svg")
    options = parser.parse_args()
    runs = {processes: [] for processes in PROCESSES}
    for _ in range(options.runs):  # in alternation: the machine is not the same all the time
        for processes in PROCESSES:
            runs[processes].append(measured(options.build, processes, options.operations))
    figures = {name: {} for name in OPERATIONS}
    print("| processes | " + " | ".join(f"{name}, us" for name in OPERATIONS) + " |\n|" + "---|" * (len(OPERATIONS) + 1))
    for processes in PROCESSES:
        cells = []
        for name in OPERATIONS:
            values = [each[name] for each in runs[processes]]
            median = statistics.median(values)
            if median > 0:
                figures[name][processes] = median
            cells.append(f"{median:.3g} ({min(values):.3g} to {max(values):.3g})" if median > 0 else "")
        print(f"| {processes} | " + " | ".join(cells) + " |")
    draw(options.picture, figures)


if __name__ == "__main__":
    main()
