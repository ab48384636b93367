#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual pages and the completions of shells. CMake runs it when the commands are built.

usage: generate.py <source folder> <folder of the commands> <version> <folder for share/>
"""
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "api"))
from generator import rows  # noqa: E402 pylint: disable=wrong-import-position

import commands  # noqa: E402 pylint: disable=wrong-import-position
import completion  # noqa: E402 pylint: disable=wrong-import-position
import functions  # noqa: E402 pylint: disable=wrong-import-position
import options  # noqa: E402 pylint: disable=wrong-import-position


def main(source, bin_folder, version, share):
    source, bin_folder, share = Path(source), Path(bin_folder), Path(share)
    made = {f"man/{name}": text for pages in (functions.pages(source, version), commands.pages(bin_folder, source, version))
            for name, text in pages.items()} | completion.files(bin_folder)
    shutil.rmtree(share, ignore_errors=True)
    for name, text in made.items():
        path = share / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (rows.RowError, options.ListError) as error:
        sys.exit(f"tools/manual: {error}")
