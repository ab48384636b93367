// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// hosts_join_by_socket serve | call <address> <port>: a program that connects by a socket of its own. The server prints
// the port at which it listens. Both call MPI_Comm_join on the socket three times, exchange a short and a long message
// each time, and print "joined 3" at the end.
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { kLong = 1 << 19 };

static void fail(const char* what) {
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static int serve(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t length = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, (struct sockaddr*)&address, &length) != 0) {
    fail("listen");
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  const int connected = accept(listener, NULL, NULL);
  if (connected < 0) fail("accept");
  return connected;
}

static int call(const char* host, const char* port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
  const int connected = socket(AF_INET, SOCK_STREAM, 0);
  if (connected < 0 || inet_pton(AF_INET, host, &address.sin_addr) != 1 ||
      connect(connected, (struct sockaddr*)&address, sizeof address) != 0) {
    fail("connect");
  }
  return connected;
}

/// Whether what the other end sends is right.
static int exchange(MPI_Comm other, int round, int mine, double* from, double* to) {
  const int theirs = mine == 1 ? 2 : 1;
  int got = 0;
  const int word = 10 * round + mine;
  MPI_Sendrecv(&word, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
  for (int i = 0; i < kLong; ++i) from[i] = i * mine + round;
  memset(to, 0, sizeof(double) * kLong);
  MPI_Sendrecv(from, kLong, MPI_DOUBLE, 0, 1, to, kLong, MPI_DOUBLE, 0, 1, other, MPI_STATUS_IGNORE);
  int right = got == 10 * round + theirs;
  for (int i = 0; i < kLong; ++i) right = right && to[i] == i * theirs + round;
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int serves = argc == 2 && strcmp(argv[1], "serve") == 0;
  if (!serves && (argc != 4 || strcmp(argv[1], "call") != 0)) MPI_Abort(MPI_COMM_WORLD, 2);
  const int connected = serves ? serve() : call(argv[2], argv[3]);
  double* from = malloc(sizeof(double) * kLong);
  double* to = malloc(sizeof(double) * kLong);
  int joined = 0;
  for (int round = 0; round < 3; ++round) {
    MPI_Comm other;
    MPI_Comm_join(connected, &other);
    joined += exchange(other, round, serves ? 1 : 2, from, to);
    MPI_Comm_disconnect(&other);
  }
  free(from);
  free(to);
  printf("joined %d\n", joined);
  MPI_Finalize();
  return 0;
}
