// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "window.h"

#include <stdlib.h>

#include "bench.h"
#include "pair.h"

enum { kWindowTag = 2, kAnswerTag = 3, kWindowBytes = 64 << 20, kFill = 7 };

Window window_open(MPI_Comm comm, int peer, WindowRole role) {
  Window window = {.comm = comm, .peer = peer, .role = role, .size = 0, .messages = kWindowMessages};
  window.out = bench_buffer(kBenchMaxMessage, kFill);
  window.in = bench_buffer(role == kSends ? 1 : kWindowBytes, 0);
  return window;
}

void window_set_size(Window* window, int size) {
  window->size = size;
  window->messages = kWindowMessages;
  if ((long)size * kWindowMessages > kWindowBytes) window->messages = kWindowBytes / size;
}

void window_close(Window* window) {
  free(window->out);
  free(window->in);
}

static int post_receives(Window* w, int first) {
  for (int i = 0; i < w->messages; ++i) {
    MPI_Irecv(w->in + (size_t)i * (size_t)w->size, w->size, MPI_CHAR, w->peer, kWindowTag, w->comm,
              &w->requests[first + i]);
  }
  return first + w->messages;
}

static int post_sends(Window* w, int first) {
  for (int i = 0; i < w->messages; ++i) {
    MPI_Isend(w->out, w->size, MPI_CHAR, w->peer, kWindowTag, w->comm, &w->requests[first + i]);
  }
  return first + w->messages;
}

void window_body(void* context, long iterations) {
  Window* w = context;
  for (long i = 0; i < iterations; ++i) {
    int posted = 0;
    if (w->role != kSends) posted = post_receives(w, posted);
    if (w->role != kReceives) posted = post_sends(w, posted);
    MPI_Waitall(posted, w->requests, MPI_STATUSES_IGNORE);
    if (w->role == kSends) MPI_Recv(NULL, 0, MPI_CHAR, w->peer, kAnswerTag, w->comm, MPI_STATUS_IGNORE);
    if (w->role == kReceives) MPI_Send(NULL, 0, MPI_CHAR, w->peer, kAnswerTag, w->comm);
  }
}

void window_check(const Window* window) {
  if (window->role == kSends) return;
  require_bytes("window", window->in, (long)window->size * window->messages, kFill);
}
