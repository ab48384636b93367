// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-sided accesses of rank 0 to the memory of rank 1, on another host, that computes: it makes no MPI call meanwhile.
// Beside them what they are compared with, on the same link: a message of 8 bytes there and back between ranks that
// wait ("message"), and the same by a plain socket whose other end is a thread beside a computation, which looks at it
// without end ("socket_awake") or sleeps in it ("socket_asleep"). So one wake-up takes socket_asleep less socket_awake.
// Rounds alternate; each figure is the median of the medians of its rounds. "target_cpu" is the processor time of the
// target's process while it sleeps outside of MPI, in seconds for each second.
//
// usage: computing_target [--rounds=N] [--times=N] [--only=FIGURE,FIGURE...]
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

enum { kMost = 4096, kMostRounds = 101, kWord = 8 };

static int rank;
static int times = 300;
static MPI_Win win;
static char* memory;
static atomic_int is_echoing;
static double samples[kMost];

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

// The socket.

static int is_connected;
static int socket_of_rank;

static struct in_addr own_address(void) {
  struct ifaddrs* all = NULL;
  struct in_addr found = {htonl(INADDR_LOOPBACK)};
  if (getifaddrs(&all) != 0) return found;
  for (const struct ifaddrs* one = all; one != NULL; one = one->ifa_next) {
    if (one->ifa_addr == NULL || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    found = ((const struct sockaddr_in*)one->ifa_addr)->sin_addr;
    break;
  }
  freeifaddrs(all);
  return found;
}

static void connect_socket(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  const int one = 1;
  int made = socket(AF_INET, SOCK_STREAM, 0);
  if (rank == 1) {
    bind(made, (const struct sockaddr*)&address, sizeof address);
    listen(made, 1);
    getsockname(made, (struct sockaddr*)&address, &size);
    address.sin_addr = own_address();
    MPI_Send(&address, sizeof address, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    socket_of_rank = accept(made, NULL, NULL);
    close(made);
  } else {
    MPI_Recv(&address, sizeof address, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    is_connected = connect(made, (const struct sockaddr*)&address, sizeof address) == 0;
    socket_of_rank = made;
  }
  setsockopt(socket_of_rank, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

// Sends back what comes, until an 'e' comes. flags: MSG_DONTWAIT to look without end.
static void* echo(void* flags) {
  char word[kWord];
  while (1) {
    const ssize_t got = recv(socket_of_rank, word, sizeof word, *(const int*)flags);
    if (got <= 0) continue;
    if (send(socket_of_rank, word, (size_t)got, 0) != got || word[0] == 'e') break;
  }
  atomic_store(&is_echoing, 0);
  return NULL;
}

static void socket_once(char first) {
  char word[kWord] = {first};
  if (send(socket_of_rank, word, sizeof word, 0) != (ssize_t)sizeof word) return;
  while (recv(socket_of_rank, word, sizeof word, MSG_DONTWAIT) <= 0) {
  }
}

// What rank 0 does once.

static void message(void) {
  char word[kWord] = "";
  MPI_Send(word, kWord, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  MPI_Recv(word, kWord, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void put(void) {
  static const char word[kWord] = "";
  MPI_Put(word, kWord, MPI_BYTE, 1, 0, kWord, MPI_BYTE, win);
  MPI_Win_flush(1, win);
}
static void get(void) {
  char word[kWord];
  MPI_Get(word, kWord, MPI_BYTE, 1, 0, kWord, MPI_BYTE, win);
  MPI_Win_flush(1, win);
}
static void fetch_and_op(void) {
  const long one = 1;
  long old = 0;
  MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 8, MPI_SUM, win);
  MPI_Win_flush(1, win);
}
static void socket_message(void) { socket_once('w'); }

static double seconds_of(void (*body)(void)) {
  for (int i = 0; i < times; ++i) {
    const double begin = MPI_Wtime();
    body();
    samples[i] = MPI_Wtime() - begin;
    // The target's thread has gone back to sleep by then.
    const double until = MPI_Wtime() + 200e-6;
    while (MPI_Wtime() < until) {
    }
  }
  return median(samples, times);
}

// Rank 1 computes until its memory says that it is enough.
static void compute(void) {
  const volatile char* const mark = memory + 16;
  while (*mark == 0) {
  }
  memory[16] = 0;
}
static void end_computation(void) {
  const char one = 1;
  MPI_Put(&one, 1, MPI_BYTE, 1, 16, 1, MPI_BYTE, win);
  MPI_Win_flush(1, win);
}

static double time_computing(void (*body)(void)) {
  double found = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    compute();
  } else {
    usleep(20000);  // it computes by then
    found = seconds_of(body);
    end_computation();
  }
  return found;
}

static double time_messages(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) return seconds_of(message);
  char word[kWord];
  for (int i = 0; i < times; ++i) {
    MPI_Recv(word, kWord, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(word, kWord, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  }
  return 0;
}

static double time_socket(int flags) {
  double found = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    pthread_t thread;
    atomic_store(&is_echoing, 1);
    pthread_create(&thread, NULL, echo, &flags);
    while (flags == 0 && atomic_load(&is_echoing) != 0) {
    }
    pthread_join(thread, NULL);
  } else {
    usleep(20000);
    found = seconds_of(socket_message);
    socket_once('e');
  }
  return found;
}

static double cpu_seconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static double target_cpu(void) {
  double taken = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    usleep(100000);
    taken = cpu_seconds();
    usleep(1000000);
    taken = cpu_seconds() - taken;
    MPI_Send(&taken, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  } else {
    usleep(1200000);
    MPI_Recv(&taken, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return taken;
}

enum { kMessage, kSocketAwake, kSocketAsleep, kPut, kGet, kFetch, kFigures };
static const char* const kNames[] = {"message", "socket_awake", "socket_asleep", "put", "get", "fetch_and_op"};

static double time_figure(int figure) {
  switch (figure) {
    case kMessage: return time_messages();
    case kSocketAwake: return time_socket(MSG_DONTWAIT);
    case kSocketAsleep: return time_socket(0);
    case kPut: return time_computing(put);
    case kGet: return time_computing(get);
    default: return time_computing(fetch_and_op);
  }
}

int main(int argc, char** argv) {
  static double rounds_of[kFigures][kMostRounds];
  int rounds = 9;
  const char* only = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; ++i) {
    if (sscanf(argv[i], "--rounds=%d", &rounds) == 1 || sscanf(argv[i], "--times=%d", &times) == 1) continue;
    if (strncmp(argv[i], "--only=", 7) == 0) {
      only = argv[i] + 7;
      continue;
    }
    if (rank == 0) fprintf(stderr, "computing_target: %s is not understood\n", argv[i]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  rounds = rounds > kMostRounds ? kMostRounds : rounds;
  times = times > kMost ? kMost : times;
  connect_socket();
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, 64);
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kFigures; ++i) {
      if (bench_selected(only, kNames[i])) rounds_of[i][round] = time_figure(i);
    }
  }
  const double cpu = target_cpu();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  if (rank == 0) {
    for (int i = 0; i < kFigures; ++i) {
      if (!bench_selected(only, kNames[i])) continue;
      const double middle = median(rounds_of[i], rounds);
      bench_print(kNames[i], kWord, 1e6 * middle, "us", 1e6 * rounds_of[i][0], 1e6 * rounds_of[i][rounds - 1]);
    }
    bench_print("target_cpu", 0, cpu, "s", cpu, cpu);
  }
  MPI_Finalize();
  return 0;
}
