// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/choose/selector.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>

#include "base/format.hpp"
#include "collective/arguments/agreed_bytes.hpp"
#include "collective/choose/phases.hpp"
#include "tuning/settings.hpp"

namespace starling::collective {
namespace {

#define STARLING_OPERATION(id, name, upper)                                                  \
  STARLING_CONFIG(coll_##name, "COLL_" #upper, std::string, "auto", kCollectives, kAllAlike, \
                  "Algorithm for " #name "; auto picks the cheapest.");
STARLING_OPERATIONS(STARLING_OPERATION)
#undef STARLING_OPERATION

STARLING_CONFIG(fixed_order, "REPRODUCIBLE", bool, false, kCollectives, kAllAlike,
                "Fix the order of every reduction, whatever the arrival order, the placement and the size.");
STARLING_CONFIG(coll_levels, "COLL_LEVELS", bool, true, kCollectives, kAllAlike,
                "Run a collective of ranks on several nodes in levels, within each node and between one rank of each, "
                "where that is cheaper; false: never.");
STARLING_CONFIG(
    learn, "COLL_LEARN", bool, true, kCollectives, kAllAlike,
    "Let calls on a node find out while the program runs what is quicker: shared memory or messages (scatter from 32 "
    "KiB a block, allgather and alltoall from 16 KiB; of two ranks also the other calls but scans, from 16 KiB), and, "
    "with a core for every rank, many or few places in shared memory (bcast, reduce, gather, scatter); else the cost "
    "model alone decides, and there are many.");
// What a variable sets holds at every distance; 0 leaves what the tuning file says.
#define STARLING_LINK_CONSTANT(name, upper, sentence)                                  \
  STARLING_CONFIG(name##_ns, "COLL_" #upper "_NS", double, 0, kCollectives, kAllAlike, \
                  "Cost model: nanoseconds " sentence "; 0: as STARLING_TUNING or the tuning file says.")
STARLING_LINK_CONSTANT(message, MESSAGE, "for one small message");
STARLING_LINK_CONSTANT(next, NEXT, "for each further small message of several that come at once");
STARLING_LINK_CONSTANT(send, SEND, "for each further small message of several that go to several ranks at once");
STARLING_LINK_CONSTANT(byte, BYTE, "for each byte of a message that is copied twice");
STARLING_LINK_CONSTANT(long, LONG, "to start a message that is copied once from the sender's memory");
STARLING_LINK_CONSTANT(long_byte, LONG_BYTE, "for each byte of a message that is copied once");
STARLING_LINK_CONSTANT(line, LINE, "until a cache line that one core wrote is seen by another that waits");
STARLING_LINK_CONSTANT(copy_byte, COPY_BYTE, "for each byte copied into or out of shared memory");
STARLING_LINK_CONSTANT(fold_byte, FOLD_BYTE, "for each byte folded in shared memory, piece by piece");
STARLING_LINK_CONSTANT(own_byte, OWN_BYTE, "for each byte that a rank copies within its own memory");
STARLING_LINK_CONSTANT(reduce_byte, REDUCE_BYTE, "for each byte of a whole vector combined with another");
STARLING_LINK_CONSTANT(turn, TURN, "for one switch between ranks that share a core");
#undef STARLING_LINK_CONSTANT

/// The variables of constants, and what they set.
constexpr struct {
  const config::Variable<double>& variable;
  double tuning::LinkCosts::*link;
  double tuning::Constants::*whole;
} kConstants[] = {{message_ns, &tuning::LinkCosts::message_ns, nullptr},
                  {next_ns, &tuning::LinkCosts::next_ns, nullptr},
                  {send_ns, &tuning::LinkCosts::send_ns, nullptr},
                  {byte_ns, &tuning::LinkCosts::byte_ns, nullptr},
                  {long_ns, &tuning::LinkCosts::long_ns, nullptr},
                  {long_byte_ns, &tuning::LinkCosts::long_byte_ns, nullptr},
                  {line_ns, &tuning::LinkCosts::line_ns, nullptr},
                  {copy_byte_ns, &tuning::LinkCosts::copy_byte_ns, nullptr},
                  {fold_byte_ns, &tuning::LinkCosts::fold_byte_ns, nullptr},
                  {own_byte_ns, nullptr, &tuning::Constants::own_byte_ns},
                  {reduce_byte_ns, nullptr, &tuning::Constants::reduce_byte_ns},
                  {turn_ns, nullptr, &tuning::Constants::turn_ns}};

/// The file's or the defaults, with what variables set over them.
Result<tuning::Constants> constants_of(const config::Store& config) {
  Result<tuning::Constants> read = tuning::constants_of(config);
  if (!read.ok()) return read;
  tuning::Constants& constants = read.value();
  for (const auto& [variable, link, whole] : kConstants) {
    const double value = config.get(variable);
    if (!(value >= 0)) {
      return Status::error(ErrorClass::kArg,
                           formatted("{}={}: no time is less than 0", variable.environment_name(), value));
    }
    if (value == 0) continue;
    if (whole != nullptr) constants.*whole = value;
    if (link == nullptr) continue;
    for (tuning::LinkCosts& costs : constants.links) costs.*link = value;
  }
  return read;
}

const std::array<const config::Variable<std::string>*, kOperationCount> kVariables = {
#define STARLING_OPERATION(id, name, upper) &coll_##name,
    STARLING_OPERATIONS(STARLING_OPERATION)
#undef STARLING_OPERATION
};

Result<const Algorithm*> named(Operation operation, const config::Variable<std::string>& variable,
                               const std::string& wanted) {
  const Algorithm* none = nullptr;
  if (wanted == "auto" || wanted.empty()) return none;
  std::string names = "auto";
  for (const Algorithm* algorithm : algorithms(operation)) {
    if (wanted == algorithm->name) return algorithm;
    names += formatted(", {}", algorithm->name);
  }
  return Status::error(ErrorClass::kArg, formatted("{}={}: there is no such algorithm for {}. Choose one of: {}.",
                                                   variable.environment_name(), wanted, name(operation), names));
}

/// Why the algorithm cannot run a call of this shape; null when it can.
const char* obstacle(const Algorithm& algorithm, const Shape& shape) noexcept {
  const std::uint32_t needs = algorithm.needs;
  if (shape.inter && (needs & (kInter | kAlsoInter)) == 0) return "is for one group, not for an intercommunicator";
  if (!shape.inter && (needs & kInter) != 0) return "is for intercommunicators";
  if ((needs & kCommutative) != 0 && !shape.commutative) return "needs a commutative operator";
  if ((needs & kPowerOfTwo) != 0 && !std::has_single_bit(static_cast<std::uint32_t>(shape.ranks))) {
    return "needs a power of two of ranks";
  }
  if ((needs & kDense) != 0 && !shape.dense) return "needs elements without gaps";
  if ((needs & kSharedBuffer) != 0 && !shape.has_buffer) return "needs shared memory";
  if ((needs & kLevels) != 0 && (shape.levels & kTwoLevels) == 0) {
    return "needs several nodes, several ranks on one of them, and STARLING_COLL_LEVELS";
  }
  if ((needs & kNodeOrder) != 0 && !shape.commutative && (shape.levels & kInNodeOrder) == 0) {
    return "needs a commutative operator, or ranks of a node that follow each other";
  }
  if ((needs & kNodesInRow) != 0 && (shape.levels & kInNodeOrder) == 0) {
    return "needs ranks of a node that follow each other";
  }
  if ((needs & kEqualNodes) != 0 && (shape.levels & kEvenNodes) == 0) return "needs as many ranks on each node";
  if ((needs & kBetweenNodes) != 0 && shape.distance != tuning::Distance::kNetwork)
    return "needs ranks on several nodes";
  if ((needs & kPredicted) != 0 && !shape.predicted) return "needs to know when ranks come (STARLING_LATE)";
  if (shape.reproducible && algorithm.order != Order::kRanks && reduces(shape.operation)) {
    return "its order of reduction is not fixed";
  }
  if (algorithm.fits != nullptr && !algorithm.fits(shape)) return "does not take this size, or so many ranks";
  return nullptr;
}

/// A row of a table of algorithms.
std::string line(const char* name, const char* second, const char* third) {
  char text[240];
  std::snprintf(text, sizeof text, *third != 0 ? "  %-20s %-14s  %s\n" : "  %-20s %s\n", name, second, third);
  return text;
}

std::string phase_lines(const LevelPhases& phases, const Machine& machine) {
  std::string text;
  for (const LevelPhase& phase : phases.all()) {
    const Machine seen = machine_of(phase, machine, phases);
    const Algorithm& chosen = cheapest(phase.shape, seen);
    char cost[32];
    std::snprintf(cost, sizeof cost, "  %.2f us", chosen.cost(phase.shape, seen) / 1000);
    text += line((std::string("  ") + name(phase.level)).c_str(), cost,
                 formatted("  {} {}, {} ranks, {} bytes", name(phase.shape.operation), chosen.name, phase.shape.ranks,
                           phase.shape.bytes)
                     .c_str());
  }
  return text;
}

}  // namespace

Result<Selector> Selector::create(const config::Store& config, std::int32_t cores) {
  Selector selector;
  for (std::size_t i = 0; i < kVariables.size(); ++i) {
    auto found = named(static_cast<Operation>(i), *kVariables[i], config.get(*kVariables[i]));
    if (!found.ok()) return std::move(found).status();
    selector.forced_[i] = found.value();
  }
  selector.reproducible_ = config.get(fixed_order);
  selector.goes_in_levels_ = config.get(coll_levels);
  selector.learns_ = config.get(learn);
  const Result<tuning::Constants> constants = constants_of(config);
  if (!constants.ok()) return constants.status().copy();
  for (std::size_t i = 0; i < tuning::kDistances; ++i) {
    selector.machines_[i] = Machine(constants.value(), static_cast<tuning::Distance>(i), cores);
  }
  return selector;
}

std::string misfit(const Algorithm& algorithm, const Shape& shape) {
  const char* why = obstacle(algorithm, shape);
  return why ? why : "";
}

const Algorithm& Selector::choose(const Shape& shape, const Machine& machine) const noexcept {
  const Algorithm* wanted = forced(shape);
  return wanted && obstacle(*wanted, shape) == nullptr ? *wanted : cheapest(shape, machine);
}

const Algorithm& Selector::choose(const Shape& shape) const noexcept {
  return shape.nodes > 1 ? choose(shape, machine(shape)) : choose(shape, machine(shape.distance));
}

namespace {

/// The cheapest algorithm that fits and is accepted, or null.
template <typename Accepts>
const Algorithm* cheapest_where(const Shape& shape, const Machine& machine, const Accepts& accepts) noexcept {
  const Algorithm* best = nullptr;
  double least = 0;
  for (const Algorithm* algorithm : algorithms(shape.operation)) {
    if (obstacle(*algorithm, shape) != nullptr || !accepts(*algorithm)) continue;
    const double cost = algorithm->cost(shape, machine);
    if (best == nullptr || cost < least) {
      best = algorithm;
      least = cost;
    }
  }
  return best;
}

}  // namespace

const Algorithm* Selector::rival(const Shape& shape) const noexcept {
  constexpr double kMostDearer = 2.5;
  if (forced(shape) != nullptr) return nullptr;
  Machine seen = machine(shape);
  const Algorithm& chosen = choose(shape);
  // Of two ranks one gives the other its data, by one message: that algorithm is the cheapest, too, where there are
  // none. Whether an operand then comes from a cache is found out with the rest.
  Shape compared = shape;
  if (shape.ranks == 2 && rooted(shape.operation) && (chosen.needs & kSharedBuffer) != 0) {
    compared.bytes = 0;
    seen.reduce_byte_ns = std::min(seen.reduce_byte_ns, seen.fold_byte_ns);
  }
  const Algorithm* const best = cheapest_where(compared, seen, [&](const Algorithm& algorithm) {
    return ((algorithm.needs ^ chosen.needs) & kSharedBuffer) != 0 && (algorithm.needs & kByArrival) == 0;
  });
  if (best == nullptr) return nullptr;
  return best->cost(shape, seen) < kMostDearer * chosen.cost(shape, seen) ? best : nullptr;
}

const Algorithm& cheapest(const Shape& shape, const Machine& machine) noexcept {
  // Every operation has an algorithm that takes anything; a test sweeps the list for it.
  return *cheapest_where(shape, machine,
                         [&](const Algorithm& algorithm) { return (algorithm.needs & kByArrival) == 0 || shape.late; });
}

std::string list(Operation operation) {
  constexpr struct {
    std::uint32_t need;
    const char* words;
  } kWords[] = {{kCommutative, "commutative operator"},
                {kPowerOfTwo, "power of two of ranks"},
                {kDense, "elements without gaps"},
                {kSharedBuffer, "shared memory"},
                {kPredicted, "known lateness"},
                {kInter, "an intercommunicator"},
                {kLevels, "several nodes, several ranks on one"},
                {kBetweenNodes, "several nodes"}};
  std::string text =
      formatted("{}  ({})\n", name(operation), kVariables[static_cast<std::size_t>(operation)]->environment_name());
  for (const Algorithm* algorithm : algorithms(operation)) {
    std::string needs;
    for (const auto& [need, words] : kWords) {
      if ((algorithm->needs & need) != 0) needs += std::string(needs.empty() ? "needs: " : ", ") + words;
    }
    text += line(algorithm->name, algorithm->cost_text, needs.c_str());
  }
  return text;
}

std::string Selector::explain(const Shape& shape) const {
  const Algorithm& chosen = choose(shape);
  const Algorithm* wanted = forced(shape);
  std::string text = formatted("{}, {} ranks, {} bytes {}: {}", name(shape.operation), shape.ranks, shape.bytes,
                               meaning_of_bytes(shape.operation), chosen.name);
  if (wanted == &chosen) {
    text += " (asked for by the configuration)";
  } else if (wanted) {
    text += formatted(" ({} was asked for, but {})", wanted->name, misfit(*wanted, shape));
  }
  text += "\n";
  const Machine machine = this->machine(shape);
  for (const Algorithm* algorithm : algorithms(shape.operation)) {
    const char* why = obstacle(*algorithm, shape);
    char cost[32] = "-";
    if (why == nullptr) std::snprintf(cost, sizeof cost, "%.2f us", algorithm->cost(shape, machine) / 1000);
    text += line(algorithm->name, cost, why != nullptr ? why : algorithm->cost_text);
    if (why == nullptr && algorithm->phases != nullptr) text += phase_lines(algorithm->phases(shape), machine);
  }
  return text;
}

std::string Selector::explain(tuning::Distance distance) const {
  const tuning::Constants& constants = machine(distance).constants;
  std::string text = formatted("constants between ranks that are {}, and of the machine ({} cores), in ns:\n",
                               name(distance), machine(distance).cores);
  const auto add = [&](std::string_view constant, double value, const char* sentence) {
    char row[160];
    std::snprintf(row, sizeof row, "  %-16s %10.4g  %s\n", std::string(constant).c_str(), value, sentence);
    text += row;
  };
  for (const auto& field : tuning::link_fields())
    add(field.name, constants.at(distance).*(field.value), field.sentence);
  for (const auto& field : tuning::machine_fields()) add(field.name, constants.*(field.value), field.sentence);
  return text;
}

}  // namespace starling::collective
