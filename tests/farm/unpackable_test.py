#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A type that cannot be packed is one error of one line that says so.

usage: unpackable_test.py COMPILER INCLUDE_FOLDER
"""
import subprocess
import sys
from pathlib import Path

done = subprocess.run([sys.argv[1], "-std=c++20", "-fsyntax-only", "-I", sys.argv[2], Path(__file__).with_name("unpackable.cpp")],
                      capture_output=True, text=True)
errors = [line for line in done.stderr.splitlines() if "error:" in line]
if done.returncode == 0 or len(errors) != 1 or "starling::farm cannot pack what Input returns" not in errors[0]:
    sys.exit("expected one error, found:\n" + done.stderr)
