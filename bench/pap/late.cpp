// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// bench/pap/late: the mini-benchmark of the paper (section 6). In each iteration: random data, a double barrier, a
// computation that takes each process a random time longer, the reduce, timed, and a check of its result.
//
// Prints a line of comma-separated values for each delay and algorithm: run time (from the first arrival to the last
// end), exposed time (from the last arrival to the last end) and the spread of the arrivals, medians over the
// iterations, then what a schedule took to make and the exposed time, both in the mean, and run time in the mean and
// the standard deviations of run and exposed time, all in milliseconds.
//
// usage: late [--floats N] [--delays S,S,...] [--algorithms A,A,...] [--iterations N] [--warm N] [--drawn each|once]
// [--seed N] [--compute S] [--progress N] [--error E] [--stale N] [--plain A] [--segments N] [--name DEFAULT]
//   --algorithms  the MPI's default, the paper's rivals, clairvoyant, which is told the delays, foreseen, which has
//                 them from the preloaded library's thread and predictor, and choice: --plain or clairvoyant as
//                 arrival::Choice decides before each reduce, as a program's own calls go
//   --warm        iterations before those that count
//   --compute     what every process computes in each iteration, beside its delay
//   --progress    so often in each computation the program says how far it is
//   --plain       the algorithm of choice's calls that go around nobody (default)
//   --stale       so many iterations old are the delays that predictions are made from
//   --drawn       once: every iteration has the same delays, so that whoever watches can foresee them
//   --error       how wrong predictions are: 0.2 is each delay off by up to a fifth
//   --segments    at most so many
//   --name        how the MPI's default algorithm is called in the output
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "arrival/methods/generate.hpp"
#include "arrival/predict/choice.hpp"
#include "arrival/predict/cost.hpp"
#include "arrival/predict/evidence.hpp"
#include "foreseen.hpp"
#include "measurements.hpp"
#include "program.hpp"
#include "reduce_run.hpp"
#include "rivals.hpp"

namespace {

using namespace starling;
using programs::now_s;
using programs::words;

/// More cost more to schedule than they save.
constexpr int kMostSegments = 512;

struct Options {
  int floats = 1 << 20;
  std::vector<double> delays = {0, 0.02, 0.1, 0.5};
  std::vector<std::string> algorithms = {"default", "binomial", "rabenseifner", "radix_k", "ring", "clairvoyant"};
  int iterations = 16;
  int warm = 0;
  bool drawn_once = false;
  unsigned seed = 20201120;
  double compute_s = 0;
  int progress = 0;
  double error = 0;
  int stale = 0;
  std::string plain = "default";
  int segments = 0;
  std::string name = "default";
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const std::string value = argv[i + 1];
    if (option == "--floats") options.floats = std::atoi(value.c_str());
    if (option == "--iterations") options.iterations = std::atoi(value.c_str());
    if (option == "--warm") options.warm = std::atoi(value.c_str());
    if (option == "--seed") options.seed = static_cast<unsigned>(std::atoi(value.c_str()));
    if (option == "--compute") options.compute_s = std::atof(value.c_str());
    if (option == "--progress") options.progress = std::atoi(value.c_str());
    if (option == "--drawn") options.drawn_once = value == "once";
    if (option == "--error") options.error = std::atof(value.c_str());
    if (option == "--stale") options.stale = std::atoi(value.c_str());
    if (option == "--plain") options.plain = value;
    if (option == "--segments") options.segments = std::atoi(value.c_str());
    if (option == "--name") options.name = value;
    if (option == "--algorithms") options.algorithms = words(value);
    if (option == "--delays") {
      options.delays.clear();
      for (const std::string& delay : words(value)) options.delays.push_back(std::atof(delay.c_str()));
    }
  }
  return options;
}

/// What all ranks know alike of an iteration: who is how late, and what is predicted.
struct Iteration {
  std::vector<double> delay_s;
  std::vector<double> predicted_s;
};

Iteration draw(std::mt19937& random, int size, double largest_s, double error) {
  std::uniform_real_distribution<double> share(0, 1);
  Iteration iteration;
  for (int rank = 0; rank < size; ++rank) {
    const double delay = largest_s * share(random);
    iteration.delay_s.push_back(delay);
    iteration.predicted_s.push_back(delay * (1 + error * (2 * share(random) - 1)));
  }
  return iteration;
}

class Bench {
 public:
  Bench(const Options& options, MPI_Comm comm) : options_(options), comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    MPI_Comm_dup(comm, &channel_);
    meet();
    link_ = measurements_.link(channel_);
    send_.resize(static_cast<std::size_t>(options.floats));
    receive_.resize(static_cast<std::size_t>(options.floats));
    const std::int64_t bytes = std::int64_t{4} * options.floats;
    slicing_ = arrival::slice(bytes, size_, link_, std::clamp(options.floats / 256, 1, kMostSegments));
    if (options.segments > 0) slicing_ = arrival::slice(bytes, size_, link_, options.segments);
    if (rank_ != 0) return;
    for (const arrival::LinkSample& sample : link_) {
      std::fprintf(stderr, "%lld bytes: %.1f us alone, %.1f us each in a row\n", static_cast<long long>(sample.bytes),
                   1e6 * sample.hop_s, 1e6 * sample.period_s);
    }
    std::fprintf(stderr, "%d segments, rounds of %.3f ms\n", slicing_.segments,
                 1e-6 * static_cast<double>(slicing_.round_length));
  }

  void run() {
    if (rank_ == 0)
      std::printf(
          "algorithm,processes,floats,delay_s,error,run_ms,exposed_ms,spread_ms,schedule_ms,mean_ms,run_mean_ms,"
          "run_deviation_ms,exposed_deviation_ms,iterations\n");
    for (const double delay : options_.delays) {
      for (const std::string& algorithm : options_.algorithms) measure(algorithm, delay);
    }
  }

 private:
  struct Sample {
    double run_ms;
    double exposed_ms;
    double spread_ms;
  };

  /// SimGrid's MPI looks once, in the first collective call, which ranks share a node, and takes a thread of a rank for
  /// one more rank there. So it has to look before there are threads.
  void meet() {
    std::vector<int> ranks(static_cast<std::size_t>(size_));
    MPI_Allgather(&rank_, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm_);
    MPI_Allreduce(MPI_IN_PLACE, ranks.data(), 1, MPI_INT, MPI_MAX, comm_);
  }

  void measure(const std::string& algorithm, double largest_s) {
    std::mt19937 random(options_.seed);
    std::vector<Sample> samples;
    schedule_s_ = 0;
    choice_ = {};
    if (algorithm == "foreseen") foreseen_ = std::make_unique<bench::Foreseen>(comm_, options_.floats, measurements_);
    std::deque<Iteration> drawn;  // as many as predictions are old, and the newest
    for (int i = 0; i < options_.warm + options_.iterations; ++i) {
      if (i == 0 || !options_.drawn_once) drawn.push_back(draw(random, size_, largest_s, options_.error));
      if (static_cast<int>(drawn.size()) > options_.stale + 1) drawn.pop_front();
      samples.push_back(iterate(algorithm, {drawn.back().delay_s, drawn.front().predicted_s}, i));
    }
    if (foreseen_) schedule_s_ = foreseen_->schedule_s();
    foreseen_.reset();
    samples.erase(samples.begin(), samples.begin() + options_.warm);
    if (rank_ == 0) print(algorithm, largest_s, samples);
  }

  void print(const std::string& algorithm, double largest_s, const std::vector<Sample>& samples) const {
    const auto values = [&samples](double Sample::*field) {
      std::vector<double> of_field;
      for (const Sample& sample : samples) of_field.push_back(sample.*field);
      std::sort(of_field.begin(), of_field.end());
      return of_field;
    };
    const auto median = [&values](double Sample::*field) { return values(field)[values(field).size() / 2]; };
    const auto mean = [&samples](double Sample::*field) {
      double sum = 0;
      for (const Sample& sample : samples) sum += sample.*field;
      return sum / static_cast<double>(samples.size());
    };
    const auto deviation = [&](double Sample::*field) {
      double sum = 0;
      for (const Sample& sample : samples) sum += std::pow(sample.*field - mean(field), 2);
      return samples.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(samples.size() - 1));
    };
    std::printf("%s,%d,%d,%g,%g,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%zu\n",
                algorithm == "default" ? options_.name.c_str() : algorithm.c_str(), size_, options_.floats, largest_s,
                options_.error, median(&Sample::run_ms), median(&Sample::exposed_ms), median(&Sample::spread_ms),
                1e3 * schedule_s_ / (options_.warm + options_.iterations), mean(&Sample::exposed_ms),
                mean(&Sample::run_ms), deviation(&Sample::run_ms), deviation(&Sample::exposed_ms), samples.size());
    std::fflush(stdout);
  }

  Sample iterate(const std::string& algorithm, const Iteration& iteration, int number) {
    for (std::size_t i = 0; i < send_.size(); ++i) send_[i] = value(rank_, number, i);
    MPI_Barrier(comm_);
    MPI_Barrier(comm_);
    compute(options_.compute_s + iteration.delay_s[static_cast<std::size_t>(rank_)]);
    const double begin = now_s();
    reduce(algorithm, iteration);
    const double end = now_s();
    check(number, algorithm);
    std::vector<double> begins(static_cast<std::size_t>(size_));
    double last_end = 0;
    MPI_Allgather(&begin, 1, MPI_DOUBLE, begins.data(), 1, MPI_DOUBLE, comm_);
    MPI_Allreduce(&end, &last_end, 1, MPI_DOUBLE, MPI_MAX, comm_);
    const auto [first, last] = std::minmax_element(begins.begin(), begins.end());
    if (algorithm == "choice") {
      const auto predicted = arrival::ticks_from_seconds(iteration.predicted_s, 1e-9);
      const double tolerance_s = choice_.least_spread_s(vector_s());
      choice_.learn({way_, last_end - *last, arrival::evidence(predicted.value(), begins, tolerance_s)});
    }
    return {1e3 * (last_end - *first), 1e3 * (last_end - *last), 1e3 * (*last - *first)};
  }

  void compute(double seconds) {
    const int parts = std::max(1, options_.progress);
    for (int part = 1; part <= parts; ++part) {
      programs::sleep_s(seconds / parts);
      if (options_.progress > 0 && foreseen_) foreseen_->progress(static_cast<double>(part) / parts);
    }
  }

  /// Small whole numbers, so that every order of summation gives the same.
  static float value(int rank, int number, std::size_t index) {
    return static_cast<float>((static_cast<std::size_t>(rank) * 7 + static_cast<std::size_t>(number) * 3 + index) % 16);
  }

  void check(int number, const std::string& algorithm) {
    if (rank_ != 0) return;
    for (std::size_t i = 0; i < receive_.size(); i += receive_.size() / 97 + 1) {
      float expected = 0;
      for (int rank = 0; rank < size_; ++rank) expected += value(rank, number, i);
      if (receive_[i] == expected) continue;
      std::fprintf(stderr, "%s: element %zu is %g, should be %g\n", algorithm.c_str(), i, receive_[i], expected);
      MPI_Abort(comm_, 1);
    }
    std::fill(receive_.begin(), receive_.end(), -1.0f);
  }

  [[nodiscard]] double vector_s() const { return arrival::hop_s(std::int64_t{4} * options_.floats, link_); }

  void reduce(const std::string& algorithm, const Iteration& iteration) {
    const auto with = [this](bench::Reduce function) {
      function(send_.data(), receive_.data(), options_.floats, comm_);
    };
    if (algorithm == "default") return with(bench::reduce_default);
    if (algorithm == "binomial") return with(bench::reduce_binomial);
    if (algorithm == "rabenseifner") return with(bench::reduce_rabenseifner);
    if (algorithm == "radix_k") return with(bench::reduce_radix_k);
    if (algorithm == "ring") return with(bench::reduce_ring);
    if (algorithm == "clairvoyant") return clairvoyant(iteration);
    if (algorithm == "foreseen") {
      if (foreseen_->reduce(send_.data(), receive_.data()) != MPI_SUCCESS) MPI_Abort(comm_, 3);
      return;
    }
    if (algorithm == "choice") {
      const auto [first, last] = std::minmax_element(iteration.predicted_s.begin(), iteration.predicted_s.end());
      way_ = choice_.choose(*last - *first, vector_s()).way;
      return way_ == arrival::Choice::Way::kScheduled ? clairvoyant(iteration) : reduce(options_.plain, iteration);
    }
    std::fprintf(stderr, "there is no algorithm '%s'\n", algorithm.c_str());
    MPI_Abort(comm_, 2);
  }

  void clairvoyant(const Iteration& iteration) {
    const auto steps = programs::charged(&schedule_s_, [&] {
      const auto arrivals = arrival::ticks_from_seconds(iteration.predicted_s, 1e-9);
      const arrival::Pattern pattern{arrivals.value(), 0, slicing_.segments, slicing_.round_length,
                                     arrival::RootRole::kOnlyTakes};
      return arrival::make_steps(pattern, rank_);
    });
    const pap::ReduceCall call{send_.data(), receive_.data(), options_.floats, MPI_FLOAT, MPI_SUM, 0, channel_};
    pap::run_reduce(call, steps.value(), slicing_.segments, workspace_);
  }

  const Options& options_;
  MPI_Comm comm_;
  MPI_Comm channel_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  pap::LatestLink latest_link_;
  pap::Measurements measurements_{latest_link_};
  arrival::Link link_;
  arrival::Slicing slicing_;
  arrival::Choice choice_;
  arrival::Choice::Way way_ = arrival::Choice::Way::kPlain;
  std::unique_ptr<bench::Foreseen> foreseen_;  ///< while it is measured
  pap::Workspace workspace_;
  std::vector<float> send_;
  std::vector<float> receive_;
  double schedule_s_ = 0;
};

/// The thread of `foreseen` calls MPI while the program may, but not where it is simulated.
void init(int* argc, char*** argv, bool with_thread) {
#if defined(STARLING_SIMULATED)
  with_thread = false;
#endif
  const int required = with_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, required, &provided);
  if (provided >= required) return;
  std::fprintf(stderr,
               "late: this MPI gives no MPI_THREAD_MULTIPLE, which the algorithm foreseen needs; leave it out of "
               "--algorithms, or take an MPI that was built for threads\n");
  MPI_Abort(MPI_COMM_WORLD, 2);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  const auto& algorithms = options.algorithms;
  init(&argc, &argv, std::find(algorithms.begin(), algorithms.end(), "foreseen") != algorithms.end());
  Bench(options, MPI_COMM_WORLD).run();
  MPI_Finalize();
  return 0;
}
