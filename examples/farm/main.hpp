// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// main() of the examples: what goes wrong is said, and ends the program at once, for other processes must not wait for
// this one.
//
// Thread safety: one thread.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>

/// Defined by the example. Throws std::exception for what cannot be done.
int run(int argc, char** argv);

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(3);
  }
}
