// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What deaths cost a job: mpiexec --survive -n N failures [DEATHS [OPERATION [BYTES]]]. Each repetition works on
// duplicates of a communicator of those who live, and all figures of a repetition are taken after each other, so that
// they can be compared. OPERATION: allreduce (the default), barrier, bcast, reduce, allgather or alltoall, of BYTES (4)
// a member.
//
//   notice      a rank kills itself; the others wait for a message from it. From the kill to each waiting rank's error.
//   revoke      all but one call the operation until it fails (plan A); that one revokes instead. From the call to the
//               last rank's error.
//   1st..3rd    the first operations on another communicator after the revocation, beside an undisturbed one (plan B).
//   agree, shrink   with one dead, beside a barrier.
// Times are of CLOCK_MONOTONIC, which all ranks of a machine share. Source of plan A and B: Bouteiller, Bosilca,
// Dongarra, EuroMPI 2015.
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "collective_kinds.hpp"

namespace {

using starling::bench::Collective;

constexpr int kRepetitions = 30;

double now_us() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

struct Series {
  std::vector<double> values;

  void add(double value) { values.push_back(value); }
  [[nodiscard]] double at(double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  }
  void print(const char* name) {
    if (!values.empty()) std::printf("%-22s %10.1f %10.1f %10.1f us\n", name, at(0.5), at(0.0), at(1.0));
  }
};

struct Ranks {
  MPI_Comm comm;
  int me = 0;
  int count = 0;

  explicit Ranks(MPI_Comm c) : comm(c) {
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &count);
  }
  [[nodiscard]] MPI_Comm dup() const {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &made);
    return made;
  }
  [[nodiscard]] double latest(double mine) const {
    double last = 0;
    MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    return last;
  }
};

double timed(const Ranks& ranks, Collective& operation, MPI_Comm comm) {
  const double begin = now_us();
  operation(comm);
  return ranks.latest(now_us() - begin);
}

double timed_barrier(const Ranks& ranks) {
  MPI_Barrier(ranks.comm);
  const double begin = now_us();
  MPI_Barrier(ranks.comm);
  return ranks.latest(now_us() - begin);
}

struct Revoked {
  Series barrier, all_told, undisturbed, first, second, third;
};

void revoke_once(const Ranks& ranks, Collective& operation, Revoked& out) {
  MPI_Comm plan_a = ranks.dup();
  MPI_Comm plan_b = ranks.dup();
  timed(ranks, operation, plan_a);
  timed(ranks, operation, plan_b);
  out.barrier.add(timed_barrier(ranks));
  out.undisturbed.add(timed(ranks, operation, plan_b));
  MPI_Barrier(ranks.comm);
  double begin = 0;
  if (ranks.me == 0) {
    usleep(3000);  // until all the others wait
    begin = now_us();
    MPIX_Comm_revoke(plan_a);
  } else {
    // Who needs nothing of the others may end some.
    while (operation(plan_a) == MPI_SUCCESS) continue;
  }
  const double ended = now_us();
  double stamps[4];
  for (int i = 0; i < 3; ++i) {
    stamps[i] = now_us();
    operation(plan_b);
  }
  stamps[3] = now_us();
  const double last = ranks.latest(ended);
  MPI_Bcast(&begin, 1, MPI_DOUBLE, 0, ranks.comm);
  out.all_told.add(last - begin);
  // The first operation begins for all when the last has been told.
  out.first.add(ranks.latest(stamps[1]) - last);
  out.second.add(ranks.latest(stamps[2] - stamps[1]));
  out.third.add(ranks.latest(stamps[3] - stamps[2]));
  MPI_Comm_free(&plan_a);
  MPI_Comm_free(&plan_b);
}

struct Died {
  Series each, last, barrier, agree, shrink;
};

/// The last rank dies. A communicator of the others.
MPI_Comm die_once(const Ranks& ranks, Died& out) {
  double killed_at = 0;
  double told_at = 0;
  if (ranks.me == ranks.count - 1) {
    usleep(3000);
    killed_at = now_us();
    MPI_Send(&killed_at, 1, MPI_DOUBLE, 0, 2, ranks.comm);
    kill(getpid(), SIGKILL);
  }
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, ranks.count - 1, 1, ranks.comm, MPI_STATUS_IGNORE);
  told_at = now_us();
  if (ranks.me == 0) MPI_Recv(&killed_at, 1, MPI_DOUBLE, ranks.count - 1, 2, ranks.comm, MPI_STATUS_IGNORE);
  MPIX_Comm_failure_ack(ranks.comm);
  int flag = 1;
  MPIX_Comm_agree(ranks.comm, &flag);
  const double agree_from = now_us();
  MPIX_Comm_agree(ranks.comm, &flag);
  const double agreed = now_us() - agree_from;
  MPI_Comm smaller = MPI_COMM_NULL;
  const double shrink_from = now_us();
  MPIX_Comm_shrink(ranks.comm, &smaller);
  const double shrunk = now_us() - shrink_from;
  const Ranks left(smaller);
  timed_barrier(left);
  MPI_Bcast(&killed_at, 1, MPI_DOUBLE, 0, smaller);
  std::vector<double> all(static_cast<std::size_t>(left.count));
  const double mine = told_at - killed_at;
  MPI_Gather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, smaller);
  for (const double one : all) out.each.add(one);
  out.last.add(left.latest(mine));
  out.agree.add(left.latest(agreed));
  out.shrink.add(left.latest(shrunk));
  out.barrier.add(timed_barrier(left));
  return smaller;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Ranks all(MPI_COMM_WORLD);
  const int deaths = argc > 1 ? std::atoi(argv[1]) : all.count / 4;
  const std::string name = argc > 2 ? argv[2] : "allreduce";
  const auto& names = Collective::names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    if (all.me == 0) std::fprintf(stderr, "failures: there is no operation %s\n", name.c_str());
    MPI_Finalize();
    return 2;
  }
  Collective operation(name, argc > 3 ? std::atoi(argv[3]) : 4, all.count);
  Revoked revoked;
  for (int i = 0; i < kRepetitions; ++i) revoke_once(all, operation, revoked);
  Died died;
  MPI_Comm comm = MPI_COMM_WORLD;
  for (int i = 0; i < deaths; ++i) comm = die_once(Ranks(comm), died);
  if (all.me == 0) {
    std::printf("%d ranks, %s of %d bytes, then %d deaths: median, min, max\n", all.count, name.c_str(),
                operation.bytes(), deaths);
    revoked.barrier.print("barrier");
    revoked.all_told.print("revoke, last told");
    std::printf("%-22s %10.2f\n", "  in barriers", revoked.all_told.at(0.5) / revoked.barrier.at(0.5));
    revoked.undisturbed.print("operation before");
    revoked.first.print("first after");
    revoked.second.print("second after");
    revoked.third.print("third after");
    died.each.print("death noticed, each");
    died.last.print("death noticed, last");
    died.barrier.print("barrier of survivors");
    died.agree.print("agree, one dead");
    died.shrink.print("shrink, one dead");
    if (deaths > 0) {
      std::printf("%-22s %10.2f %10.2f\n", "  in barriers", died.agree.at(0.5) / died.barrier.at(0.5),
                  died.shrink.at(0.5) / died.barrier.at(0.5));
    }
  }
  MPI_Finalize();
  return 0;
}
