// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The algorithm that the selector chooses beside all others that could run the call, for each operation and size: how
// long each takes, in turns that alternate, and what the model says. Runs under mpiexec, on the engine itself, for a
// program cannot choose algorithms while it runs. The roots take turns. Nobody is late on purpose.
//
// usage: mpiexec -n N choices [--only=OP,OP] [--sizes=A,B] [--turns=N] [--budget=S] [--all]
//   sizes   bytes as STARLING_COLL_<OP> counts them: of the vector or of a block (a reduce_scatter: of all blocks)
//   turns   in which each algorithm is measured; the figure is the median
//   budget  seconds of one turn of one algorithm
//   all     a line for each algorithm, with what the model says
//
// Output: `operation TAB bytes TAB chosen TAB us TAB best TAB us TAB ratio`; with --all also `+ operation TAB bytes TAB
// algorithm TAB us TAB model us`. Lines that begin with '#' are remarks; the last ones sum up.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "collective/choose/selector.hpp"
#include "collective/choose/shape.hpp"
#include "collective/collectives.hpp"
#include "memory/usable_cores.hpp"
#include "world/world.hpp"

namespace starling::bench {
namespace {

using collective::Algorithm;
using collective::Arguments;
using collective::Collectives;
using collective::Operation;
using collective::Shape;

constexpr std::int64_t kMostBytes = 8 << 20;  // of a rank's buffers
constexpr Operation kMeasured[] = {Operation::kBarrier,           Operation::kBcast,    Operation::kReduce,
                                   Operation::kAllreduce,         Operation::kGather,   Operation::kScatter,
                                   Operation::kAllgather,         Operation::kAlltoall, Operation::kScan,
                                   Operation::kReduceScatterBlock};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "choices: %s\n", what.c_str());
  std::exit(2);
}

template <typename T>
T checked(Result<T> result) {
  if (!result.ok()) fail(result.status().message());
  return std::move(result).value();
}

struct Options {
  std::vector<Operation> operations{std::begin(kMeasured), std::end(kMeasured)};
  std::vector<std::int64_t> sizes{8, 64, 512, 2048, 8192, 16384, 32768, 65536, 262144, 1048576};
  std::int64_t turns = 7;
  double budget_s = 0.002;
  bool all = false;
};

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    words.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return words;
}

template <typename T>
T number_of(std::string_view word) {
  T value{};
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || end != word.data() + word.size() || value <= T{}) {
    fail(formatted("'{}' is no number above 0", word));
  }
  return value;
}

Operation operation_of(std::string_view word) {
  for (const Operation operation : kMeasured) {
    if (word == name(operation)) return operation;
  }
  fail(formatted("'{}' is not measured here", word));
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::string_view value = word.substr(std::min(word.find('=') + 1, word.size()));
    if (word == "--all") {
      options.all = true;
    } else if (word.starts_with("--only=")) {
      options.operations.clear();
      for (const std::string_view each : words_of(value)) options.operations.push_back(operation_of(each));
    } else if (word.starts_with("--sizes=")) {
      options.sizes.clear();
      for (const std::string_view each : words_of(value)) options.sizes.push_back(number_of<std::int64_t>(each));
    } else if (word.starts_with("--turns=")) {
      options.turns = number_of<std::int64_t>(value);
    } else if (word.starts_with("--budget=")) {
      options.budget_s = number_of<double>(value);
    } else {
      fail(formatted("there is no option '{}'", word));
    }
  }
  return options;
}

/// A call of an operation, with buffers for it.
class Calls {
 public:
  Calls(Operation operation, std::int64_t bytes, std::int32_t ranks) {
    const std::int64_t whole = bytes * ranks;
    const bool all_in = operation == Operation::kGather || operation == Operation::kAllgather;
    const bool all_out = operation == Operation::kScatter;
    const bool both = operation == Operation::kAlltoall;
    const bool halves = operation == Operation::kReduceScatterBlock;
    out_.assign(static_cast<std::size_t>((all_out || both ? whole : bytes) / kDouble + 1), 1.0);
    in_.assign(static_cast<std::size_t>((all_in || both ? whole : bytes) / kDouble + 1), 0.0);
    const std::int64_t count = bytes / kDouble / (halves ? ranks : 1);
    const datatype::Datatype& type = datatype::predefined(datatype::Basic::kDouble);
    arguments_.operation = operation;
    arguments_.send_buffer = out_.data();
    arguments_.send_count = arguments_.receive_count = operation == Operation::kBarrier ? 0 : count;
    arguments_.send_type = arguments_.receive_type = &type;
    arguments_.receive_buffer = in_.data();
    if (reduces(operation)) arguments_.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  }

  static bool has_room(Operation operation, std::int64_t bytes, std::int32_t ranks) {
    const bool blocks = operation == Operation::kGather || operation == Operation::kScatter ||
                        operation == Operation::kAllgather || operation == Operation::kAlltoall;
    if (operation == Operation::kReduceScatterBlock && bytes < kDouble * ranks) return false;
    return bytes * (blocks ? ranks : 1) <= kMostBytes;
  }

  void run(Collectives& engine, comm::Communicator& comm, std::int64_t times) {
    arguments_.comm = &comm;
    for (std::int64_t i = 0; i < times; ++i) {
      arguments_.root = rooted(arguments_.operation) ? static_cast<std::int32_t>(turn_++ % comm.size()) : 0;
      const Status status = engine.run(arguments_);
      if (!status.ok()) fail(status.message());
    }
  }

 private:
  static constexpr std::int64_t kDouble = sizeof(double);

  std::vector<double> out_;
  std::vector<double> in_;
  Arguments arguments_;
  std::int64_t turn_ = 0;
};

/// What one algorithm takes.
struct Figures {
  const Algorithm* algorithm;
  std::vector<double> turns_s;
  double model_ns;
  std::int64_t times = 0;

  [[nodiscard]] double seconds() const {
    std::vector<double> sorted = turns_s;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
};

class Bench {
 public:
  Bench(world::World& world, const Options& options)
      : world_(world),
        options_(options),
        selector_(checked(collective::Selector::create(world.config(), world.placement().fewest_usable_cores()))) {}

  void run() {
    for (const Operation operation : options_.operations) {
      const bool has_data = operation != Operation::kBarrier;
      for (const std::int64_t bytes : has_data ? options_.sizes : std::vector<std::int64_t>{0}) {
        if (Calls::has_room(operation, bytes, world_.size())) measure(operation, bytes);
      }
    }
    if (world_.rank() == WorldRank(0)) sum_up();
  }

 private:
  void measure(Operation operation, std::int64_t bytes) {
    Shape shape = collective::usual_shape(operation, world_.size(), bytes);
    shape.reproducible = selector_.reproducible();
    shape.distance = collective::distance_of(*world_.comm_world());
    if (world_.placement().nodes() > 1) shape.has_buffer = shape.has_segments = false;
    std::vector<Figures> all;
    for (const Algorithm* algorithm : algorithms(operation)) {
      const bool oblivious = (algorithm->needs & (collective::kPredicted | collective::kInter)) == 0;
      if (oblivious && misfit(*algorithm, shape).empty()) {
        all.push_back({algorithm, {}, algorithm->cost(shape, selector_.machine(shape.distance))});
      }
    }
    Calls calls(operation, bytes, world_.size());
    for (std::int64_t turn = 0; turn < options_.turns; ++turn) {
      for (Figures& figures : all) time_turn(calls, figures);
    }
    if (world_.rank() == WorldRank(0)) tell(all, selector_.choose(shape), bytes);
  }

  /// One turn of an algorithm, on a communicator of its own.
  void time_turn(Calls& calls, Figures& figures) {
    config::Store config = world_.config();
    std::string variable = std::string("COLL_") + name(figures.algorithm->operation);
    std::ranges::transform(variable, variable.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    if (!config.set(variable, figures.algorithm->name).ok()) fail("no variable " + variable);
    const auto engine = checked(Collectives::create(world_.p2p(), world_.placement(), config));
    const auto comm = communicator();
    if (figures.times == 0) {
      calls.run(*engine, *comm, kWarmCalls);
      figures.times = times_for(slowest_s(calls, *engine, *comm, 4) / 4);
    }
    calls.run(*engine, *comm, kWarmCalls);
    figures.turns_s.push_back(slowest_s(calls, *engine, *comm, figures.times) / static_cast<double>(figures.times));
  }

  [[nodiscard]] std::int64_t times_for(double each_s) const {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(options_.budget_s / std::max(each_s, 1e-9)), 4, 20000);
  }

  double slowest_s(Calls& calls, Collectives& engine, comm::Communicator& comm, std::int64_t times) {
    barrier();
    const std::int64_t begin = now_ns();
    calls.run(engine, comm, times);
    double mine = 1e-9 * static_cast<double>(now_ns() - begin);
    std::vector<double> each(static_cast<std::size_t>(world_.size()));
    const Status status = world_.collectives().allgather(*world_.comm_world(), &mine, each.data(), sizeof mine);
    if (!status.ok()) fail(status.message());
    return *std::ranges::max_element(each);
  }

  void barrier() {
    Arguments arguments;
    arguments.comm = world_.comm_world().get();
    if (const Status status = world_.collectives().run(arguments); !status.ok()) fail(status.message());
  }

  /// Rank 0 says its number to all.
  Ref<comm::Communicator> communicator() {
    std::uint32_t context = world_.rank() == WorldRank(0) ? checked(world_.take_context_ids(nullptr, 1)) : 0;
    const Status status = world_.collectives().broadcast(*world_.comm_world(), &context, sizeof context, 0);
    if (!status.ok()) fail(status.message());
    const Ref<comm::Group>& group = world_.comm_world()->group();
    return Ref<comm::Communicator>::adopt(
        new comm::Communicator(context, group, world_.rank().value, world_.common_of({}, {group.get()})));
  }

  void tell(const std::vector<Figures>& all, const Algorithm& chosen, std::int64_t bytes) {
    // Those that go by arrival are picked only when ranks come late.
    const Figures* best = nullptr;
    const Figures* taken = nullptr;
    for (const Figures& figures : all) {
      const bool may = (figures.algorithm->needs & collective::kByArrival) == 0;
      if (may && (best == nullptr || figures.seconds() < best->seconds())) best = &figures;
      if (figures.algorithm == &chosen) taken = &figures;
      if (options_.all) {
        std::printf("+ %s\t%lld\t%s\t%.2f\t%.2f\n", name(chosen.operation), static_cast<long long>(bytes),
                    figures.algorithm->name, 1e6 * figures.seconds(), 1e-3 * figures.model_ns);
      }
    }
    const double ratio = taken->seconds() / best->seconds();
    std::printf("%s\t%lld\t%s\t%.2f\t%s\t%.2f\t%.2f\n", name(chosen.operation), static_cast<long long>(bytes),
                chosen.name, 1e6 * taken->seconds(), best->algorithm->name, 1e6 * best->seconds(), ratio);
    std::fflush(stdout);
    ratios_.push_back(ratio);
  }

  void sum_up() const {
    double sum = 0;
    std::size_t above = 0;
    for (const double ratio : ratios_) {
      sum += std::log(ratio);
      above += ratio > kWanted;
    }
    std::printf("# %d ranks, %d cores: %zu of %zu choices take more than %.2f of the best; mean %.3f, worst %.2f\n",
                world_.size(), world_.placement().fewest_usable_cores(), above, ratios_.size(), kWanted,
                std::exp(sum / static_cast<double>(ratios_.size())), *std::ranges::max_element(ratios_));
  }

  static constexpr double kWanted = 1.15;
  static constexpr std::int64_t kWarmCalls = 4;

  world::World& world_;
  const Options& options_;
  collective::Selector selector_;
  std::vector<double> ratios_;
};

int run(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  std::vector<std::string> warnings;
  const auto world = checked(world::join_world({}, &warnings));
  for (const std::string& warning : warnings) std::fprintf(stderr, "choices: %s\n", warning.c_str());
  Bench(*world, options).run();
  return world->finalize().ok() ? 0 : 1;
}

}  // namespace
}  // namespace starling::bench

int main(int argc, char** argv) { return starling::bench::run(argc, argv); }
