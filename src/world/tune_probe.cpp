// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a rank does in a job of `starling tune`: it measures the engine that programs run on, such that the cost lines
// of the algorithms it runs give the constants. The command finds it by its name among the reports, for it does not
// know this component: words "link" or "turns", and seconds. The launcher has bound ranks that have a core each. Rank
// 0's text is the constants, "name=value" a line. Thread safety: for single-threaded processes, once.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "collective/collectives.hpp"
#include "config/report.hpp"
#include "tuning/constants.hpp"
#include "world/world.hpp"

namespace starling::world {
namespace {

using collective::Arguments;
using collective::Collectives;
using collective::Operation;

/// Of one pass over all figures, by time.
constexpr double kFigureNs = 2.5e6;
constexpr std::int64_t kMostBytes = 1 << 20;
/// A figure below its noise still has to be a time.
constexpr double kLeastNs = 1e-3;

enum class Probe : std::uint8_t {
  kLink,   ///< two ranks with a core each: what communication costs between them
  kTurns,  ///< more ranks than cores: what a switch between them costs
};

struct ProbeOptions {
  Probe probe = Probe::kLink;
  double seconds = 1;  ///< that the job shall take, about
};

using Found = std::vector<std::pair<std::string_view, double>>;

/// Where a machine's cores are changes while it runs, on virtual machines above all. So every pass measures everything
/// within a part of a second, and of each constant the median of all passes counts.
class ProbeRun {
 public:
  explicit ProbeRun(World& world) : world_(world), out_(kMostBytes / 8, 1.0), in_(kMostBytes / 8) {}

  /// The constants, or the first thing that went wrong.
  Result<Found> measure(const ProbeOptions& options) {
    const std::int64_t begin = now_ns();
    std::vector<Found> passes;
    do {
      passes.push_back(options.probe == Probe::kLink ? link() : turns());
    } while (goes_on(now_ns() - begin < static_cast<std::int64_t>(1e9 * options.seconds)));
    if (!failure_.ok()) return std::move(failure_);
    return medians(passes);
  }

 private:
  /// By the cost lines of the algorithms that run here, with two ranks and a core each.
  Found link() {
    tuning::LinkCosts costs{};
    constexpr double kFlagsNs = 40;  // what two flags take to look at
    costs.line_ns = at_least(collective_ns(Operation::kBarrier, "shared", 0) - kFlagsNs);
    const double fetched = 2 * costs.line_ns * 8 / 256;
    // With two ranks a message.
    const auto message = [this](double bytes) { return collective_ns(Operation::kBcast, "binomial", bytes); };
    costs.message_ns = at_least(message(8) - fetched);
    costs.byte_ns = slope(message, 2048, 16384);
    const double long_64k = message(65536);
    costs.long_byte_ns = at_least((message(524288) - long_64k) / (524288 - 65536));
    costs.long_ns = at_least(long_64k - costs.message_ns - 65536 * costs.long_byte_ns);
    const double bcast = slope([this](double bytes) { return collective_ns(Operation::kBcast, "shared", bytes); });
    const double sums = slope([this](double bytes) { return collective_ns(Operation::kAllreduce, "shared", bytes); });
    costs.copy_byte_ns = bcast / 2;
    costs.fold_byte_ns = at_least(sums / 2 - costs.copy_byte_ns);
    const auto sum = [this](double bytes) { return collective_ns(Operation::kReduce, "linear", bytes); };
    const double reduced = at_least(slope(sum, 65536, 262144) - costs.long_byte_ns);

    Found found;
    for (const auto& field : tuning::link_fields()) found.emplace_back(field.name, costs.*(field.value));
    found.emplace_back("reduce_byte_ns", reduced);
    found.emplace_back("own_byte_ns", own_byte_ns());
    return found;
  }

  /// A meeting of more ranks than cores is a turn and a cache line for each rank of a core.
  Found turns() {
    const double share = static_cast<double>(world_.size()) / world_.placement().usable_cores();
    return {{"turn_ns", at_least(collective_ns(Operation::kBarrier, "shared", 0) / share)}};
  }

  /// Rank 0 says whether there is another pass.
  bool goes_on(bool in_time) {
    char more = in_time && failure_.ok() ? 1 : 0;
    check(world_.collectives().broadcast(*world_.comm_world(), &more, 1, 0));
    return more != 0 && failure_.ok();
  }

  static Found medians(const std::vector<Found>& passes) {
    Found found = passes.front();
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::vector<double> values;
      for (const Found& pass : passes) values.push_back(pass[i].second);
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::ranges::nth_element(values, middle);
      found[i].second = *middle;
    }
    return found;
  }

  static double at_least(double value) { return std::max(value, kLeastNs); }
  static double slope(const std::function<double(double)>& cost, double low = 8192, double high = 32768) {
    const double at_low = cost(low);
    return at_least((cost(high) - at_low) / (high - low));
  }

  /// Within this rank's caches.
  double own_byte_ns() {
    constexpr std::size_t kBytes = 65536;
    return usual_ns([this] {
             std::memcpy(in_.data(), out_.data(), kBytes);
             asm volatile("" : : "r"(in_.data()) : "memory");
           }) /
           kBytes;
  }

  /// A call by that algorithm. The roots take turns.
  double collective_ns(Operation operation, const char* algorithm, double bytes) {
    config::Store config = world_.config();
    std::string variable = std::string("COLL_") + name(operation);
    std::ranges::transform(variable, variable.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    check(config.set(variable, algorithm));
    Result<std::unique_ptr<Collectives>> engine = Collectives::create(world_.p2p(), world_.placement(), config);
    if (!engine.ok()) return check(engine.status().copy()), 0;
    const Ref<comm::Communicator> comm = communicator();
    Arguments arguments;
    arguments.operation = operation;
    arguments.comm = comm.get();
    arguments.send_buffer = out_.data();
    arguments.receive_buffer = in_.data();
    arguments.send_count = arguments.receive_count = static_cast<std::int64_t>(bytes) / 8;
    arguments.send_type = arguments.receive_type = &datatype::predefined(datatype::Basic::kDouble);
    arguments.op = &datatype::predefined(datatype::PredefinedOp::kSum);
    return usual_ns([&] {
      if (rooted(operation)) arguments.root = (arguments.root + 1) % comm->size();
      check(engine.value()->run(arguments));
    });
  }

  /// Of all ranks, on a context that no other communicator has.
  Ref<comm::Communicator> communicator() {
    std::uint32_t context = 0;
    if (world_.rank() == WorldRank(0)) {
      const Result<std::uint32_t> taken = world_.take_context_ids(nullptr, 1);
      check(taken.status().copy());
      context = taken.ok() ? taken.value() : 0;
    }
    check(world_.collectives().broadcast(*world_.comm_world(), &context, sizeof context, 0));
    const Ref<comm::Group>& group = world_.comm_world()->group();
    return Ref<comm::Communicator>::adopt(
        new comm::Communicator(context, group, world_.rank().value, world_.common_of({}, {group.get()})));
  }

  /// What an operation of all ranks takes on the slowest.
  double usual_ns(const std::function<void()>& operation) {
    const double once = std::max(1.0, round_ns(operation, kWarmTimes));
    return round_ns(operation, std::clamp<std::int64_t>(static_cast<std::int64_t>(kFigureNs / once), 4, 100000));
  }

  double round_ns(const std::function<void()>& operation, std::int64_t times) {
    Arguments barrier;
    barrier.comm = world_.comm_world().get();
    check(world_.collectives().run(barrier));
    const std::int64_t begin = now_ns();
    for (std::int64_t i = 0; i < times && failure_.ok(); ++i) operation();
    double mine = static_cast<double>(now_ns() - begin) / static_cast<double>(times);
    std::vector<double> each(static_cast<std::size_t>(world_.size()));
    check(world_.collectives().allgather(*world_.comm_world(), &mine, each.data(), sizeof mine));
    return *std::ranges::max_element(each);
  }

  void check(Status status) {
    if (!status.ok() && failure_.ok()) failure_ = std::move(status);
  }

  static constexpr std::int64_t kWarmTimes = 8;

  World& world_;
  std::vector<double> out_;
  std::vector<double> in_;
  Status failure_;
};

Result<ProbeOptions> options_of(std::span<const std::string> words) {
  ProbeOptions options;
  if (words.size() == 2 && (words[0] == "link" || words[0] == "turns")) {
    options.probe = words[0] == "turns" ? Probe::kTurns : Probe::kLink;
    const char* const end = words[1].data() + words[1].size();
    const auto [rest, failed] = std::from_chars(words[1].data(), end, options.seconds);
    if (failed == std::errc() && rest == end) return options;
  }
  return Status::error(ErrorClass::kArg, "'starling tune' starts the jobs that measure; they are not for people");
}

Result<std::string> write(const config::Store& /*config*/, std::span<const std::string> words) {
  const Result<ProbeOptions> options = options_of(words);
  if (!options.ok()) return options.status().copy();
  std::vector<std::string> warnings;
  Result<std::unique_ptr<World>> joined = join_world({}, &warnings);
  if (!joined.ok()) return std::move(joined).status();
  World& world = *joined.value();
  const auto found = ProbeRun(world).measure(options.value());
  if (!found.ok()) return found.status().copy();
  std::string text;
  for (const auto& [name, value] : found.value()) text += formatted("{}={:.4g}\n", name, value);
  STARLING_TRY(world.finalize());
  return world.rank() == WorldRank(0) ? text : std::string();
}

const config::Report report("tune-probe", &write);

}  // namespace
}  // namespace starling::world
