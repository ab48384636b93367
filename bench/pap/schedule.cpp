// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// bench/pap/schedule: how long each method takes to make a schedule, on the instances of the paper's section 5.7 and of
// its lemma 1, all in one run on one core, in processor time.
//
// Prints means and the ratios that matter, or, as comma-separated values, a line for each method: mean and standard
// deviation, the ratio to the segment tree (the paper's table 1), and how likely it is that times of the same mean
// differ so much (Welch's t-test).
//
// usage: schedule [--seconds S] [--runs N] [--slow] [--csv] [--set I] [P,N ...]
//   --seconds S   about how long each line may take (2), for 250 instances at most
//   --runs N      so many instances in each line, however long they take
//   --slow        also linear and pairing heaps where they take seconds
//   --csv         comma-separated values
//   --set I       segment tree and fast by this instruction set: baseline, AVX2 or AVX-512, if this machine has it
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrival/methods/fast.hpp"
#include "arrival/methods/generate.hpp"
#include "arrival/methods/segment_tree.hpp"
#include "unit/arrival/instances.hpp"
#include "unit/arrival/statistics.hpp"

namespace {

using namespace starling::arrival;

struct Size {
  int processes;
  int segments;
};

struct Options {
  double seconds = 2;
  int runs = 0;  ///< where it is 0, as many as fit
  bool slow = false;
  bool csv = false;
  std::string set;
  std::vector<Size> sizes;
};

/// The methods that are measured: all, some of them by the instruction set that was asked for.
std::vector<Method> tried;  // NOLINT(cert-err58-cpp)
const FastKernels* fast_by = nullptr;
const TreeKernels* tree_by = nullptr;

void choose_methods(const Options& options) {
  tried.assign(methods().begin(), methods().end());
  if (options.set.empty()) return;
  for (std::size_t i = 0; i < fast_kernels().size(); ++i) {
    if (options.set != fast_kernels()[i]->instruction_set) continue;
    fast_by = fast_kernels()[i];
    tree_by = tree_kernels()[i];
  }
  if (fast_by == nullptr) {
    std::fprintf(stderr, "schedule: this machine has no '%s'\n", options.set.c_str());
    std::exit(2);
  }
  tried.back().run = [](const Pattern& pattern, RoundSink& sink) { run_windowed(pattern, sink, *fast_by); };
  tried[tried.size() - 2].run = [](const Pattern& pattern, RoundSink& sink) {
    run_segment_tree_by(*tree_by, pattern, sink);
  };
}

double processor_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What the methods took, over instances that all of them met.
struct Times {
  std::vector<std::vector<double>> of_method;  // seconds, one for each instance
  double transfers = 0;                        // mean
  double bits = 0;                             // the fast method's, for each process and segment: the most
};

/// Linear needs about this many nanoseconds for each step of P * P * N, so what would take long is left out.
bool too_slow(const Method& method, Size size, const Options& options) {
  if (options.slow || (method.name != "linear" && method.name != "pairing_heaps")) return false;
  return 1.0 * size.processes * size.processes * size.segments > 3e7;
}

/// Small instances are made several times for each look at the clock, of so many processes by segments in all.
constexpr int kCellsATime = 4096;

template <typename MakeInstance>
Times measure(Size size, const Options& options, MakeInstance make_instance) {
  Times times;
  times.of_method.resize(tried.size());
  std::mt19937_64 random(20201120);
  const double begin = processor_s();
  double transfers = 0;
  int instances = 0;
  // A look at the clock takes as long as some dozens of transfers.
  const int repeats = std::max(1, kCellsATime / (size.processes * size.segments));
  const auto goes_on = [&] {
    if (options.runs > 0) return instances < options.runs;
    return instances < 3 || (processor_s() - begin < options.seconds && instances < 250);
  };
  while (goes_on()) {
    const Instance instance = make_instance(random, size.processes, size.segments);
    for (std::size_t m = 0; m < tried.size(); ++m) {
      if (too_slow(tried[m], size, options)) continue;
      std::size_t sent = 0;
      const double start = processor_s();
      for (int i = 0; i < repeats; ++i) sent = make_schedule(instance.pattern(), tried[m]).value().transfers.size();
      times.of_method[m].push_back((processor_s() - start) / repeats);
      if (m + 1 == tried.size()) transfers += static_cast<double>(sent);
    }
    const double cells = 1.0 * size.processes * size.segments;
    times.bits = std::max(times.bits, 8.0 * static_cast<double>(fast_memory_bytes(instance.pattern())) / cells);
    ++instances;
  }
  times.transfers = transfers / instances;
  return times;
}

void print_values(const char* kind, Size size, const Times& times) {
  const std::vector<double>& tree = times.of_method[times.of_method.size() - 2];
  for (std::size_t m = 0; m < tried.size(); ++m) {
    const std::vector<double>& own = times.of_method[m];
    if (own.empty()) continue;
    std::printf("%s,%d,%d,%s,%zu,%.6f,%.6f,%.3f,%.3g\n", kind, size.processes, size.segments, tried[m].name.data(),
                own.size(), 1e3 * mean(own), 1e3 * std::sqrt(variance(own)), mean(own) / mean(tree),
                &own == &tree ? 1.0 : welch_p(own, tree));
  }
  std::fflush(stdout);
}

std::string ratio(const Times& times, std::size_t method) {
  if (times.of_method[method].empty()) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", mean(times.of_method[method]) / mean(times.of_method.back()));
  return text;
}

void print_line(const char* kind, Size size, const Times& times) {
  std::printf("%-8s %6d %4d %5zu", kind, size.processes, size.segments, times.of_method.back().size());
  for (const auto& values : times.of_method) {
    values.empty() ? std::printf("          -") : std::printf(" %10.4f", 1e3 * mean(values));
  }
  for (std::size_t m = 0; m + 1 < tried.size(); ++m) std::printf(" %8s", ratio(times, m).c_str());
  std::printf(" %8.1f %6.2f\n", 1e9 * mean(times.of_method.back()) / std::max(times.transfers, 1.0), times.bits);
  std::fflush(stdout);
}

void print_head() {
  std::printf(
      "Mean processor time in ms, ratios to 'fast', ns for each transfer, bits for each process and segment.\n");
  std::printf("%-8s %6s %4s %5s", "pattern", "P", "N", "runs");
  for (const Method& method : tried) std::printf(" %10.10s", method.name.data());
  for (std::size_t m = 0; m + 1 < tried.size(); ++m) std::printf(" %.6s/f", tried[m].name.data());
  std::printf(" %8s %6s\n", "ns", "bits");
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    Size size{};
    if (word == "--seconds" && i + 1 < argc) {
      options.seconds = std::atof(argv[++i]);
    } else if (word == "--runs" && i + 1 < argc) {
      options.runs = std::atoi(argv[++i]);
    } else if (word == "--set" && i + 1 < argc) {
      options.set = argv[++i];
    } else if (word == "--slow") {
      options.slow = true;
    } else if (word == "--csv") {
      options.csv = true;
    } else if (std::sscanf(argv[i], "%d,%d", &size.processes, &size.segments) == 2) {
      options.sizes.push_back(size);
    } else {
      std::fprintf(stderr, "usage: schedule [--seconds S] [--runs N] [--slow] [--csv] [--set I] [P,N ...]\n");
      std::exit(2);
    }
  }
  if (options.sizes.empty()) {
    options.sizes = {{2, 1}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {64, 64}, {128, 128}, {256, 256}, {512, 512}};
    options.sizes.insert(options.sizes.end(), {{1024, 32}, {4096, 64}, {16384, 32}});
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  choose_methods(options);
  if (options.csv) {
    std::printf("pattern,processes,segments,method,runs,mean_ms,deviation_ms,ratio_to_tree,p\n");
  } else {
    print_head();
  }
  const auto print = [&](const char* kind, Size size, auto make_instance) {
    const Times times = measure(size, options, make_instance);
    options.csv ? print_values(kind, size, times) : print_line(kind, size, times);
  };
  for (const Size size : options.sizes) {
    print("uniform", size, uniform_instance);
    print("skewed", size, skewed_instance);
    if (size.processes > size.segments) print("lemma1", size, lemma_instance);
  }
  return 0;
}
