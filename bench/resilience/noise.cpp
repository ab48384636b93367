// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether failure tolerance disturbs a job outside of recovery: mpiexec [--survive] -n N noise [BLOCKS [recover]].
// Blocks of allreduces of 8 bytes and of a fixed piece of work; with "recover" ten communicators are revoked and shrunk
// between one block and the next. bench/resilience/noise.py runs pairs of jobs with and without --survive. Prints
// medians and 99th percentiles in us, of rank 0.
#include <mpi-ext.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kOperations = 2000;
constexpr int kPieces = 500;
constexpr int kRecoveries = 10;

struct Series {
  std::vector<double> values;

  [[nodiscard]] double at(double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))] * 1e6;
  }
};

/// Some 20 us of work that needs nothing but the core.
double work(double seed) {
  for (int i = 0; i < 20'000; ++i) seed = seed * 0.999 + 1e-3;
  return seed;
}

struct Measured {
  Series reduce, work;
  double kept = 0;  ///< so that the work is done

  void block() {
    MPI_Barrier(MPI_COMM_WORLD);
    double one = 1;
    double sum = 0;
    for (int i = 0; i < kOperations; ++i) {
      const double begin = MPI_Wtime();
      MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      reduce.values.push_back(MPI_Wtime() - begin);
    }
    for (int i = 0; i < kPieces; ++i) {
      const double begin = MPI_Wtime();
      kept += ::work(kept);
      work.values.push_back(MPI_Wtime() - begin);
    }
  }
};

void recover() {
  for (int i = 0; i < kRecoveries; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm smaller = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPIX_Comm_revoke(comm);
    MPIX_Comm_shrink(comm, &smaller);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&smaller);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 10;
  const bool recovers = argc > 2 && std::strcmp(argv[2], "recover") == 0;
  Measured before;
  Measured after;
  before.block();
  before = Measured();
  for (int i = 0; i < blocks; ++i) {
    before.block();
    if (recovers) recover();
    after.block();
  }
  if (me == 0) {
    const auto print = [](const char* when, Measured& measured) {
      std::printf("%s allreduce %.3f %.3f work %.3f %.3f\n", when, measured.reduce.at(0.5), measured.reduce.at(0.99),
                  measured.work.at(0.5), measured.work.at(0.99));
    };
    print("before", before);
    print("after", after);
  }
  const bool done = before.kept >= 0;
  MPI_Finalize();
  return done ? 0 : 1;
}
