// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What ranks over several hosts do while something happens to them. `hosts_probe MODE [SECONDS|FILE|BYTES]`:
//   init      each rank prints when it was out of MPI_Init, in seconds of the system's clock, and stays for 0.3 s
//   where     says on which host each rank is
//   exchange  every rank trades messages of 8 B to 256 KiB with every other one for so long (0: for ever), checks
//             each byte, and rests for a millisecond after each round
//   pingpong  a short message goes to and fro between rank 0 and the last one for so long, and nothing else
//   wait      rank 0 comes to a barrier that much later than the others; prints the processor time of all
//   apart     nobody is in MPI for so long, then all meet
//   late      rank 0 and the last one trade a message, nobody is in MPI until a file of this name is there; all meet
//   long      rank 0 sends one message of 8 B, then one of 4 MiB, to the last rank
//   stream    rank 0 sends the last rank messages of 4 MiB for so long, eight at a time, which checks them; prints MB/s
//   ahead     rank 0 sends so many bytes to the last one, which asks for them a second later; prints how long it took
//   revoke    rank 0 sends the last one a message of 4 MiB, for which nobody asks, and revokes its communicator
//
// 'exchange', 'pingpong', 'wait', 'apart' and 'stream' print "ready" when all ranks are connected, 'late' when the two
// are. Each process is named probe-<rank>.
#include <mpi-ext.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { kLargest = 256 << 10, kLong = 4 << 20 };

static int rank, size;

static void say_ready(void) {
  if (rank != 0) return;
  puts("ready");
  fflush(stdout);
}

static void sleep_for(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

static double seconds_of_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void where(void) {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length;
  MPI_Get_processor_name(host, &length);
  printf("rank %d of %d on %s\n", rank, size, host);
}

static char pattern_at(int place) { return (char)(place + place / 251); }

/* What a rank sends in a round: a stretch of the pattern that begins at a place of its own. */
static const char* data_of(long round, int sender) {
  enum { kPlaces = 4096 };
  static char* pattern;
  if (pattern == NULL) {
    pattern = malloc(kLargest + kPlaces);
    for (int i = 0; i < kLargest + kPlaces; ++i) pattern[i] = pattern_at(i);
  }
  return pattern + (31 * round + 7 * sender) % kPlaces;
}

static void check_data(const char* in, int bytes, long round, int sender) {
  if (memcmp(in, data_of(round, sender), (size_t)bytes) == 0) return;
  fprintf(stderr, "round %ld: %d bytes from rank %d are wrong\n", round, bytes, sender);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void trade(long round, int distance, char* in) {
  static const int sizes[] = {8, 1000, 20000, kLargest};
  const int bytes = sizes[round % 4];
  const int to = (rank + distance) % size;
  const int from = (rank + size - distance) % size;
  MPI_Sendrecv(data_of(round, rank), bytes, MPI_BYTE, to, distance, in, bytes, MPI_BYTE, from, distance, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  check_data(in, bytes, round, from);
}

static void exchange(double seconds) {
  char* in = malloc(kLargest);
  const double end = MPI_Wtime() + seconds;
  long round = 0;
  for (int go_on = 1; go_on; ++round) {
    for (int distance = 1; distance < size; ++distance) trade(round, distance, in);
    if (round == 0) say_ready();
    sleep_for(0.001);
    go_on = seconds <= 0 || MPI_Wtime() < end;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("exchanged %ld rounds\n", round);
  free(in);
}

static void pingpong(double seconds) {
  const double end = MPI_Wtime() + seconds;
  const int other = rank == 0 ? size - 1 : 0;
  int go_on = rank == 0 || rank == size - 1;
  for (long round = 0; go_on; ++round) {
    if (rank == 0) {
      go_on = MPI_Wtime() < end;
      MPI_Send(&go_on, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    }
    MPI_Recv(&go_on, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(&go_on, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    if (round == 0) say_ready();
  }
}

static void wait_for_rank_0(double seconds) {
  MPI_Barrier(MPI_COMM_WORLD);
  say_ready();
  const double before = cpu_seconds();
  if (rank == 0) sleep_for(seconds);
  MPI_Barrier(MPI_COMM_WORLD);
  const double mine = cpu_seconds() - before;
  double all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("burnt %.3f CPU-seconds\n", all);
}

/* Every two ranks trade a word. Whether the right ones arrived. */
static int meet(void) {
  int* words = calloc((size_t)size, sizeof(int));
  for (int i = 0; i < size; ++i) words[i] = rank * size + i;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, words, 1, MPI_INT, MPI_COMM_WORLD);
  int right = 1;
  for (int i = 0; i < size; ++i) right = right && words[i] == i * size + rank;
  free(words);
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return right;
}

static void apart(double seconds) {
  int token = rank;
  const int right = meet();
  say_ready();
  sleep_for(seconds);
  MPI_Bcast(&token, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts(right && token == size - 1 ? "met" : "met, with a wrong token");
}

static void connect_first_and_last(void) {
  if (rank != 0 && rank != size - 1) return;
  const int other = size - 1 - rank;
  MPI_Sendrecv(NULL, 0, MPI_BYTE, other, 0, NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late(const char* file) {
  connect_first_and_last();
  say_ready();
  while (access(file, F_OK) != 0) sleep_for(0.01);
  const int right = meet();
  if (rank == 0) puts(right ? "met" : "met, with a wrong word");
}

static void long_message(void) {
  char* buffer = calloc(1, kLong);
  for (int bytes = 8; bytes <= kLong; bytes = bytes == 8 ? kLong : kLong + 1) {
    if (rank == 0) MPI_Send(buffer, bytes, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD);
    if (rank == size - 1) MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%d bytes passed\n", bytes);
    fflush(stdout);
  }
  free(buffer);
}

static void ahead(int bytes) {
  char* buffer = calloc(1, (size_t)bytes);
  connect_first_and_last();
  const double begin = MPI_Wtime();
  if (rank == 0) {
    for (int i = 0; i < bytes; ++i) buffer[i] = pattern_at(i);
    MPI_Send(buffer, bytes, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD);
    printf("sent after %.3f s\n", MPI_Wtime() - begin);
  } else if (rank == size - 1) {
    sleep_for(1);
    MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < bytes; ++i) {
      if (buffer[i] != pattern_at(i)) MPI_Abort(MPI_COMM_WORLD, 3);
    }
  }
  free(buffer);
}

/* A word of each page tells message and place; the others are left as they are. */
enum { kPage = 4096, kAtOnce = 8 };

static void fill_pages(char* buffer, long message) {
  for (long at = 0; at < kLong; at += kPage) {
    const long word = message * kLong + at;
    memcpy(buffer + at, &word, sizeof word);
  }
}

static void check_pages(const char* buffer, long message) {
  for (long at = 0; at < kLong; at += kPage) {
    long word;
    memcpy(&word, buffer + at, sizeof word);
    if (word == message * kLong + at) continue;
    fprintf(stderr, "message %ld: the word at %ld is wrong\n", message, at);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static void stream(double seconds) {
  const int is_sender = rank == 0;
  if (!is_sender && rank != size - 1) return;
  const int other = is_sender ? size - 1 : 0;
  char* buffers[kAtOnce];
  for (int i = 0; i < kAtOnce; ++i) buffers[i] = calloc(1, kLong);
  long messages = 0;
  double begin = MPI_Wtime();
  for (int go_on = 1; go_on;) {
    MPI_Request requests[kAtOnce];
    for (int i = 0; i < kAtOnce; ++i) {
      if (is_sender) {
        fill_pages(buffers[i], messages + i);
        MPI_Isend(buffers[i], kLong, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[i]);
      } else {
        MPI_Irecv(buffers[i], kLong, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[i]);
      }
    }
    MPI_Waitall(kAtOnce, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kAtOnce && !is_sender; ++i) check_pages(buffers[i], messages + i);
    messages += kAtOnce;
    if (messages == kAtOnce) {
      say_ready();
      begin = MPI_Wtime();
    }
    if (is_sender) {
      go_on = MPI_Wtime() < begin + seconds;
      MPI_Send(&go_on, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&go_on, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (is_sender) printf("streamed %.1f MB/s\n", 1e-6 * (double)(messages - kAtOnce) * kLong / (MPI_Wtime() - begin));
  for (int i = 0; i < kAtOnce; ++i) free(buffers[i]);
}

static void send_and_revoke(void) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int class_of_error = MPI_SUCCESS;
  if (rank == 0) {
    char* buffer = calloc(kLong, 1);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(buffer, kLong, MPI_BYTE, size - 1, 0, comm, &request);
    int done = 0;
    for (const double end = MPI_Wtime() + 0.1; MPI_Wtime() < end && !done;)
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);  // it is announced
    MPIX_Comm_revoke(comm);
    MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &class_of_error);
    free(buffer);
  } else {
    MPI_Error_class(MPI_Barrier(comm), &class_of_error);
  }
  if (class_of_error == MPIX_ERR_REVOKED) puts("revoked");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
}

static void take_name(void) {
  char name[16];
  snprintf(name, sizeof name, "probe-%d", rank);
  prctl(PR_SET_NAME, name);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const double seconds = argc > 2 ? atof(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  const double out_of_init = seconds_of_clock();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  take_name();
  if (strcmp(mode, "init") == 0) {
    printf("%.6f\n", out_of_init);
    sleep_for(0.3);  // what it does after MPI_Init shall not take processor time from those that are in it
  } else if (strcmp(mode, "where") == 0) {
    where();
  } else if (strcmp(mode, "exchange") == 0) {
    exchange(seconds);
  } else if (strcmp(mode, "pingpong") == 0) {
    pingpong(seconds);
  } else if (strcmp(mode, "wait") == 0) {
    wait_for_rank_0(seconds);
  } else if (strcmp(mode, "apart") == 0) {
    apart(seconds);
  } else if (strcmp(mode, "late") == 0 && argc > 2) {
    late(argv[2]);
  } else if (strcmp(mode, "long") == 0) {
    long_message();
  } else if (strcmp(mode, "stream") == 0) {
    stream(seconds);
  } else if (strcmp(mode, "ahead") == 0) {
    ahead((int)seconds);
  } else if (strcmp(mode, "revoke") == 0) {
    send_and_revoke();
  } else {
    fprintf(stderr, "hosts_probe: there is no mode '%s'\n", mode);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}
