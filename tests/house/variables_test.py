#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plants a configuration variable that no test names, and sees that scripts/check_layers names its line."""
import sys
import unittest

from planted import Planted

PAGE = "docs/reference/configuration.md"
ROW = "| `STARLING_{}` | `1` | whole number | messages | Does something. |\n"


class Variables(Planted):
    def variables(self, *names):
        self.page(PAGE, "".join(ROW.format(name) for name in names))
        self.write("src/base/variables.hpp", "#pragma once\n" + "".join(f"X({name.lower()}, \"{name}\");\n" for name in names))

    def test_that_tests_name(self):
        self.variables("RING_SLOTS", "WAIT")
        self.write("tests/unit/p2p/ring_test.cpp", 'set("RING_SLOTS", "4");\n')
        self.write("tests/launch/test_wait.py", "run(STARLING_WAIT='sleep')\n", comment="#")
        self.accepts()

    def test_that_no_test_names(self):
        self.variables("WAIT", "RING_SLOTS")
        self.write("tests/launch/test_wait.py", "run(STARLING_WAIT='sleep')\n", comment="#")
        self.refuses(f"{PAGE}:2:", "no test names STARLING_RING_SLOTS")

    def test_of_which_only_a_longer_one_is_named(self):
        self.variables("WAIT")
        self.write("tests/launch/test_wait.py", "run(STARLING_WAIT_SPIN_US='0', other='WAIT')\n", comment="#")
        self.refuses(f"{PAGE}:1:", "no test names STARLING_WAIT:")

    def test_that_only_the_engine_names(self):
        self.variables("WAIT")
        self.refuses(f"{PAGE}:1:", "no test names")


if __name__ == "__main__":
    sys.exit(unittest.main())
