// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Must not compile: Input's pieces cannot be packed.
#include <starling/farm.hpp>

struct Piece {
  std::string name;
};

int main(int argc, char** argv) {
  const starling::farm::Options options(argc, argv);
  return starling::farm::run(
             options, [] { return std::optional<Piece>(); }, [](const Piece& piece) { return piece.name.size(); },
             [](std::size_t) {})
      .exit_code();
}
