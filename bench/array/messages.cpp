// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the mechanisms of object arrays cost: messages, broadcasts and reductions, creation, moves, quiescence. Runs
// with one process or more; prints for each line the median, least and most of several runs. docs/reference/array.md
// has the figures.
//     mpiexec -n 2 bench/array/messages_starling [--runs N] [--only SUBSTRING]
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "timing.hpp"

namespace {

using namespace starling::array;

class Cell : public Element<Cell> {
 public:
  Cell() = default;
  void set(int) {}
  /// Sends itself a message again and again.
  void self(int left, const Future<void>& done) {
    if (left == 0) {
      Future<void> to = done;
      return to.set();
    }
    array()[index()].send<&Cell::self>(left - 1, done);
  }
  void spin(int left) {
    if (left > 0) array()[index()].send<&Cell::spin>(left - 1);
  }
  void ping(int other, int left) {
    if (left > 0) array()[other].send<&Cell::ping>(index(), left - 1);
  }
  void burst(int other, int count) {
    const Target<Cell> to = array()[other];
    for (int i = 0; i < count; ++i) to.send<&Cell::set>(i);
    to.send<&Cell::burst_ends>(index());
  }
  void burst_ends(int other) { array()[other].send<&Cell::set>(0); }
  void arrive(const Future<void>& done) { contribute(done); }
  void fill(int bytes) { bytes_.resize(static_cast<std::size_t>(bytes)); }
  void hop(int left) {
    if (left == 0) return;
    migrate_to((rank() + 1) % session().size());
    array()[index()].send<&Cell::hop>(left - 1);
  }
  void serialize(Archive& archive) { archive(bytes_); }

 private:
  std::vector<char> bytes_;
};

/// Only what every element has.
struct Empty : Element<Empty> {
  void serialize(Archive&) {}
};

struct Options {
  int runs = 5;
  std::string only;
};

/// Prints the median, least and most of what `once` returns, in `unit`.
void measure(const Options& options, const char* name, const char* unit, const std::function<double()>& once) {
  if (std::string(name).find(options.only) == std::string::npos) return;
  once();
  std::vector<double> values;
  for (int i = 0; i < options.runs; ++i) values.push_back(once());
  std::sort(values.begin(), values.end());
  std::printf("%-62s %10.1f %10.1f %10.1f %s\n", name, values[values.size() / 2], values.front(), values.back(), unit);
  std::fflush(stdout);
}

void messages(Session& session, const Options& options) {
  Array<Cell> cells(session, 2 * session.size());
  session.run([&] {
    const int far = 2 * session.size() - 1;
    measure(options, "message to an element of the same process, one int", "ns", [&] {
      constexpr int kCount = 300000;
      return seconds_of([&] {
               cells[0].send<&Cell::spin>(kCount);
               session.quiesce();
             }) *
             1e9 / kCount;
    });
    if (session.size() == 1) return;
    measure(options, "message to another process, one int", "ns", [&] {
      constexpr int kCount = 20000;
      return seconds_of([&] {
               cells[0].send<&Cell::ping>(far, kCount);
               session.quiesce();
             }) *
             1e9 / kCount;
    });
    measure(options, "burst of 1000 messages to another process, each", "ns", [&] {
      constexpr int kBursts = 200;
      return seconds_of([&] {
               for (int i = 0; i < kBursts; ++i) {
                 cells[0].send<&Cell::burst>(far, 1000);
                 session.quiesce();
               }
             }) *
             1e9 / (1000 * kBursts);
    });
    measure(options, "quiescence, idle", "us", [&] {
      constexpr int kCount = 2000;
      return seconds_of([&] {
               for (int i = 0; i < kCount; ++i) session.quiesce();
             }) *
             1e6 / kCount;
    });
  });
}

void collectives(Session& session, const Options& options, int each, const char* name) {
  Array<Cell> cells(session, each * session.size());
  session.run([&] {
    measure(options, name, "us", [&] {
      const int count = each < 100 ? 3000 : 300;
      return seconds_of([&] {
               for (int i = 0; i < count; ++i) {
                 Future<void> done(session);
                 cells.broadcast<&Cell::arrive>(done);
                 done.get();
               }
             }) *
             1e6 / count;
    });
  });
}

void moves(Session& session, const Options& options, int bytes, int hops, const char* name) {
  Array<Cell> cells(session, 32);
  session.run([&] {
    cells.broadcast<&Cell::fill>(bytes);
    session.quiesce();
    measure(options, name, "us", [&] {
      return seconds_of([&] {
               for (int i = 0; i < 32; ++i) cells[i].send<&Cell::hop>(hops);
               session.quiesce();
             }) *
             1e6 / (32 * hops);
    });
  });
}

/// In use, whether from the heap or by a mapping of its own.
std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void population(Session& session, const Options& options) {
  constexpr int kCount = 100000;
  Array<Empty> all(session);
  std::vector<double> creations;
  std::vector<double> deletions;
  std::vector<double> memory;
  // Each process makes and deletes those that have their home there: creation in bulk, as a program does at its start.
  std::vector<int> mine;
  for (int i = 0; static_cast<int>(mine.size()) < kCount; ++i) {
    const Index index = detail::IndexBytes<int>::pack(i);
    if (static_cast<int>(index.hash() % static_cast<unsigned>(session.size())) == session.rank()) mine.push_back(i);
  }
  for (int run = 0; run < options.runs + 1; ++run) {
    const std::size_t before = heap_bytes();
    creations.push_back(seconds_of([&] {
      for (const int i : mine) all[i].create();
    }));
    if (run == 0) memory.push_back(static_cast<double>(heap_bytes() - before) / kCount);
    session.run([] {});
    deletions.push_back(seconds_of([&] {
      for (const int i : mine) all[i].destroy();
      session.run([] {});
    }));
  }
  std::sort(creations.begin(), creations.end());
  std::sort(deletions.begin(), deletions.end());
  if (session.rank() != 0) return;
  const auto line = [&](const char* name, const std::vector<double>& values) {
    std::printf("%-62s %10.1f %10.1f %10.1f ns\n", name, values[values.size() / 2] * 1e9 / kCount,
                values.front() * 1e9 / kCount, values.back() * 1e9 / kCount);
  };
  line("creation in bulk, each", creations);
  line("deletion in bulk, each", deletions);
  std::printf("%-62s %10.1f B\n", "memory for an empty element", memory.front());
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--runs") == 0) options.runs = std::max(1, std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--only") == 0) options.only = argv[i + 1];
  }
  if (session.rank() == 0) {
    std::printf("%d processes\n%-62s %10s %10s %10s\n", session.size(), "", "median", "least", "most");
  }
  messages(session, options);
  collectives(session, options, 16, "broadcast and reduction, 16 elements a process");
  collectives(session, options, 1000, "broadcast and reduction, 1000 elements a process");
  if (session.size() > 1) {
    moves(session, options, 100, 300, "migration, 32 elements of 100 B in flight, each");
    moves(session, options, 10000, 100, "migration, 32 elements of 10 KB in flight, each");
    moves(session, options, 1000000, 5, "migration, 32 elements of 1 MB in flight, each");
  }
  if (std::string("creation, deletion, memory").find(options.only) != std::string::npos) population(session, options);
}
