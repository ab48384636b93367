#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the farm's examples on small inputs and checks what they made.

usage: examples_test.py BIN MPIEXEC
"""
import collections
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, MPIEXEC = Path(sys.argv.pop(1)), sys.argv.pop(1)


def run(ranks, name, *arguments):
    launch = [MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
    return subprocess.run([*launch, BIN / name, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def png_size(path):
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG"), path
    return struct.unpack(">II", data[16:24])


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farm_examples_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    @unittest.skipUnless((BIN / "mandelbrot").exists(), "built without libgd")
    def test_pictures(self):
        """The same picture from one process and from three; then sheets of several, one of them broken."""
        pictures = self.folder / "pictures"
        pictures.mkdir()
        for number, ranks in enumerate((1, 3)):
            done = run(ranks, "mandelbrot", 200, 150, pictures / f"{number}.png", 300)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(png_size(pictures / "0.png"), (200, 150))
        self.assertEqual((pictures / "0.png").read_bytes(), (pictures / "1.png").read_bytes())
        (pictures / "broken.png").write_text("no picture")
        done = run(2, "contact_sheet", pictures, self.folder / "out")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot read the image", done.stderr)
        self.assertEqual(png_size(self.folder / "out" / "1.png"), (160, 120))
        self.assertEqual(png_size(self.folder / "out" / "sheet.png"), (344, 136))

    def test_words(self):
        texts = Path(__file__).parents[2] / "docs"
        expected = collections.Counter()
        for path in texts.rglob("*"):
            if path.is_file():
                expected.update(re.findall(rb"[a-z]+", path.read_bytes().lower()))
        for ranks in (1, 2):
            done = run(ranks, "wordcount", texts)
            self.assertEqual(done.returncode, 0, done.stderr)
            for line in done.stdout.splitlines():
                number, word = line.split()
                self.assertEqual(int(number), expected[word.encode()], word)
            self.assertEqual(len(done.stdout.splitlines()), 10)


if __name__ == "__main__":
    unittest.main()
