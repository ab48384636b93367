// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a rank does in a job of `starling tune`: it measures the engine that programs run on, such that the cost lines
// of the algorithms it runs give the constants. The command finds it by its name among the reports, for it does not
// know this component: words "link", "turns" or "network", and seconds. The launcher has bound ranks that have a core
// each. Rank 0's text is the constants, "name=value" a line; of a network a line for each pair (tuning/network.hpp).
// Thread safety: for single-threaded processes, once.

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "config/report.hpp"
#include "tuning/constants.hpp"
#include "tuning/network.hpp"
#include "world/call_timer.hpp"
#include "world/world.hpp"

namespace starling::world {
namespace {

using collective::Operation;

/// Of one pass over all figures, by time.
constexpr Patience kOnNode = {2.5e6, 8, 4};
/// A long message over a slow link takes milliseconds.
constexpr Patience kOverNetwork = {5e6, 2, 4};
/// A figure below its noise still has to be a time.
constexpr double kLeastNs = 1e-3;

enum class Probe : std::uint8_t {
  kLink,     ///< two ranks with a core each: what communication costs between them
  kTurns,    ///< more ranks than cores: what a switch between them costs
  kNetwork,  ///< a rank on each host: what messages cost between two of them, pair by pair
};

struct ProbeOptions {
  Probe probe = Probe::kLink;
  double seconds = 1;  ///< that the job shall take, about
};

double at_least(double value) { return std::max(value, kLeastNs); }

using Found = std::vector<std::pair<std::string_view, double>>;

/// Between the ranks of a node. Where a machine's cores are changes while it runs, on virtual machines above all. So
/// every pass measures everything within a part of a second, and of each constant the median of all passes counts.
class NodeProbe {
 public:
  explicit NodeProbe(World& world) : world_(world), timer_(world, world.comm_world(), kOnNode) {}

  /// The constants, or the first thing that went wrong.
  Result<Found> measure(const ProbeOptions& options) {
    const std::int64_t begin = now_ns();
    std::vector<Found> passes;
    do {
      passes.push_back(options.probe == Probe::kLink ? link() : turns());
    } while (timer_.goes_on(now_ns() - begin < static_cast<std::int64_t>(1e9 * options.seconds)));
    if (Status failure = timer_.failure(); !failure.ok()) return failure;
    return medians(passes);
  }

 private:
  /// By the cost lines of the algorithms that run here, with two ranks and a core each.
  Found link() {
    tuning::LinkCosts costs{};
    constexpr double kFlagsNs = 40;  // what two flags take to look at
    costs.line_ns = at_least(timer_.collective_ns(Operation::kBarrier, "shared", 0) - kFlagsNs);
    const double fetched = 2 * costs.line_ns * 8 / 256;
    // With two ranks a message.
    const auto message = [this](double bytes) { return timer_.collective_ns(Operation::kBcast, "binomial", bytes); };
    costs.message_ns = at_least(message(8) - fetched);
    costs.next_ns = std::min(costs.message_ns,
                             at_least(timer_.collective_ns(Operation::kBcast, "binomial", 8, Roots::kFirst) - fetched));
    costs.send_ns = costs.next_ns;  // in memory each goes on its own, whomever it is for
    costs.byte_ns = slope(message, 2048, 16384);
    const double long_64k = message(65536);
    costs.long_byte_ns = at_least((message(524288) - long_64k) / (524288 - 65536));
    costs.long_ns = at_least(long_64k - costs.message_ns - 65536 * costs.long_byte_ns);
    const double bcast =
        slope([this](double bytes) { return timer_.collective_ns(Operation::kBcast, "shared", bytes); });
    const double sums =
        slope([this](double bytes) { return timer_.collective_ns(Operation::kAllreduce, "shared", bytes); });
    costs.copy_byte_ns = bcast / 2;
    costs.fold_byte_ns = at_least(sums / 2 - costs.copy_byte_ns);
    const auto sum = [this](double bytes) { return timer_.collective_ns(Operation::kReduce, "linear", bytes); };
    const double reduced = at_least(slope(sum, 65536, 262144) - costs.long_byte_ns);

    Found found;
    for (const auto& field : tuning::link_fields()) found.emplace_back(field.name, costs.*(field.value));
    found.emplace_back("reduce_byte_ns", reduced);
    found.emplace_back("own_byte_ns", timer_.own_byte_ns());
    return found;
  }

  /// A meeting of more ranks than cores is a turn and a cache line for each rank of a core.
  Found turns() {
    const double share = static_cast<double>(world_.size()) / world_.placement().usable_cores();
    return {{"turn_ns", at_least(timer_.collective_ns(Operation::kBarrier, "shared", 0) / share)}};
  }

  static Found medians(const std::vector<Found>& passes) {
    Found found = passes.front();
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::vector<double> values;
      for (const Found& pass : passes) values.push_back(pass[i].second);
      found[i].second = median(std::move(values));
    }
    return found;
  }

  static double slope(const std::function<double(double)>& cost, double low = 8192, double high = 32768) {
    const double at_low = cost(low);
    return at_least((cost(high) - at_low) / (high - low));
  }

  World& world_;
  CallTimer timer_;
};

/// Between the ranks of several hosts, of which each has one: one pair after the other, for two at a time may share a
/// switch. The others wait for what comes of it. Other work on the hosts and the network makes a message take longer,
/// seldom shorter, so of each time the lower quartile of all passes counts: a median is right only where half of them
/// went undisturbed, and the smallest may be a burst that a link let pass.
class NetworkProbe {
 public:
  explicit NetworkProbe(World& world) : world_(world) {}

  /// A line for each pair.
  Result<std::string> measure(double seconds) {
    constexpr std::int32_t kMostPairs = 64;
    const std::vector<tuning::HostPair> pairs = tuning::pairs_to_measure(world_.size(), kMostPairs);
    std::string text;
    for (const tuning::HostPair& pair : pairs) {
      Result<tuning::LinkCosts> costs = costs_between(pair, seconds / static_cast<double>(pairs.size()));
      if (!costs.ok()) return std::move(costs).status();
      text += tuning::line_of({pair, costs.value()}) + "\n";
    }
    return text;
  }

 private:
  Result<tuning::LinkCosts> costs_between(const tuning::HostPair& pair, double seconds) {
    std::uint32_t context = 0;
    if (world_.rank() == WorldRank(pair.one)) {
      const Result<std::uint32_t> taken = world_.take_context_ids(nullptr, 1);
      if (!taken.ok()) return taken.status().copy();
      context = taken.value();
    }
    STARLING_TRY(world_.collectives().broadcast(*world_.comm_world(), &context, sizeof context, pair.one));
    const bool takes_part = world_.rank() == WorldRank(pair.one) || world_.rank() == WorldRank(pair.other);
    tuning::LinkCosts costs{};
    if (takes_part) {
      const auto group =
          Ref<comm::Group>::adopt(new comm::Group(std::vector<ProcessId>{ProcessId(pair.one), ProcessId(pair.other)}));
      CallTimer timer(world_, communicator_of(world_, group, context), kOverNetwork);
      costs = tuning::costs_of(times_of(timer, seconds));
      STARLING_TRY(timer.failure());
    }
    STARLING_TRY(world_.collectives().broadcast(*world_.comm_world(), &costs, sizeof costs, pair.one));
    return costs;
  }

  static tuning::PairTimes times_of(CallTimer& timer, double seconds) {
    using Times = tuning::PairTimes;
    const auto message = [&](double bytes, Roots roots) {
      return timer.collective_ns(Operation::kBcast, "binomial", bytes, roots);
    };
    const auto stream = [&](double bytes) {
      return std::max(message(bytes, Roots::kFirst), message(bytes, Roots::kSecond));
    };
    std::vector<Times> passes;
    const std::int64_t begin = now_ns();
    do {
      Times times{};
      times.tiny_ns = message(Times::kTiny, Roots::kInTurn);
      times.short_ns = message(Times::kShort, Roots::kInTurn);
      times.medium_ns = message(Times::kMedium, Roots::kInTurn);
      times.long_ns = message(Times::kLong, Roots::kInTurn);
      times.longer_ns = message(Times::kLonger, Roots::kInTurn);
      times.tiny_sending_ns = timer.root_ns(Operation::kBcast, "binomial", Times::kTiny);
      times.tiny_stream_ns = stream(Times::kTiny);
      times.short_stream_ns = stream(Times::kShort);
      times.medium_stream_ns = stream(Times::kMedium);
      times.long_stream_ns = stream(Times::kLong);
      times.longer_stream_ns = stream(Times::kLonger);
      passes.push_back(times);
    } while (timer.goes_on(now_ns() - begin < static_cast<std::int64_t>(1e9 * seconds)));
    return lower_quartiles(passes);
  }

  static tuning::PairTimes lower_quartiles(const std::vector<tuning::PairTimes>& passes) {
    using Times = tuning::PairTimes;
    constexpr double Times::*kFigures[] = {&Times::tiny_ns,        &Times::short_ns,        &Times::medium_ns,
                                           &Times::long_ns,        &Times::longer_ns,       &Times::tiny_sending_ns,
                                           &Times::tiny_stream_ns, &Times::short_stream_ns, &Times::medium_stream_ns,
                                           &Times::long_stream_ns, &Times::longer_stream_ns};
    Times times{};
    for (const auto figure : kFigures) {
      std::vector<double> values;
      for (const Times& pass : passes) values.push_back(pass.*figure);
      times.*figure = lower_quartile(std::move(values));
    }
    return times;
  }

  World& world_;
};

Result<ProbeOptions> options_of(std::span<const std::string> words) {
  constexpr std::pair<std::string_view, Probe> kProbes[] = {
      {"link", Probe::kLink}, {"turns", Probe::kTurns}, {"network", Probe::kNetwork}};
  ProbeOptions options;
  const auto probe = std::ranges::find(kProbes, words.empty() ? "" : std::string_view(words[0]),
                                       &std::pair<std::string_view, Probe>::first);
  if (words.size() == 2 && probe != std::end(kProbes)) {
    options.probe = probe->second;
    const char* const end = words[1].data() + words[1].size();
    const auto [rest, failed] = std::from_chars(words[1].data(), end, options.seconds);
    if (failed == std::errc() && rest == end) return options;
  }
  return Status::error(ErrorClass::kArg, "'starling tune' starts the jobs that measure; they are not for people");
}

Result<std::string> measure(World& world, const ProbeOptions& options) {
  if (options.probe == Probe::kNetwork) return NetworkProbe(world).measure(options.seconds);
  const auto found = NodeProbe(world).measure(options);
  if (!found.ok()) return found.status().copy();
  std::string text;
  for (const auto& [name, value] : found.value()) text += formatted("{}={:.4g}\n", name, value);
  return text;
}

Result<std::string> write(const config::Store& /*config*/, std::span<const std::string> words) {
  const Result<ProbeOptions> options = options_of(words);
  if (!options.ok()) return options.status().copy();
  std::vector<std::string> warnings;
  Result<std::unique_ptr<World>> joined = join_world({}, &warnings);
  if (!joined.ok()) return std::move(joined).status();
  World& world = *joined.value();
  Result<std::string> text = measure(world, options.value());
  if (!text.ok()) return text;
  STARLING_TRY(world.finalize());
  return world.rank() == WorldRank(0) ? std::move(text).value() : std::string();
}

const config::Report report("tune-probe", &write);

}  // namespace
}  // namespace starling::world
