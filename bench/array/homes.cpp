// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What k homes cost and gain: records of creations, moves and first messages, and how many of these had to be sent on,
// for k from 1 to the number of processes. docs/reference/array.md has the figures.
//     mpiexec -n 8 bench/array/homes_starling [ELEMENTS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <starling/array/element.hpp>
#include <vector>

#include "timing.hpp"

namespace {

using namespace starling::array;

struct Cell : Element<Cell> {
  void move(int to) { migrate_to(to); }
  void hear() {}
  void serialize(Archive&) {}
};

/// Speaks to every cell once.
struct Speaker : Element<Speaker> {
  void speak(const Array<Cell>& to, int count) {
    for (int i = 0; i < count; ++i) to[(i + index() * count / session().size()) % count].send<&Cell::hear>();
  }
  void count(const Future<std::vector<double>>& to) {
    const Session::Counters now = session().counters();
    contribute(std::vector<double>{static_cast<double>(now.messages_sent), static_cast<double>(now.messages_forwarded)},
               Sum{}, to);
  }
  void serialize(Archive&) {}
};

struct Cost {
  double records = 0;
  double forwarded = 0;
  double time_s = 0;
};

/// Of all processes. Counting costs some records itself, as many each time.
std::vector<double> counts_of(Session& session, const Array<Speaker>& speakers) {
  Future<std::vector<double>> counts(session);
  speakers.broadcast<&Speaker::count>(counts);
  return counts.get();
}

template <class Body>
Cost cost_of(Session& session, const Array<Speaker>& speakers, Body&& body) {
  const std::vector<double> before = counts_of(session, speakers);
  const std::vector<double> again = counts_of(session, speakers);
  Cost cost;
  cost.time_s = seconds_of([&] {
    body();
    session.quiesce();
  });
  const std::vector<double> after = counts_of(session, speakers);
  cost.records = after[0] - again[0] - (again[0] - before[0]);
  cost.forwarded = after[1] - again[1];
  return cost;
}

void measure(Session& session, int homes, int elements) {
  Array<Cell> cells(session, {.homes = homes});
  Array<Speaker> speakers(session, session.size());
  session.run([&] {
    const Cost creation = cost_of(session, speakers, [&] {
      for (int i = 0; i < elements; ++i) cells[i].create();
    });
    const Cost move = cost_of(session, speakers, [&] {
      for (int i = 0; i < elements; ++i) cells[i].send<&Cell::move>((i * 7 + 1) % session.size());
    });
    const Cost first = cost_of(session, speakers, [&] { speakers.broadcast<&Speaker::speak>(cells, elements); });
    const double all = static_cast<double>(elements);
    const double messages = all * session.size();
    std::printf("%5d %10.2f %8.2f %10.2f %9.1f %% %8.2f %8.2f\n", homes, creation.records / all, move.records / all,
                first.records / messages, 100 * first.forwarded / messages, move.time_s * 1e6 / all,
                first.time_s * 1e6 / messages);
    std::fflush(stdout);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  const int elements = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5000;
  if (session.rank() == 0) {
    std::printf("%d processes, %d elements: records each, first messages that are sent on, us each\n", session.size(),
                elements);
    std::printf("homes   creation     move  a message    sent on  move us  message us\n");
  }
  for (int homes = 1; homes <= session.size(); homes *= 2) measure(session, homes, elements);
}
