// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// docs/howto/farm.md's first program: how many steps does each number take by Collatz's rule until it is 1?
#include <cstdio>
#include <exception>
#include <starling/farm.hpp>

int main(int argc, char** argv) try {
  const starling::farm::Options options(argc, argv);
  long next = 1;
  long most = 0;
  const auto input = [&]() -> std::optional<long> { return next <= 200000 ? std::optional(next++) : std::nullopt; };
  const auto calculate = [](long start) {
    long steps = 0;
    for (long n = start; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
  };
  const auto output = [&](long steps) { most = steps > most ? steps : most; };
  const auto summary = starling::farm::run(options, input, calculate, output);
  if (summary.output) std::printf("the longest way has %ld steps\n", most);
  return summary.exit_code();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
