// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The broadcast of a revocation with real ranks over both overlays, in alternation: mpiexec -n N overlays
// [REPETITIONS]. Who receives the word first passes it on to all that it is linked with: in the binomial graph, or in
// the fully connected overlay, where these are all others. Messages are those of MPI, so that they can be counted and
// nothing but the overlay differs. From the first send to the last first receipt, and to the last copy; then an
// allreduce.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "resilience/binomial_graph.hpp"

namespace {

struct Figures {
  std::vector<double> told, copies, reduce;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2] * 1e6;
}

double latest(double mine) {
  double last = 0;
  MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return last;
}

void spread(int me, const std::vector<std::int32_t>& linked, Figures& figures) {
  const int word = 1;
  std::vector<int> copies(linked.size());
  std::vector<MPI_Request> requests(linked.size());
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  // Everybody is sent one copy over each link.
  std::size_t came = 0;
  if (me != 0) MPI_Recv(&copies[came++], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double first = MPI_Wtime();
  for (std::size_t i = 0; i < linked.size(); ++i) {
    MPI_Isend(&word, 1, MPI_INT, linked[i], 1, MPI_COMM_WORLD, &requests[i]);
  }
  while (came < linked.size()) {
    MPI_Recv(&copies[came++], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  const double ended = MPI_Wtime();
  int sum = 0;
  MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const double reduced = MPI_Wtime();
  figures.told.push_back(latest(first - begin));
  figures.copies.push_back(latest(ended - begin));
  figures.reduce.push_back(latest(reduced - ended));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0;
  int count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 50;
  std::vector<std::int32_t> graph = starling::resilience::binomial_neighbors(me, count);
  std::vector<std::int32_t> others(static_cast<std::size_t>(count));
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + me);
  Figures over_graph;
  Figures over_all;
  for (int i = 0; i < repetitions; ++i) {
    spread(me, graph, over_graph);
    spread(me, others, over_all);
  }
  if (me == 0) {
    std::printf("%d ranks: messages, last told us, last copy us, allreduce after it us\n", count);
    const auto print = [&](const char* name, std::size_t degree, const Figures& figures) {
      std::printf("%-16s %8zu %10.1f %10.1f %10.1f\n", name, degree * static_cast<std::size_t>(count),
                  median(figures.told), median(figures.copies), median(figures.reduce));
    };
    print("binomial graph", graph.size(), over_graph);
    print("fully connected", others.size(), over_all);
  }
  MPI_Finalize();
  return 0;
}
