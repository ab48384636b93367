// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A rank dies in each collective operation, in its blocking, nonblocking and persistent form. Every round has one
// operation and one death: all go round in calls of it until one member kills itself at a random moment, the others
// have the error, shrink and go on with the next.
//   mpiexec --survive -n N resilience_collectives SEED FIRST FORM
// FIRST: of N - 2 rounds. FORM: blocking, nonblocking or persistent. "count" instead prints how many operations there
// are.
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kCount = 300;  // of each block: too much for the short ways, little enough for many rounds

/// Buffers and counts for any operation, and a communicator with a ring as its topology.
struct Round {
  MPI_Comm comm;
  int rank = 0;
  int size = 0;
  std::vector<int> in;
  std::vector<int> out;
  std::vector<int> counts;
  std::vector<int> places;
  std::vector<int> byte_places;
  std::vector<MPI_Aint> far_places;
  std::vector<MPI_Datatype> types;

  explicit Round(MPI_Comm c) : comm(c) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const auto ranks = static_cast<std::size_t>(size);
    in.assign(kCount * ranks, 1);
    out.assign(kCount * ranks, 0);
    counts.assign(ranks, kCount);
    types.assign(ranks, MPI_INT);
    for (int i = 0; i < size; ++i) {
      places.push_back(i * kCount);
      byte_places.push_back(i * kCount * static_cast<int>(sizeof(int)));
      far_places.push_back(byte_places.back());
    }
  }
};

enum class Form { kBlocking, kNonblocking, kPersistent };

int finish(int code, MPI_Request* request, Form form) {
  // A persistent operation is begun again and again until it fails.
  do {
    if (form == Form::kPersistent && code == MPI_SUCCESS) code = MPI_Start(request);
    if (code == MPI_SUCCESS) code = MPI_Wait(request, MPI_STATUS_IGNORE);
  } while (form == Form::kPersistent && code == MPI_SUCCESS);
  if (form == Form::kPersistent && *request != MPI_REQUEST_NULL) MPI_Request_free(request);
  return code;
}

struct Operation {
  const char* name;
  std::function<int(Round&, Form)> call;
};

/// An operation in its three forms, with the arguments that they have in common.
#define OPERATION(name, ...)                                                                          \
  Operation {                                                                                         \
#name, [](Round& r, Form form) {                                                                    \
      MPI_Request request = MPI_REQUEST_NULL;                                                           \
      if (form == Form::kBlocking) return MPI_##name(__VA_ARGS__);                                      \
      if (form == Form::kNonblocking) return finish(MPI_I##name(__VA_ARGS__, &request), &request, form); \
      return finish(MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request), &request, form);           \
    } \
  }
// The names of the nonblocking forms begin in small letters.
#define MPI_IBarrier MPI_Ibarrier
#define MPI_IBcast MPI_Ibcast
#define MPI_IReduce MPI_Ireduce
#define MPI_IAllreduce MPI_Iallreduce
#define MPI_IGather MPI_Igather
#define MPI_IGatherv MPI_Igatherv
#define MPI_IScatter MPI_Iscatter
#define MPI_IScatterv MPI_Iscatterv
#define MPI_IAllgather MPI_Iallgather
#define MPI_IAllgatherv MPI_Iallgatherv
#define MPI_IAlltoall MPI_Ialltoall
#define MPI_IAlltoallv MPI_Ialltoallv
#define MPI_IAlltoallw MPI_Ialltoallw
#define MPI_IReduce_scatter MPI_Ireduce_scatter
#define MPI_IReduce_scatter_block MPI_Ireduce_scatter_block
#define MPI_IScan MPI_Iscan
#define MPI_IExscan MPI_Iexscan
#define MPI_INeighbor_allgather MPI_Ineighbor_allgather
#define MPI_INeighbor_allgatherv MPI_Ineighbor_allgatherv
#define MPI_INeighbor_alltoall MPI_Ineighbor_alltoall
#define MPI_INeighbor_alltoallv MPI_Ineighbor_alltoallv
#define MPI_INeighbor_alltoallw MPI_Ineighbor_alltoallw

const int* ones(Round& r) { return r.in.data(); }

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {
      OPERATION(Barrier, r.comm),
      OPERATION(Bcast, r.out.data(), kCount, MPI_INT, r.size - 1, r.comm),
      OPERATION(Reduce, ones(r), r.out.data(), kCount, MPI_INT, MPI_SUM, 0, r.comm),
      OPERATION(Allreduce, ones(r), r.out.data(), kCount, MPI_INT, MPI_SUM, r.comm),
      OPERATION(Gather, ones(r), kCount, MPI_INT, r.out.data(), kCount, MPI_INT, 0, r.comm),
      OPERATION(Gatherv, ones(r), kCount, MPI_INT, r.out.data(), r.counts.data(), r.places.data(), MPI_INT, 0, r.comm),
      OPERATION(Scatter, ones(r), kCount, MPI_INT, r.out.data(), kCount, MPI_INT, 0, r.comm),
      OPERATION(Scatterv, ones(r), r.counts.data(), r.places.data(), MPI_INT, r.out.data(), kCount, MPI_INT, 0, r.comm),
      OPERATION(Allgather, ones(r), kCount, MPI_INT, r.out.data(), kCount, MPI_INT, r.comm),
      OPERATION(Allgatherv, ones(r), kCount, MPI_INT, r.out.data(), r.counts.data(), r.places.data(), MPI_INT, r.comm),
      OPERATION(Alltoall, ones(r), kCount, MPI_INT, r.out.data(), kCount, MPI_INT, r.comm),
      OPERATION(Alltoallv, ones(r), r.counts.data(), r.places.data(), MPI_INT, r.out.data(), r.counts.data(),
                r.places.data(), MPI_INT, r.comm),
      OPERATION(Alltoallw, ones(r), r.counts.data(), r.byte_places.data(), r.types.data(), r.out.data(),
                r.counts.data(), r.byte_places.data(), r.types.data(), r.comm),
      OPERATION(Reduce_scatter, ones(r), r.out.data(), r.counts.data(), MPI_INT, MPI_SUM, r.comm),
      OPERATION(Reduce_scatter_block, ones(r), r.out.data(), kCount, MPI_INT, MPI_SUM, r.comm),
      OPERATION(Scan, ones(r), r.out.data(), kCount, MPI_INT, MPI_SUM, r.comm),
      OPERATION(Exscan, ones(r), r.out.data(), kCount, MPI_INT, MPI_SUM, r.comm),
      OPERATION(Neighbor_allgather, ones(r), kCount, MPI_INT, r.out.data(), kCount, MPI_INT, r.comm),
      OPERATION(Neighbor_allgatherv, ones(r), kCount, MPI_INT, r.out.data(), r.counts.data(), r.places.data(), MPI_INT,
                r.comm),
      OPERATION(Neighbor_alltoall, ones(r), kCount, MPI_INT, r.out.data(), kCount, MPI_INT, r.comm),
      OPERATION(Neighbor_alltoallv, ones(r), r.counts.data(), r.places.data(), MPI_INT, r.out.data(), r.counts.data(),
                r.places.data(), MPI_INT, r.comm),
      OPERATION(Neighbor_alltoallw, ones(r), r.counts.data(), r.far_places.data(), r.types.data(), r.out.data(),
                r.counts.data(), r.far_places.data(), r.types.data(), r.comm),
  };
  return all;
}

int class_of(int code) {
  int error_class = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  return error_class;
}

void kill_me_after_us(long us) {
  struct sigevent event {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer{};
  itimerspec when{};
  when.it_value.tv_nsec = (us + 1) * 1000;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &when, nullptr);
}

/// True when the survivors had the right error.
bool lose_one(MPI_Comm ring, const Operation& operation, Form form, std::mt19937& random) {
  Round round(ring);
  const int victim = static_cast<int>(random() % static_cast<unsigned>(round.size));
  const long moment_us = static_cast<long>(random() % 3000);
  int together = 1;
  MPIX_Comm_agree(ring, &together);  // nobody dies before all have the ring
  if (round.rank == victim) kill_me_after_us(moment_us);
  int code = MPI_SUCCESS;
  while (code == MPI_SUCCESS) code = operation.call(round, form);
  // A root or a leaf may be through before the others know: they wait for it in vain until it revokes.
  MPIX_Comm_revoke(ring);
  const int error_class = class_of(code);
  if (error_class == MPIX_ERR_PROC_FAILED || error_class == MPIX_ERR_REVOKED) return true;
  std::fprintf(stderr, "%s: rank %d of %d, victim %d after %ld us: class %d\n", operation.name, round.rank, round.size,
               victim, moment_us, error_class);
  return false;
}

/// A ring over the living members.
MPI_Comm ring_of_survivors(MPI_Comm comm) {
  MPI_Comm left = MPI_COMM_NULL;
  MPI_Comm ring = MPI_COMM_NULL;
  if (MPIX_Comm_shrink(comm, &left) != MPI_SUCCESS) return MPI_COMM_NULL;
  int size = 0;
  const int around = 1;
  MPI_Comm_size(left, &size);
  MPI_Cart_create(left, 1, &size, &around, 0, &ring);
  MPI_Comm_free(&left);
  return ring;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return std::printf("%zu\n", operations().size()), 0;
  if (argc != 4) return 2;
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[1])));  // the same draws everywhere
  const auto first = static_cast<std::size_t>(std::atoi(argv[2]));
  const std::string name = argv[3];
  const Form form = name == "blocking"      ? Form::kBlocking
                    : name == "nonblocking" ? Form::kNonblocking
                                            : Form::kPersistent;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bool right = true;
  MPI_Comm ring = ring_of_survivors(MPI_COMM_WORLD);
  for (int left = size; left > 2 && ring != MPI_COMM_NULL; --left) {
    const std::size_t which = (first + static_cast<std::size_t>(size - left)) % operations().size();
    right = lose_one(ring, operations()[which], form, random) && right;
    MPI_Comm next = ring_of_survivors(ring);
    MPI_Comm_free(&ring);
    ring = next;
  }
  int survivors = 0;
  if (ring != MPI_COMM_NULL) MPI_Comm_size(ring, &survivors);
  if (survivors != 2) std::fprintf(stderr, "%d survivors instead of 2\n", survivors);
  if (ring != MPI_COMM_NULL) MPI_Comm_free(&ring);
  MPI_Finalize();
  return right && survivors == 2 ? 0 : 1;
}
