// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two threads of each of two ranks speak at once (MPI_THREAD_MULTIPLE), each with its own thread of the other rank, on
// a communicator of their own: `threads_latency` is half a round trip, `threads_exchange` the time of an MPI_Sendrecv
// with each other. `threads_listener` is half a round trip of one thread while the other one of its rank waits in an
// MPI_Recv until the last message of all, as a thread does that serves requests; of short messages only, for with
// others a peer takes slices of the scheduler for each.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "pair.h"

enum { kThreads = 2, kMostBesideListener = 1024 };

typedef struct Speaker Speaker;
struct Speaker {
  Pair pair;            // this thread's own communicator
  MPI_Comm of_partner;  // that of the rank's other thread
  char* out;
  char* in;
  int size;
  long iterations;
  void (*speak)(Speaker* speaker);
};

static void latency(Speaker* s) {
  PingPong context = {&s->pair, s->out, s->in, s->size};
  ping_pong(&context, s->iterations);
}

static void exchange(Speaker* s) {
  for (long i = 0; i < s->iterations; ++i) {
    MPI_Sendrecv(s->out, s->size, MPI_BYTE, s->pair.peer, 0, s->in, s->size, MPI_BYTE, s->pair.peer, 0, s->pair.comm,
                 MPI_STATUS_IGNORE);
  }
}

static void speak_beside_listener(Speaker* s) {
  latency(s);
  MPI_Send(s->out, s->size, MPI_BYTE, s->pair.peer, 1, s->of_partner);
}

static void listen_to_the_last(Speaker* s) {
  MPI_Recv(s->in, s->size, MPI_BYTE, s->pair.peer, 1, s->pair.comm, MPI_STATUS_IGNORE);
}

static void* run(void* argument) {
  Speaker* speaker = argument;
  speaker->speak(speaker);
  return NULL;
}

static void body(void* context, long iterations) {
  Speaker* speakers = context;
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    speakers[i].iterations = iterations;
    if (pthread_create(&threads[i], NULL, run, &speakers[i]) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

static void measure(const char* name, double scale, long most, Speaker* speakers, const Pair* pair,
                    const BenchOptions* options) {
  if (!bench_selected(options->only, name)) return;
  for (int i = 0; i < options->size_count; ++i) {
    if (options->sizes[i] > most) continue;
    for (int t = 0; t < kThreads; ++t) speakers[t].size = (int)options->sizes[i];
    const BenchTimes times = bench_time(pair->comm, body, speakers, options);
    for (int t = 0; t < kThreads; ++t) {
      require_bytes(name, speakers[t].in, speakers[t].size, (char)(1 + pair->peer));
    }
    if (pair->rank == 0) bench_print_time(name, options->sizes[i], times, scale, "us");
  }
}

int main(int argc, char** argv) {
  const long sizes[] = {8, 1024, 16384, 131072};
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    fprintf(stderr, "threads: the library does not offer MPI_THREAD_MULTIPLE; there is nothing to measure\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const BenchOptions options = bench_options(argc, argv, sizes, sizeof sizes / sizeof sizes[0]);
  Pair pair = pair_open();
  if (pair.rank >= 0) {
    Speaker speakers[kThreads];
    for (int t = 0; t < kThreads; ++t) {
      speakers[t] = (Speaker){
          pair, MPI_COMM_NULL, bench_buffer(kBenchMaxMessage, 1 + pair.rank), bench_buffer(kBenchMaxMessage, 0), 0,
          0,    latency};
      MPI_Comm_dup(pair.comm, &speakers[t].pair.comm);
    }
    speakers[0].of_partner = speakers[1].pair.comm;
    measure("threads_latency", 0.5e6, kBenchMaxMessage, speakers, &pair, &options);
    for (int t = 0; t < kThreads; ++t) speakers[t].speak = exchange;
    measure("threads_exchange", 1e6, kBenchMaxMessage, speakers, &pair, &options);
    speakers[0].speak = speak_beside_listener;
    speakers[1].speak = listen_to_the_last;
    measure("threads_listener", 0.5e6, kMostBesideListener, speakers, &pair, &options);
    for (int t = 0; t < kThreads; ++t) {
      MPI_Comm_free(&speakers[t].pair.comm);
      free(speakers[t].out);
      free(speakers[t].in);
    }
  }
  pair_close(&pair);
  MPI_Finalize();
  return 0;
}
