// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static void reject(const char* argument) {
  fprintf(stderr,
          "benchmark: option '%s' is not understood. Known: --budget=SECONDS --repetitions=N (3 to %d) "
          "--sizes=BYTES,BYTES,... (0 to %d each) --wait=SECONDS --only=NAME,NAME,... --root=first|turns\n",
          argument, kBenchMaxRepetitions, kBenchMaxMessage);
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

static double parse_seconds(const char* argument, const char* text) {
  char* end;
  const double value = strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= 0.0 && value < 1e6)) reject(argument);
  return value;
}

static long parse_whole(const char* argument, const char* text, char** end, long low, long high) {
  const long value = strtol(text, end, 10);
  if (*end == text || value < low || value > high) reject(argument);
  return value;
}

static void parse_sizes(BenchOptions* options, const char* argument, const char* text) {
  options->size_count = 0;
  for (;;) {
    char* end;
    if (options->size_count == kBenchMaxSizes) reject(argument);
    options->sizes[options->size_count++] = parse_whole(argument, text, &end, 0, kBenchMaxMessage);
    if (*end == '\0') return;
    if (*end != ',') reject(argument);
    text = end + 1;
  }
}

static const char* value_of(const char* argument, const char* name) {
  const size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static void parse_argument(BenchOptions* options, const char* argument) {
  const char* value;
  char* end;
  if ((value = value_of(argument, "--budget=")) != NULL) {
    options->budget_s = parse_seconds(argument, value);
  } else if ((value = value_of(argument, "--wait=")) != NULL) {
    options->wait_s = parse_seconds(argument, value);
  } else if ((value = value_of(argument, "--only=")) != NULL) {
    options->only = value;
  } else if (strcmp(argument, "--root=first") == 0 || strcmp(argument, "--root=turns") == 0) {
    options->first_is_root = strcmp(argument, "--root=first") == 0;
  } else if ((value = value_of(argument, "--sizes=")) != NULL) {
    parse_sizes(options, argument, value);
  } else if ((value = value_of(argument, "--repetitions=")) != NULL) {
    options->repetitions = (int)parse_whole(argument, value, &end, 3, kBenchMaxRepetitions);
    if (*end != '\0') reject(argument);
  } else {
    reject(argument);
  }
}

BenchOptions bench_options(int argc, char** argv, const long* sizes, int size_count) {
  BenchOptions options = {.budget_s = 0.25, .repetitions = 9, .wait_s = 5.0, .only = NULL, .size_count = size_count};
  for (int i = 0; i < size_count; ++i) options.sizes[i] = sizes[i];
  for (int i = 1; i < argc; ++i) parse_argument(&options, argv[i]);
  return options;
}

bool bench_selected(const char* names, const char* name) {
  if (names == NULL) return true;
  const size_t length = strlen(name);
  for (const char* at = names; at != NULL; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  }
  return false;
}
