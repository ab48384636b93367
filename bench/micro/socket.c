// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The control of comparisons over hosts: half a round trip of plain TCP between two of them, with nothing above the
// socket. Both ends call recv without waiting, again and again, and the congestion control is the one that Starling
// takes: where the default is bbr, which paces, cubic, or reno if that is not allowed.
// usage: socket PORT                  answers one caller, then ends
//        socket ADDRESS PORT SIZE...  calls, and prints a line for each size as the other benchmarks do, in us
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kRepetitions = 21, kLargest = 16 << 20, kAttempts = 500 };
static const double kBudgetNs = 3e8;  // for each size

static char* in;  // page-aligned, as those of the other benchmarks: how fast the system copies depends on it
static char* out;

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void fail(const char* what) {
  fprintf(stderr, "socket: %s: %s\n", what, strerror(errno));
  exit(1);
}

static char* new_buffer(void) {
  char* const buffer = aligned_alloc(4096, kLargest);
  if (buffer == NULL) fail("no memory");
  memset(buffer, 1, kLargest);
  return buffer;
}

// Before the connection is made: one that began with bbr goes on to pace.
static void prepare(int connection) {
  const int one = 1;
  if (setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0) fail("TCP_NODELAY is refused");
  char control[16] = "";
  socklen_t length = sizeof control;
  getsockopt(connection, IPPROTO_TCP, TCP_CONGESTION, control, &length);
  if (strcmp(control, "bbr") != 0) return;
  if (setsockopt(connection, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5) == 0) return;
  if (setsockopt(connection, IPPROTO_TCP, TCP_CONGESTION, "reno", 4) != 0) fail("reno is refused");
}

// False when the other end has closed.
static int receive(int connection, size_t bytes) {
  for (size_t got = 0; got < bytes;) {
    const ssize_t now = recv(connection, in + got, bytes - got, MSG_DONTWAIT);
    if (now == 0) return 0;
    if (now < 0 && errno != EAGAIN && errno != EINTR) fail("recv");
    if (now > 0) got += (size_t)now;
  }
  return 1;
}

static void transmit(int connection, size_t bytes) {
  for (size_t put = 0; put < bytes;) {
    const ssize_t now = send(connection, out + put, bytes - put, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (now < 0 && errno != EAGAIN && errno != EINTR) fail("send");
    if (now > 0) put += (size_t)now;
  }
}

// The caller says each size before it begins with it, and 0 goes back to saying.
static void answer(const char* port) {
  const struct addrinfo hints = {.ai_family = AF_INET6, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
  struct addrinfo* address;
  if (getaddrinfo(NULL, port, &hints, &address) != 0) fail("the port is none");
  const int one = 1;
  const int door = socket(address->ai_family, SOCK_STREAM, 0);
  if (door < 0 || setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0) fail("no socket");
  prepare(door);
  if (bind(door, address->ai_addr, address->ai_addrlen) != 0 || listen(door, 1) != 0) fail("the port is taken");
  freeaddrinfo(address);
  const int connection = accept(door, NULL, NULL);
  if (connection < 0) fail("accept");
  long plan[2];  // size, round trips
  while (receive(connection, sizeof plan)) {
    memcpy(plan, in, sizeof plan);
    for (long i = 0; i < plan[1]; ++i) {
      if (!receive(connection, (size_t)plan[0])) return;
      transmit(connection, (size_t)plan[0]);
    }
  }
}

static int call(const char* host, const char* port) {
  const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo* address;
  if (getaddrinfo(host, port, &hints, &address) != 0) fail("the address is none");
  for (int attempt = 0; attempt < kAttempts; ++attempt) {  // until the other one listens
    const int connection = socket(address->ai_family, SOCK_STREAM, 0);
    prepare(connection);
    if (connect(connection, address->ai_addr, address->ai_addrlen) == 0) {
      freeaddrinfo(address);
      return connection;
    }
    close(connection);
    usleep(10000);
  }
  fail("nobody answers");
  return -1;
}

static double half_a_trip_ns(int connection, long size, long trips) {
  const long plan[2] = {size, trips};
  memcpy(out, plan, sizeof plan);
  transmit(connection, sizeof plan);
  const double start = now_ns();
  for (long i = 0; i < trips; ++i) {
    transmit(connection, (size_t)size);
    if (!receive(connection, (size_t)size)) fail("the other end has closed");
  }
  return (now_ns() - start) / (2.0 * (double)trips);
}

static int by_value(const void* a, const void* b) {
  const double left = *(const double*)a;
  const double right = *(const double*)b;
  return (left > right) - (left < right);
}

static void measure(int connection, long size) {
  double times[kRepetitions];
  half_a_trip_ns(connection, size, 20);
  const double trip_ns = 2 * half_a_trip_ns(connection, size, 50);
  const long trips = 1 + (long)(kBudgetNs / kRepetitions / trip_ns);
  for (int i = 0; i < kRepetitions; ++i) times[i] = 1e-3 * half_a_trip_ns(connection, size, trips);
  qsort(times, kRepetitions, sizeof *times, by_value);
  printf("socket\t%ld\t%.6g\tus\t%.6g\t%.6g\n", size, times[kRepetitions / 2], times[0], times[kRepetitions - 1]);
  fflush(stdout);
}

int main(int argc, char** argv) {
  in = new_buffer();
  out = new_buffer();
  if (argc == 2) {
    answer(argv[1]);
    return 0;
  }
  if (argc < 4) {
    fprintf(stderr, "usage: socket PORT\n       socket ADDRESS PORT SIZE...\n");
    return 2;
  }
  const int connection = call(argv[1], argv[2]);
  for (int i = 3; i < argc; ++i) {
    const long size = strtol(argv[i], NULL, 10);
    if (size < 1 || size > kLargest) fail("a size is not from 1 to 16 MiB");
    measure(connection, size);
  }
  return 0;
}
