// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The first program of docs/howto/arrays.md.
#include <cstdio>
#include <starling/array.hpp>

using namespace starling::array;

struct Cell : Element<Cell> {
  void square(Future<long> total) { contribute(long{index()} * index(), Sum{}, total); }
};

int main(int argc, char** argv) {
  Session session(argc, argv);
  Array<Cell> cells(session, 1000);
  session.run([&] {
    Future<long> total(session);
    cells.broadcast<&Cell::square>(total);
    std::printf("the sum of the squares of 0 to 999 is %ld\n", total.get());
  });
}
