// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What survivors see when a rank dies, one case for each kind of call: mpiexec --survive -n N resilience_survivors
// CASE. The exit status of the job is that of its survivors.
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

int rank = 0;
int size = 0;
int wrong = 0;

void expect(bool good, const char* text, int line) {
  if (good) return;
  ++wrong;
  std::fprintf(stderr, "survivors.cpp:%d: rank %d of %d: not so: %s\n", line, rank, size, text);
}
#define EXPECT(condition) expect(static_cast<bool>(condition), #condition, __LINE__)

void expect_class(int code, int expected, const char* text, int line) {
  int error_class = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  if (error_class == expected) return;
  ++wrong;
  std::fprintf(stderr, "survivors.cpp:%d: rank %d of %d: %s gives %d instead of %d\n", line, rank, size, text,
               error_class, expected);
}
#define EXPECT_CLASS(call, expected) expect_class((call), (expected), #call, __LINE__)
#define EXPECT_OK(call) EXPECT_CLASS(call, MPI_SUCCESS)

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  while (true) pause();
}

void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

/// Waits until this process has heard of so many deaths.
void wait_for_deaths(MPI_Comm comm, int count) {
  int dead = 0;
  while (dead < count) {
    MPI_Group group = MPI_GROUP_NULL;
    EXPECT_OK(MPIX_Comm_get_failed(comm, &group));
    MPI_Group_size(group, &dead);
    if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
  }
}

/// Nobody goes on before all survivors have come.
void meet_survivors() {
  EXPECT_OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
  int flag = 1;
  EXPECT_OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
}

/// Nobody goes on before all have come, and who dies afterwards does not fail the call at the others: an agreement that
/// has been reached stays reached. After a barrier or MPI_Comm_dup they could still be in it.
void meet_all() {
  int flag = 1;
  EXPECT_OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
}

/// The last rank dies; the others go on behind, some of them before they know of it.
const int kVictimFromEnd = 1;
int victim() { return size - kVictimFromEnd; }

void receives() {
  if (rank == victim()) {
    int last_words = 7;
    MPI_Send(&last_words, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    die();
  }
  int value = 0;
  MPI_Request early = MPI_REQUEST_NULL;
  EXPECT_OK(MPI_Irecv(&value, 1, MPI_INT, victim(), 1, MPI_COMM_WORLD, &early));
  EXPECT_CLASS(MPI_Recv(&value, 1, MPI_INT, victim(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  EXPECT_CLASS(MPI_Wait(&early, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  EXPECT(early == MPI_REQUEST_NULL);
  if (rank == 0) {
    // What the dead had sent before is still to be had.
    EXPECT_OK(MPI_Recv(&value, 1, MPI_INT, victim(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    EXPECT(value == 7);
  }
  // Survivors still talk.
  const int survivors = size - 1;
  int from = -1;
  EXPECT_OK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % survivors, 3, &from, 1, MPI_INT,
                         (rank + survivors - 1) % survivors, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  EXPECT(from == (rank + survivors - 1) % survivors);
}

void wildcards() {
  if (rank == victim()) die();
  int value = -1;
  MPI_Request any = MPI_REQUEST_NULL;
  EXPECT_OK(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &any));
  EXPECT_CLASS(MPI_Wait(&any, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED_PENDING);
  EXPECT(any != MPI_REQUEST_NULL);
  int other = 0;
  EXPECT_CLASS(MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
               MPIX_ERR_PROC_FAILED);
  EXPECT_OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
  MPI_Group dead = MPI_GROUP_NULL;
  EXPECT_OK(MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &dead));
  int count = 0;
  MPI_Group_size(dead, &count);
  EXPECT(count == 1);
  MPI_Group everybody = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &everybody);
  int first = 0;
  int in_world = -1;
  MPI_Group_translate_ranks(dead, 1, &first, everybody, &in_world);
  EXPECT(in_world == victim());
  MPI_Group_free(&dead);
  MPI_Group_free(&everybody);
  meet_survivors();
  const int survivors = size - 1;
  EXPECT_OK(MPI_Send(&rank, 1, MPI_INT, (rank + 1) % survivors, 1, MPI_COMM_WORLD));
  MPI_Status status;
  EXPECT_OK(MPI_Wait(&any, &status));
  EXPECT(status.MPI_SOURCE == (rank + survivors - 1) % survivors && value == status.MPI_SOURCE);
  int acked = -1;
  EXPECT_OK(MPIX_Comm_ack_failed(MPI_COMM_WORLD, 0, &acked));
  EXPECT(acked == 1);
}

void sends() {
  if (rank == victim()) {
    sleep_ms(20);
    die();
  }
  std::vector<char> large(1 << 20);
  EXPECT_CLASS(MPI_Ssend(&rank, 1, MPI_INT, victim(), 1, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED);
  EXPECT_CLASS(MPI_Send(large.data(), 1 << 20, MPI_CHAR, victim(), 1, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED);
  EXPECT_CLASS(MPI_Send(&rank, 1, MPI_INT, victim(), 1, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED);
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_OK(MPI_Isend(large.data(), 1 << 20, MPI_CHAR, victim(), 1, MPI_COMM_WORLD, &request));
  EXPECT_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  EXPECT_OK(MPI_Send_init(&rank, 1, MPI_INT, victim(), 1, MPI_COMM_WORLD, &request));
  EXPECT_OK(MPI_Start(&request));
  EXPECT_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  MPI_Request_free(&request);
}

void probes() {
  if (rank == victim()) {
    sleep_ms(20);
    die();
  }
  MPI_Message message = MPI_MESSAGE_NULL;
  EXPECT_CLASS(MPI_Probe(victim(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  EXPECT_CLASS(MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  int flag = 1;
  EXPECT_CLASS(MPI_Iprobe(victim(), 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  EXPECT_CLASS(
      MPI_Sendrecv(&rank, 1, MPI_INT, rank, 1, &flag, 1, MPI_INT, victim(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
      MPIX_ERR_PROC_FAILED);
}

void communicators() {
  if (rank == victim()) {
    sleep_ms(20);
    die();
  }
  wait_for_deaths(MPI_COMM_WORLD, 1);
  MPI_Comm made = MPI_COMM_NULL;
  EXPECT_CLASS(MPI_Comm_dup(MPI_COMM_WORLD, &made), MPIX_ERR_PROC_FAILED);
  EXPECT(made == MPI_COMM_NULL);
  EXPECT_CLASS(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &made), MPIX_ERR_PROC_FAILED);
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
  EXPECT_CLASS(code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  MPI_Win win = MPI_WIN_NULL;
  int memory = 0;
  EXPECT_CLASS(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPIX_ERR_PROC_FAILED);
}

/// A communicator of living members is made although others of the parent are dead, and not of dead ones: nobody waits
/// for ever, whatever place in the tree of messages the dead have.
void groups() {
  if (rank == victim()) {
    sleep_ms(20);
    die();
  }
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group living = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int dead = victim();
  MPI_Group_excl(world, 1, &dead, &living);
  wait_for_deaths(MPI_COMM_WORLD, 1);
  MPI_Comm made = MPI_COMM_NULL;
  EXPECT_OK(MPI_Comm_create_group(MPI_COMM_WORLD, living, 3, &made));
  int one = 1;
  int sum = 0;
  EXPECT_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made));
  EXPECT(sum == size - 1);
  EXPECT_OK(MPI_Comm_free(&made));
  for (int first = 0; first < size; ++first) {
    // Each member in turn stands where the messages begin.
    std::vector<int> turned;
    for (int i = 0; i < size; ++i) turned.push_back((first + i) % size);
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group_incl(world, size, turned.data(), &all);
    const int code = MPI_Comm_create_group(MPI_COMM_WORLD, all, 10 + first, &made);
    // Those whom no message from the dead or to the dead concerns may have it.
    if (code != MPI_SUCCESS) EXPECT_CLASS(code, MPIX_ERR_PROC_FAILED);
    if (first == dead) EXPECT_CLASS(code, MPIX_ERR_PROC_FAILED);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    MPI_Group_free(&all);
  }
  EXPECT_OK(MPI_Comm_create_from_group(living, "org.example.survivors", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made));
  EXPECT_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made));
  EXPECT(sum == size - 1);
  EXPECT_OK(MPI_Comm_free(&made));
  MPI_Group_free(&living);
  MPI_Group_free(&world);
}

/// Even ranks on one side, odd ones on the other: the victim is missing on its side, until that side has nobody left.
void intercommunicators() {
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  EXPECT_OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side));
  EXPECT_OK(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both));
  EXPECT_OK(MPI_Barrier(both));
  meet_all();
  if (rank == victim()) {
    sleep_ms(20);
    die();
  }
  int token = 0;
  if (rank % 2 != victim() % 2) {
    int there = 0;
    MPI_Comm_remote_size(both, &there);
    const int code = MPI_Recv(&token, 1, MPI_INT, there - 1, 1, both, MPI_STATUS_IGNORE);
    int revoked = 0;
    EXPECT_OK(MPIX_Comm_is_revoked(both, &revoked));  // another may have been faster
    EXPECT_CLASS(code, revoked != 0 && code == MPI_ERR_REVOKED ? MPI_ERR_REVOKED : MPI_ERR_PROC_FAILED);
    EXPECT_OK(MPI_Comm_revoke(both));
  } else {
    EXPECT_CLASS(MPI_Recv(&token, 1, MPI_INT, 0, 1, both, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  }
  int flag = rank;
  EXPECT_CLASS(MPIX_Comm_agree(both, &flag), MPIX_ERR_PROC_FAILED);
  EXPECT(flag == 0);
  MPI_Comm left = MPI_COMM_NULL;
  EXPECT_OK(MPIX_Comm_shrink(both, &left));
  int here = 0;
  int there = 0;
  MPI_Comm_size(left, &here);
  MPI_Comm_remote_size(left, &there);
  EXPECT(here + there == size - 1);
  EXPECT_OK(MPI_Barrier(left));
  const int one = 1;
  int sum = 0;
  EXPECT_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, left));
  EXPECT(sum == there);
  MPI_Comm merged = MPI_COMM_NULL;
  EXPECT_OK(MPI_Intercomm_merge(left, 0, &merged));
  EXPECT_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, merged));
  EXPECT(sum == size - 1);
  EXPECT_OK(MPIX_Comm_agree(merged, &flag));  // nobody dies before all have their sum
  EXPECT_OK(MPI_Comm_free(&merged));
  if (rank % 2 == 1) die();
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_CLASS(MPI_Barrier(left), MPIX_ERR_PROC_FAILED);
  // The dead may have died one after the other: the verdict counts those of whom somebody knows.
  wait_for_deaths(MPI_COMM_WORLD, size / 2 + (victim() % 2 == 0 ? 1 : 0));
  EXPECT_OK(MPIX_Comm_ishrink(left, &merged, &request));
  EXPECT_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT(merged == MPI_COMM_NULL);
  for (MPI_Comm* comm : {&left, &both, &side}) EXPECT_OK(MPI_Comm_free(comm));
}

/// Where windows need the target's help (STARLING_RMA_ALWAYS_HELP), and the target gives none for a while: one who has
/// asked it dies, another who wants to ask is served all the same.
void desks() {
  const int target = 0;
  MPI_Comm without = MPI_COMM_NULL;
  EXPECT_OK(MPI_Comm_split(MPI_COMM_WORLD, rank == victim() ? 1 : 0, rank, &without));
  std::vector<int> memory(1000, 40 + rank);
  MPI_Win all = MPI_WIN_NULL;
  MPI_Win win = MPI_WIN_NULL;
  EXPECT_OK(MPI_Win_create(memory.data(), 4000, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &all));
  EXPECT_OK(MPI_Win_create(memory.data(), 4000, 4, MPI_INFO_NULL, without, &win));
  meet_all();
  int value = 0;
  if (rank == target) {
    sleep_ms(120);
  } else if (rank == victim()) {
    if (fork() == 0) {
      const pid_t parent = getppid();
      sleep_ms(60);
      kill(parent, SIGKILL);
      _exit(0);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, all);
    while (true) {  // until the target sleeps and nobody serves
      MPI_Get(&value, 1, MPI_INT, target, 500, 1, MPI_INT, all);
      MPI_Win_flush(target, all);
    }
  } else {
    sleep_ms(30);  // the victim has the desk
    EXPECT_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    EXPECT_OK(MPI_Get(&value, 1, MPI_INT, target, 500, 1, MPI_INT, win));
    EXPECT_OK(MPI_Win_unlock(target, win));
    EXPECT(value == 40 + target);
  }
  EXPECT_OK(MPI_Barrier(without));
  MPI_Win_free(&all);
  EXPECT_OK(MPI_Win_free(&win));
  EXPECT_OK(MPI_Comm_free(&without));
}

void windows() {
  MPI_Win win = MPI_WIN_NULL;
  int* memory = nullptr;
  EXPECT_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  meet_all();
  if (rank == victim()) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    sleep_ms(30);
    die();
  }
  int value = 0;
  if (rank == 1) {
    EXPECT_OK(MPI_Recv(&value, 1, MPI_INT, victim(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    // The holder of the lock dies.
    EXPECT_CLASS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), MPIX_ERR_PROC_FAILED);
  } else {
    EXPECT_CLASS(MPI_Win_fence(0, win), MPIX_ERR_PROC_FAILED);
  }
  MPI_Group dead = MPI_GROUP_NULL;
  EXPECT_OK(MPIX_Win_get_failed(win, &dead));
  MPI_Group_free(&dead);
  EXPECT_OK(MPI_Win_free(&win));
}

/// After a death one survivor frees the window while another still reads what is left of it, and writes there.
void windows_in_use() {
  constexpr int kWords = 3000;
  constexpr int kReader = 1;
  MPI_Win win = MPI_WIN_NULL;
  int* memory = nullptr;
  EXPECT_OK(MPI_Win_allocate(kWords * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  std::fill(memory, memory + kWords, 100 + rank);
  meet_all();
  if (rank == victim()) die();
  const auto free_it = [&] {
    EXPECT_CLASS(MPI_Win_fence(0, win), MPIX_ERR_PROC_FAILED);
    EXPECT_OK(MPI_Win_free(&win));
  };
  int token = 0;
  if (rank != kReader) free_it();
  MPI_Win alone = MPI_WIN_NULL;
  int* fresh = nullptr;
  if (rank == 0) {
    EXPECT_OK(MPI_Win_allocate(2 * kWords * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &fresh, &alone));
    for (int i = 0; i < 2 * kWords; ++i) EXPECT(fresh[i] == 0);
    std::fill(fresh, fresh + 2 * kWords, 5);
    EXPECT_OK(MPI_Send(&token, 1, MPI_INT, kReader, 1, MPI_COMM_WORLD));
    EXPECT_OK(MPI_Recv(&token, 1, MPI_INT, kReader, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    EXPECT(std::count(fresh, fresh + 2 * kWords, 5) == 2 * kWords);
    EXPECT_OK(MPI_Win_free(&alone));
  } else if (rank == kReader) {
    EXPECT_OK(MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    EXPECT(std::count(memory, memory + kWords, 100 + rank) == kWords);
    std::fill(memory, memory + kWords, 7);
    EXPECT_OK(MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    free_it();
  }
  meet_survivors();
  // All have left: a window of the survivors may have the place again.
  MPI_Comm living = MPI_COMM_NULL;
  EXPECT_OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &living));
  EXPECT_OK(MPI_Win_allocate(kWords * sizeof(int), sizeof(int), MPI_INFO_NULL, living, &memory, &win));
  EXPECT(std::count(memory, memory + kWords, 0) == kWords);
  EXPECT_OK(MPI_Win_free(&win));
  EXPECT_OK(MPI_Comm_free(&living));
}

/// A rank dies amid puts that no flush has ended, to memory that the target's program had before. What has arrived is
/// whole, puts of others end, and nothing is written to that memory once the window is freed.
void puts() {
  constexpr int kWords = 64;
  constexpr int kLong = 100;
  std::vector<long> memory(static_cast<std::size_t>(kWords + kLong + size), 0);
  MPI_Win win = MPI_WIN_NULL;
  EXPECT_OK(MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(long)), sizeof(long),
                           MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  EXPECT_OK(MPI_Win_lock_all(0, win));
  meet_all();
  if (rank == victim()) {
    const std::vector<long> many(kLong, -1);
    for (long i = 0;; ++i) {
      if (i == 1000) {
        std::thread([] {
          sleep_ms(2);
          die();
        }).detach();
      }
      const long word = i % kWords + 1;
      MPI_Put(&word, 1, MPI_LONG, 0, word - 1, 1, MPI_LONG, win);
      if (i % 10 == 0) MPI_Put(many.data(), kLong, MPI_LONG, 0, kWords, kLong, MPI_LONG, win);
    }
  }
  int never = 0;
  EXPECT_CLASS(MPI_Recv(&never, 1, MPI_INT, victim(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  if (rank != 0) {
    const long mine = rank;
    EXPECT_OK(MPI_Put(&mine, 1, MPI_LONG, 0, kWords + kLong + rank, 1, MPI_LONG, win));
    EXPECT_CLASS(MPI_Win_flush(0, win), MPIX_ERR_PROC_FAILED);
  }
  meet_survivors();
  if (rank == 0) {
    int arrived = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      EXPECT(memory[i] == 0 || memory[i] == static_cast<long>(i) + 1);
      if (memory[i] != 0) ++arrived;
    }
    EXPECT(arrived > 0);
    for (int other = 1; other < victim(); ++other) {
      const long theirs = memory[static_cast<std::size_t>(kWords + kLong + other)];
      EXPECT(theirs == 0 || theirs == other);
    }
  }
  EXPECT_OK(MPI_Win_free(&win));
  std::fill(memory.begin(), memory.end(), 77);
  meet_survivors();
  for (const long word : memory) EXPECT(word == 77);
}

/// Every rank that waits for the dead one knows in bounded time (bench/resilience/failures measures how soon).
void notice() {
  constexpr double kBoundS = 1.0;
  if (rank == victim()) {
    sleep_ms(20);
    double dies_at = MPI_Wtime();
    for (int other = 0; other < victim(); ++other) MPI_Send(&dies_at, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    die();
  }
  double died_at = 0;
  EXPECT_OK(MPI_Recv(&died_at, 1, MPI_DOUBLE, victim(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  int never = 0;
  EXPECT_CLASS(MPI_Recv(&never, 1, MPI_INT, victim(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  const double took_s = MPI_Wtime() - died_at;
  if (took_s > kBoundS) std::fprintf(stderr, "rank %d learnt of it after %.3f s\n", rank, took_s);
  EXPECT(took_s <= kBoundS);
}

/// For those who kill from outside, a rank or its whole host: says when each rank has learnt of a death.
void waits() {
  meet_all();
  std::printf("rank %d waits\n", rank);
  std::fflush(stdout);
  int never = 0;
  EXPECT_CLASS(MPI_Recv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
               MPIX_ERR_PROC_FAILED);
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::printf("rank %d learnt at %.6f\n", rank,
              static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9);
  for (int well = 0; well == 0;) {
    MPI_Comm living = MPI_COMM_NULL;
    EXPECT_OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &living));
    int one = 1;
    int sum = 0;
    well = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, living) == MPI_SUCCESS ? 1 : 0;
    MPIX_Comm_agree(living, &well);
    MPI_Comm_size(living, &one);
    EXPECT(well == 0 || sum == one);
    if (well != 0 && rank == 0) std::printf("%d live\n", sum);
    EXPECT_OK(MPI_Comm_free(&living));
  }
}

/// Over hosts: the last rank lives on, but its connections have ended.
void unplugged() {
  meet_all();
  int never = 0;
  if (rank == victim()) {
    for (int descriptor = 3; descriptor < 1024; ++descriptor) {
      sockaddr_storage peer{};
      socklen_t bytes = sizeof peer;
      if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &bytes) == 0 &&
          (peer.ss_family == AF_INET || peer.ss_family == AF_INET6))
        shutdown(descriptor, SHUT_RDWR);
    }
    while (true) pause();
  }
  EXPECT_CLASS(MPI_Recv(&never, 1, MPI_INT, victim(), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  meet_survivors();
}

/// A file is had by its members together: collective accesses end, those of one rank alone go on until it is revoked.
void files() {
  char name[64];
  int process = getpid();
  EXPECT_OK(MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD));
  std::snprintf(name, sizeof name, "/tmp/starling_survivors_%d", process);
  MPI_File file = MPI_FILE_NULL;
  EXPECT_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                          MPI_INFO_NULL, &file));
  meet_all();
  if (rank == victim()) {
    sleep_ms(20);
    die();
  }
  EXPECT_CLASS(MPI_File_write_at_all(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  EXPECT_OK(MPI_File_write_at(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Group dead = MPI_GROUP_NULL;
  int count = 0;
  EXPECT_OK(MPIX_File_get_failed(file, &dead));
  MPI_Group_size(dead, &count);
  EXPECT(count == 1);
  MPI_Group_free(&dead);
  meet_survivors();
  EXPECT_OK(MPIX_File_revoke(file));
  int revoked = 0;
  EXPECT_OK(MPIX_File_is_revoked(file, &revoked));
  EXPECT(revoked == 1);
  EXPECT_CLASS(MPI_File_write_at_all(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_File_close(&file), MPIX_ERR_REVOKED);
  EXPECT(file == MPI_FILE_NULL);
  EXPECT(access(name, F_OK) != 0);
}

/// A communicator or a window that was revoked has no use for MPI_PROC_NULL either.
void expect_nobody_refused(MPI_Comm revoked) {
  int value = 0;
  int flag = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  const int nobody = MPI_PROC_NULL;
  EXPECT_CLASS(MPI_Send(&value, 1, MPI_INT, nobody, 1, revoked), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Bsend(&value, 1, MPI_INT, nobody, 1, revoked), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Recv(&value, 1, MPI_INT, nobody, 1, revoked, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Sendrecv_replace(&value, 1, MPI_INT, nobody, 1, nobody, 1, revoked, MPI_STATUS_IGNORE),
               MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Probe(nobody, 1, revoked, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Iprobe(nobody, 1, revoked, &flag, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Mprobe(nobody, 1, revoked, &message, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Improbe(nobody, 1, revoked, &flag, &message, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_OK(MPI_Isend(&value, 1, MPI_INT, nobody, 1, revoked, &request));
  EXPECT_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_OK(MPI_Recv_init(&value, 1, MPI_INT, nobody, 1, revoked, &request));
  EXPECT_OK(MPI_Start(&request));
  EXPECT_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_OK(MPI_Request_free(&request));
  EXPECT_OK(MPI_Psend_init(&value, 1, 1, MPI_INT, nobody, 1, revoked, MPI_INFO_NULL, &request));
  EXPECT_CLASS(MPI_Start(&request), MPIX_ERR_REVOKED);
  EXPECT_OK(MPI_Request_free(&request));
}

/// What a probe has taken out of the queue is lost with the communicator, and a partitioned message never comes.
void half_received() {
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  std::vector<char> large(1 << 20);
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Request pieces = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  EXPECT_OK(MPI_Isend(large.data(), 1 << 20, MPI_CHAR, (rank + 1) % size, 3, comm, &send));
  EXPECT_OK(MPI_Mprobe((rank + size - 1) % size, 3, comm, &message, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Precv_init(large.data(), 4, 10, MPI_CHAR, (rank + 1) % size, 4, comm, MPI_INFO_NULL, &pieces));
  EXPECT_OK(MPI_Start(&pieces));
  int probed = 1;
  EXPECT_OK(MPIX_Comm_agree(comm, &probed));
  EXPECT_OK(MPIX_Comm_revoke(comm));
  EXPECT_CLASS(MPI_Wait(&send, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Mrecv(large.data(), 1 << 20, MPI_CHAR, &message, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Wait(&pieces, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  EXPECT_OK(MPI_Request_free(&pieces));
  expect_nobody_refused(comm);
  EXPECT_OK(MPI_Comm_free(&comm));
}

/// The chain of the source: each waits for the one before, and only one learns of the death by itself.
void revoke() {
  MPI_Comm plan_a = MPI_COMM_NULL;
  MPI_Comm plan_b = MPI_COMM_NULL;
  EXPECT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &plan_a));
  EXPECT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &plan_b));
  meet_all();  // with their communicators
  if (rank == 0) die();
  int token = 0;
  int flag = 1;
  MPI_Request barrier = MPI_REQUEST_NULL;
  MPI_Request any = MPI_REQUEST_NULL;
  EXPECT_OK(MPI_Irecv(&token, 1, MPI_INT, size == 2 ? 0 : 1, 99, plan_b, &any));
  const int code = MPI_Recv(&token, 1, MPI_INT, rank - 1, 1, plan_a, MPI_STATUS_IGNORE);
  if (rank == 1) {
    EXPECT_CLASS(code, MPIX_ERR_PROC_FAILED);
    EXPECT_OK(MPIX_Comm_revoke(plan_a));
  } else {
    EXPECT_CLASS(code, MPIX_ERR_REVOKED);
    if (rank == 2) EXPECT_OK(MPIX_Comm_revoke(plan_a));  // twice, from two ranks
  }
  EXPECT_OK(MPIX_Comm_is_revoked(plan_a, &flag));
  EXPECT(flag == 1);
  EXPECT_OK(MPIX_Comm_is_revoked(plan_b, &flag));
  EXPECT(flag == 0);
  EXPECT_CLASS(MPI_Send(&token, 1, MPI_INT, rank, 1, plan_a), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Barrier(plan_a), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Ibarrier(plan_a, &barrier), MPIX_ERR_REVOKED);
  EXPECT_CLASS(MPI_Probe(MPI_ANY_SOURCE, 1, plan_a, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  // The other communicator is not concerned: survivors talk on it.
  const int to = rank + 1 == size ? 1 : rank + 1;
  EXPECT_OK(MPI_Send(&rank, 1, MPI_INT, to, 2, plan_b));
  EXPECT_OK(MPI_Recv(&token, 1, MPI_INT, rank == 1 ? size - 1 : rank - 1, 2, plan_b, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Cancel(&any));
  EXPECT_OK(MPI_Wait(&any, MPI_STATUS_IGNORE));
  EXPECT_OK(MPI_Comm_free(&plan_a));
  EXPECT_OK(MPI_Comm_free(&plan_b));
}

void agree() {
  int flag = ~(1 << rank);
  const int everybody = ~((1 << size) - 1);
  EXPECT_OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
  EXPECT(flag == everybody);
  if (rank == victim()) die();
  flag = ~(1 << rank);
  EXPECT_CLASS(MPIX_Comm_agree(MPI_COMM_WORLD, &flag), MPIX_ERR_PROC_FAILED);
  EXPECT(flag == (everybody | 1 << victim()));
  EXPECT_OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
  flag = ~(1 << rank);
  EXPECT_OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
  flag = rank;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_OK(MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &request));
  EXPECT_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT(flag == 0);
  EXPECT_OK(MPIX_Comm_revoke(MPI_COMM_WORLD));
  flag = 1;
  EXPECT_OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
  EXPECT(flag == 1);
}

/// One after the other dies, each in the shrink that the death before it made necessary.
void shrink() {
  MPI_Comm comm = MPI_COMM_WORLD;
  for (int left = size; left > 1; --left) {
    int me = 0;
    MPI_Comm_rank(comm, &me);
    if (me == (left * 7) % left) {
      if (left % 2 == 0) kill(getpid(), SIGKILL);
      die();
    }
    int sum = 0;
    int one = 1;
    EXPECT_CLASS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPIX_ERR_PROC_FAILED);
    MPI_Comm smaller = MPI_COMM_NULL;
    if (left % 2 == 0) {
      EXPECT_OK(MPIX_Comm_shrink(comm, &smaller));
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      EXPECT_OK(MPIX_Comm_ishrink(comm, &smaller, &request));
      EXPECT_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    int now = 0;
    MPI_Comm_size(smaller, &now);
    EXPECT(now == left - 1);
    EXPECT_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, smaller));
    EXPECT(sum == left - 1);
    int flag = 1;
    EXPECT_OK(MPIX_Comm_agree(smaller, &flag));  // the next to die waits until all have their sum
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    comm = smaller;
  }
}

void requests() {
  if (rank == victim()) {
    sleep_ms(20);
    die();
  }
  // Waiting for all ends when one can never come: the other would come from a rank that waits for us.
  int values[2] = {0, 0};
  const int survivors = size - 1;
  MPI_Request two[2];
  EXPECT_OK(MPI_Irecv(&values[0], 1, MPI_INT, victim(), 1, MPI_COMM_WORLD, &two[0]));
  EXPECT_OK(MPI_Irecv(&values[1], 1, MPI_INT, (rank + 1) % survivors, 2, MPI_COMM_WORLD, &two[1]));
  MPI_Status statuses[2];
  EXPECT_CLASS(MPI_Waitall(2, two, statuses), MPI_ERR_IN_STATUS);
  EXPECT_CLASS(statuses[0].MPI_ERROR, MPIX_ERR_PROC_FAILED);
  EXPECT_CLASS(statuses[1].MPI_ERROR, MPI_ERR_PENDING);
  meet_survivors();
  EXPECT_OK(MPI_Send(&rank, 1, MPI_INT, (rank + survivors - 1) % survivors, 2, MPI_COMM_WORLD));
  int index = -1;
  EXPECT_OK(MPI_Waitany(2, two, &index, MPI_STATUS_IGNORE));
  EXPECT(index == 1 && values[1] == (rank + 1) % survivors);
  // A long message that its receiver never asks for is given up by a revocation, and its buffer is free.
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &comm));
  std::vector<char> large(1 << 20);
  MPI_Request send = MPI_REQUEST_NULL;
  EXPECT_OK(MPI_Isend(large.data(), 1 << 20, MPI_CHAR, (rank + 1) % survivors, 3, comm, &send));
  int posted = 1;
  EXPECT_OK(MPIX_Comm_agree(comm, &posted));  // which the first to revoke does not interrupt at the others
  EXPECT_OK(MPIX_Comm_revoke(comm));
  EXPECT_CLASS(MPI_Wait(&send, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
  MPI_Comm_free(&comm);
}

/// A rank that stands still is slow, not dead.
void stop() {
  int flag = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == victim()) {
    if (fork() == 0) {
      const pid_t parent = getppid();
      for (int i = 0; i < 5; ++i) {
        kill(parent, SIGSTOP);
        sleep_ms(100);
        kill(parent, SIGCONT);
        sleep_ms(10);
      }
      _exit(0);
    }
  }
  signal(SIGUSR1, [](int) {});
  for (int i = 0; i < 200; ++i) {
    kill(getpid(), SIGUSR1);
    int one = 1;
    int sum = 0;
    EXPECT_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    EXPECT(sum == size);
    sleep_ms(2);
  }
  MPI_Group dead = MPI_GROUP_NULL;
  EXPECT_OK(MPIX_Comm_get_failed(MPI_COMM_WORLD, &dead));
  MPI_Group_size(dead, &flag);
  EXPECT(flag == 0);
}

/// Deaths where nobody can be told by an error: the survivors end in peace.
void finalize() {
  wait_for_deaths(MPI_COMM_WORLD, 0);
  if (rank == victim()) die();
  if (rank == 0) sleep_ms(20);
}

const std::map<std::string, void (*)()> kCases = {
    {"receives", receives},
    {"wildcards", wildcards},
    {"sends", sends},
    {"probes", probes},
    {"windows", windows},
    {"windows_in_use", windows_in_use},
    {"puts", puts},
    {"revoke", revoke},
    {"half_received", half_received},
    {"agree", agree},
    {"groups", groups},
    {"intercommunicators", intercommunicators},
    {"desks", desks},
    {"notice", notice},
    {"waits", waits},
    {"unplugged", unplugged},
    {"files", files},
    {"shrink", shrink},
    {"communicators", communicators},
    {"requests", requests},
    {"stop", stop},
    {"finalize", finalize},
};

}  // namespace

int main(int argc, char** argv) {
  const auto found = kCases.find(argc > 1 ? argv[1] : "");
  if (found == kCases.end()) return std::fprintf(stderr, "no such case\n"), 2;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int* survives = nullptr;
  int known = 0;
  EXPECT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &survives, &known));
  EXPECT(known != 0 && *survives == 1);
  found->second();
  EXPECT_OK(MPI_Finalize());
  return wrong == 0 ? 0 : 1;
}
