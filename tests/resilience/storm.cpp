// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One job of the storm: random calls, all checked, while some ranks are killed at random moments of them. Who gets an
// error revokes the communicator; after each call the ranks agree whether it went well everywhere, and if not they
// shrink and go on, until all victims are gone. At the end come rounds in which everything succeeds.
//
//   mpiexec --survive -n P resilience_storm SEED VICTIMS SPAN_US WHEN    WHEN: inside, init or finalize
//
// Over hosts (tests/hosts/survive_storm.py) STORM_HOSTS says which rank is the first of each, "h1:0,h2:3", and
// STORM_LOST which ranks, first and last, somebody else kills together with their host. With STORM_MORE others may be
// lost as well.
//
// Exit status of a survivor: 0; 1 after a wrong result or an error that is not about deaths.
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

int world_rank = 0;
std::uint64_t seed = 0;

[[noreturn]] void wrong(const char* what, int detail) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(detail, text, &length);
  std::fprintf(stderr, "storm, seed %llu, rank %d: %s (%d: %s)\n", static_cast<unsigned long long>(seed), world_rank,
               what, detail, text);
  _exit(1);
}

/// The kernel kills this process, wherever it is then.
void die_after_us(long microseconds) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer{};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  itimerspec when{};
  when.it_value.tv_sec = microseconds / 1'000'000;
  when.it_value.tv_nsec = std::max(microseconds % 1'000'000 * 1000, 1L);
  timer_settime(timer, 0, &when, nullptr);
}

struct Round {
  MPI_Comm comm;
  int rank;
  int size;
  std::uint64_t draw;  ///< the same on every rank of the communicator
};

int next_to(const Round& r, int step) { return (r.rank + step + r.size) % r.size; }

/// Completes what a failed round has left under way: revoked, everything ends.
int give_up(const Round& r, int code, std::vector<MPI_Request>& requests) {
  MPIX_Comm_revoke(r.comm);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (const MPI_Request request : requests) {
    if (request != MPI_REQUEST_NULL) wrong("a request outlives its communicator", MPI_SUCCESS);
  }
  return code;
}

int first_failure(int code, const std::vector<MPI_Status>& statuses) {
  if (code != MPI_ERR_IN_STATUS) return code;
  for (const MPI_Status& status : statuses) {
    if (status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING) return status.MPI_ERROR;
  }
  return code;
}

int wait_all(const Round& r, std::vector<MPI_Request>& requests) {
  std::vector<MPI_Status> statuses(requests.size());
  const int code = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  return code == MPI_SUCCESS ? code : give_up(r, first_failure(code, statuses), requests);
}

int ring(const Round& r) {
  const std::size_t count = std::size_t{1} << (r.draw % 17);
  std::vector<int> out(count, r.rank);
  std::vector<int> in(count, -1);
  const int code = MPI_Sendrecv(out.data(), static_cast<int>(count), MPI_INT, next_to(r, 1), 1, in.data(),
                                static_cast<int>(count), MPI_INT, next_to(r, -1), 1, r.comm, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS && (in.front() != next_to(r, -1) || in.back() != in.front())) wrong("ring", code);
  return code;
}

int everybody_to_everybody(const Round& r) {
  const std::size_t count = std::size_t{1} << (r.draw % 13);
  std::vector<int> out(count, r.rank);
  std::vector<int> in(count * static_cast<std::size_t>(r.size), -1);
  std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(r.size), MPI_REQUEST_NULL);
  for (int peer = 0; peer < r.size; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    int code = MPI_Irecv(&in[at * count], static_cast<int>(count), MPI_INT, peer, 2, r.comm, &requests[2 * at]);
    if (code == MPI_SUCCESS) {
      code = MPI_Isend(out.data(), static_cast<int>(count), MPI_INT, peer, 2, r.comm, &requests[2 * at + 1]);
    }
    if (code != MPI_SUCCESS) return give_up(r, code, requests);
  }
  const int code = wait_all(r, requests);
  for (int peer = 0; code == MPI_SUCCESS && peer < r.size; ++peer) {
    if (in[static_cast<std::size_t>(peer) * count] != peer) wrong("everybody to everybody", peer);
  }
  return code;
}

int many_to_one(const Round& r) {
  const int root = static_cast<int>(r.draw % static_cast<std::uint64_t>(r.size));
  if (r.rank != root) return MPI_Ssend(&r.rank, 1, MPI_INT, root, 3, r.comm);
  int sum = 0;
  for (int i = 1; i < r.size; ++i) {
    int from = -1;
    std::vector<MPI_Request> request(1, MPI_REQUEST_NULL);
    if (i % 2 == 0) {
      const int code = MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 3, r.comm, MPI_STATUS_IGNORE);
      if (code != MPI_SUCCESS) return code;
    } else {
      int code = MPI_Irecv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 3, r.comm, request.data());
      if (code == MPI_SUCCESS) code = MPI_Wait(request.data(), MPI_STATUS_IGNORE);
      if (code != MPI_SUCCESS) return give_up(r, code, request);
    }
    sum += from;
  }
  if (sum != r.size * (r.size - 1) / 2 - root) wrong("many to one", sum);
  return MPI_SUCCESS;
}

int allreduce(const Round& r) {
  const std::size_t count = std::size_t{1} << (r.draw % 15);
  std::vector<int> in(count, 1);
  std::vector<int> out(count, 0);
  int code = MPI_SUCCESS;
  if (r.draw / 32 % 2 == 0) {
    code = MPI_Allreduce(in.data(), out.data(), static_cast<int>(count), MPI_INT, MPI_SUM, r.comm);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    code = MPI_Iallreduce(in.data(), out.data(), static_cast<int>(count), MPI_INT, MPI_SUM, r.comm, &request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (code == MPI_SUCCESS && (out.front() != r.size || out.back() != r.size)) wrong("allreduce", out.front());
  return code;
}

int bcast(const Round& r) {
  const int root = static_cast<int>(r.draw % static_cast<std::uint64_t>(r.size));
  std::vector<int> data(std::size_t{1} << (r.draw / 64 % 16), r.rank == root ? 11 : 0);
  const int code = MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_INT, root, r.comm);
  if (code == MPI_SUCCESS && (data.front() != 11 || data.back() != 11)) wrong("bcast", data.front());
  return code;
}

int alltoall(const Round& r) {
  const std::size_t count = std::size_t{1} << (r.draw % 11);
  std::vector<int> in(count * static_cast<std::size_t>(r.size), r.rank);
  std::vector<int> out(in.size(), -1);
  const int each = static_cast<int>(count);
  const int code = MPI_Alltoall(in.data(), each, MPI_INT, out.data(), each, MPI_INT, r.comm);
  for (int peer = 0; code == MPI_SUCCESS && peer < r.size; ++peer) {
    if (out[static_cast<std::size_t>(peer) * count] != peer) wrong("alltoall", peer);
  }
  return code;
}

int gather_and_scatter(const Round& r) {
  const int root = static_cast<int>(r.draw % static_cast<std::uint64_t>(r.size));
  std::vector<int> all(static_cast<std::size_t>(r.size), -1);
  int mine = -1;
  int code = MPI_Gather(&r.rank, 1, MPI_INT, all.data(), 1, MPI_INT, root, r.comm);
  if (code == MPI_SUCCESS) code = MPI_Scatter(all.data(), 1, MPI_INT, &mine, 1, MPI_INT, root, r.comm);
  if (code == MPI_SUCCESS && mine != r.rank) wrong("gather and scatter", mine);
  return code;
}

int duplicate(const Round& r) {
  MPI_Comm copy = MPI_COMM_NULL;
  int code = r.draw % 2 == 0 ? MPI_Comm_dup(r.comm, &copy) : MPI_Comm_split(r.comm, r.rank % 2, 0, &copy);
  if (code != MPI_SUCCESS) MPIX_Comm_revoke(r.comm);
  // Some may have it and others not: to use it then would be to wait for those who do not know it.
  int everywhere = code == MPI_SUCCESS ? 1 : 0;
  const int agreed = MPIX_Comm_agree(r.comm, &everywhere);
  int one = 1;
  int sum = 0;
  if (everywhere != 0) code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
  if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
  return code != MPI_SUCCESS ? code : agreed;
}

int window(const Round& r) {
  MPI_Win win = MPI_WIN_NULL;
  int* memory = nullptr;
  int code = MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, r.comm, &memory, &win);
  if (code != MPI_SUCCESS) return code;
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  *memory = 0;
  const int one = 1;
  code = MPI_Win_fence(0, win);
  if (code == MPI_SUCCESS && r.draw % 2 == 0) {
    code = MPI_Accumulate(&one, 1, MPI_INT, next_to(r, 1), 0, 1, MPI_INT, MPI_SUM, win);
    if (code == MPI_SUCCESS) code = MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (code == MPI_SUCCESS && *memory != 1) wrong("window", *memory);
  } else if (code == MPI_SUCCESS) {
    code = MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (code == MPI_SUCCESS) code = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (code == MPI_SUCCESS) code = MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (code == MPI_SUCCESS) code = MPI_Win_unlock(0, win);
  }
  if (code != MPI_SUCCESS) MPIX_Win_revoke(win);
  const int freed = MPI_Win_free(&win);
  return code != MPI_SUCCESS ? code : freed;
}

int agree(const Round& r) {
  int flag = 3;
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPIX_Comm_iagree(r.comm, &flag, &request);
  if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (flag != 3) wrong("agree", flag);
  return code;
}

int barrier(const Round& r) { return MPI_Barrier(r.comm); }

using Step = int (*)(const Round&);
constexpr Step kSteps[] = {ring,  everybody_to_everybody, many_to_one, allreduce, bcast, barrier, alltoall,
                           agree, gather_and_scatter,     duplicate,   window};

bool is_about_deaths(int code) {
  int error_class = code;
  MPI_Error_class(code, &error_class);
  return error_class == MPIX_ERR_PROC_FAILED || error_class == MPIX_ERR_PROC_FAILED_PENDING ||
         error_class == MPIX_ERR_REVOKED;
}

MPI_Comm recover(MPI_Comm comm) {
  MPI_Comm smaller = MPI_COMM_NULL;
  const int code = MPIX_Comm_shrink(comm, &smaller);
  if (code != MPI_SUCCESS) wrong("shrink fails", code);
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  return smaller;
}

void weather(int expected) {
  constexpr int kLastRounds = 5;
  const bool may_lose_more = std::getenv("STORM_MORE") != nullptr;
  MPI_Comm comm = MPI_COMM_WORLD;
  for (std::uint64_t round = 0, quiet = 0; quiet < kLastRounds; ++round) {
    Round r{comm, 0, 0, 0};
    MPI_Comm_rank(comm, &r.rank);
    MPI_Comm_size(comm, &r.size);
    std::mt19937_64 draw(seed * 1000003 + round * 101 + static_cast<std::uint64_t>(r.size));
    const Step step = kSteps[draw() % std::size(kSteps)];
    r.draw = draw();
    int code = step(r);
    if (code != MPI_SUCCESS && !is_about_deaths(code)) wrong("an error that is not about deaths", code);
    if (code != MPI_SUCCESS) MPIX_Comm_revoke(comm);
    int well = code == MPI_SUCCESS ? 1 : 0;
    const int agreed = MPIX_Comm_agree(comm, &well);
    if (agreed != MPI_SUCCESS && !is_about_deaths(agreed)) wrong("agree fails", agreed);
    if (well != 0 && agreed == MPI_SUCCESS) {
      if (r.size == expected || (may_lose_more && r.size < expected)) ++quiet;
      continue;
    }
    if (r.size == expected && !may_lose_more) wrong("an error when all victims are gone", code);
    comm = recover(comm);
    round = 0;
  }
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
}

/// The world rank, before MPI_Init: the launcher counts the ranks of each host.
int early_rank() {
  const char* text = std::getenv("STARLING_JOB_RANK");
  const int local = text != nullptr ? std::atoi(text) : 0;
  const char* hosts = std::getenv("STORM_HOSTS");
  char name[256] = "";
  if (hosts == nullptr || gethostname(name, sizeof name - 1) != 0) return local;
  const std::string all = "," + std::string(hosts);
  const std::string own = "," + std::string(name) + ":";
  const std::size_t at = all.find(own);
  return at == std::string::npos ? local : local + std::atoi(all.c_str() + at + own.size());
}

/// Whether a rank is killed with its host.
bool is_lost(int rank) {
  const char* range = std::getenv("STORM_LOST");
  int first = 0;
  int last = -1;
  return range != nullptr && std::sscanf(range, "%d-%d", &first, &last) == 2 && first <= rank && rank <= last;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  seed = std::strtoull(argv[1], nullptr, 10);
  const int victims = std::atoi(argv[2]);
  const long span_us = std::max(std::atol(argv[3]), 1L);
  const std::string when = argv[4];
  world_rank = early_rank();
  const char* ranks = std::getenv("STORM_RANKS");
  const int size = ranks != nullptr ? std::atoi(ranks) : 1;
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 choice(seed);
  std::shuffle(order.begin(), order.end(), choice);
  const auto place = std::find(order.begin(), order.end(), world_rank) - order.begin();
  const bool victim = place < victims;
  std::mt19937_64 own(seed * 31 + static_cast<std::uint64_t>(world_rank));
  const long moment_us = static_cast<long>(own() % static_cast<std::uint64_t>(span_us));
  if (victim && when == "init") die_after_us(moment_us);
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (victim && when != "init") die_after_us(moment_us);
  const auto survivors = std::count_if(order.begin() + victims, order.end(), [](int rank) { return !is_lost(rank); });
  if (when != "finalize") weather(static_cast<int>(survivors));
  const int code = MPI_Finalize();
  if (code != MPI_SUCCESS) wrong("finalize fails", code);
  return 0;
}
