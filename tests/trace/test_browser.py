#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a traced job in a real browser: by day, in the dark, and in print.

usage: test_browser.py WRITE_EXAMPLE [FOLDER]

Pictures are taken by headless Chromium; with FOLDER they stay there, to be looked at. Skipped (exit status 77) where
Chromium is missing.
"""
import collections
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

WIDTH, HEIGHT = 640, 900


def browser():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def start(profiles, folder, profile, *options):
    # What the page draws when it is shown is there before the picture is taken, however slow the machine is. With tiles
    # that are smaller than the page Chromium sometimes took it before the right half of the bars was there.
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=10000",
               "--run-all-compositor-stages-before-draw", "--default-tile-width=2048", "--default-tile-height=2048",
               f"--user-data-dir={profiles}/{profile}", *options, (folder / "page.html").as_uri()]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def unfilter(kind, line, before, step):
    """A line of a PNG, as the line before it and its filter tell it."""
    for at, value in enumerate(line):
        left = line[at - step] if at >= step else 0
        corner = before[at - step] if at >= step else 0
        if kind == 4:
            guess = left + before[at] - corner
            near = min((left, before[at], corner), key=lambda each: abs(guess - each))
        else:
            near = (0, left, before[at], (left + before[at]) // 2)[kind]
        line[at] = value + near & 255


def colours(path):
    """How many points of a picture have each colour."""
    data, at, packed = path.read_bytes(), 8, b""
    channels = 4 if data[25] == 6 else 3
    while at < len(data):
        length = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    raw, counted, before = zlib.decompress(packed), collections.Counter(), bytearray(WIDTH * channels)
    for start in range(0, len(raw), WIDTH * channels + 1):
        line = bytearray(raw[start + 1:start + 1 + WIDTH * channels])
        unfilter(raw[start], line, before, channels)
        counted.update(tuple(line[point:point + 3]) for point in range(0, len(line), channels))
        before = line
    return counted


def check(name, counted, paper, ink, wait):
    most = counted.most_common(1)[0][0]
    assert most == paper, f"{name}: the paper is {most}, not {paper}"
    assert counted[ink] > 100, f"{name}: there is no text of the colour {ink}"
    assert counted[wait] > 500, f"{name}: the waits at collectives are not drawn in {wait}"


def main(arguments):
    if browser() is None:
        print("skipped: Chromium is not here (apt install chromium)")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments[1] if len(arguments) > 1 else temporary)
        subprocess.run([arguments[0], folder / "page.pftrace", "6", "200", folder / "page.html"], check=True)
        size = f"--window-size={WIDTH},{HEIGHT}"
        # A browser waits for itself most of the time, so all three run at once.
        browsers = [start(temporary, folder, "day", size, f"--screenshot={folder}/day.png"),
                    start(temporary, folder, "dark", size, "--blink-settings=preferredColorScheme=0",
                          f"--screenshot={folder}/dark.png"),
                    start(temporary, folder, "print", "--no-pdf-header-footer", f"--print-to-pdf={folder}/print.pdf")]
        for each in browsers:
            _, said = each.communicate(timeout=240)
            assert each.returncode == 0, said.decode(errors="replace")
        check("day", colours(folder / "day.png"), (255, 255, 255), (28, 31, 35), (230, 159, 0))
        check("dark", colours(folder / "dark.png"), (21, 24, 28), (230, 232, 234), (242, 193, 78))
        assert (folder / "print.pdf").read_bytes()[:5] == b"%PDF-"
        print("the page is drawn by day, in the dark and in print")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
