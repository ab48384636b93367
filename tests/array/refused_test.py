#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Operators of reductions that would give wrong results do not compile, and the compiler says why.

usage: refused_test.py COMPILER INCLUDE_FOLDER
"""
import subprocess
import sys
import unittest

COMPILER, INCLUDE = sys.argv[1:]

PROGRAM = """
#include <starling/array/element.hpp>
#include <functional>
using namespace starling::array;
struct Value { long n = 0; bool operator<(const Value& o) const { return n < o.n; } };
%s
struct Cell : Element<Cell> {
  void give(Future<%s> to) { contribute(%s, Op{}, to); }
};
void use(Array<Cell> cells, Future<%s> to) { cells.broadcast<&Cell::give>(to); }
"""

RETURNS = "returns nothing: it combines the second value into the first"
FIRST = "takes the first value as V&"
DATA = "class without data"


def compiled(operator, value="long", given="1L"):
    text = PROGRAM % (operator, value, given, value)
    done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-I", INCLUDE, "-x", "c++", "-"], input=text, text=True,
                          capture_output=True, timeout=100, check=False)
    return done.returncode, done.stderr


class Operators(unittest.TestCase):
    def refused(self, why, operator, *of):
        code, said = compiled(operator, *of)
        self.assertNotEqual(code, 0, "it compiles: " + operator)
        self.assertIn(why, said)

    def accepted(self, operator, *of):
        code, said = compiled(operator, *of)
        self.assertEqual(code, 0, operator + said)

    def test_one_that_returns_its_result_is_refused(self):
        self.refused(RETURNS, "struct Op { long operator()(long a, long b) const { return a + b; } };")
        self.refused(RETURNS, "struct Plus { long operator()(long a, long b) const { return a + b; } };"
                              "using Op = EachOf<Sum, Plus>;", "std::tuple<long, long>", "std::tuple(1L, 2L)")

    def test_one_that_changes_a_copy_is_refused(self):
        self.refused(FIRST, "struct Op { void operator()(long into, long value) const { into += value; } };")

    def test_one_with_data_is_refused(self):
        self.refused(DATA, "struct Op { long base = 0; void operator()(long& i, long v) const { i += v + base; } };")

    def test_those_that_combine_into_the_first_are_accepted(self):
        self.accepted("struct Into { void operator()(long& into, long value) const { into += value; } };"
                      "struct Values { void operator()(Value& into, const Value& v) noexcept { into.n += v.n; } };"
                      "using Lambda = decltype([](auto&& into, const auto& value) { into += value; });"
                      "using Op = EachOf<Into, Values, Lambda, Min, Max>;",
                      "std::tuple<long, Value, long, double, Value>", "std::tuple(1L, Value{}, 2L, 3.0, Value{})")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
