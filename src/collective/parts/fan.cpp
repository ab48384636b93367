// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/fan.hpp"

#include <algorithm>
#include <cmath>

#include "collective/choose/shape.hpp"
#include "collective/node/node_memory.hpp"

namespace starling::collective {
namespace {

/// The largest number whose power is not above `value`.
std::int32_t root_of(std::int32_t value, std::int32_t power) noexcept {
  const auto below = [&](std::int32_t root) {
    double product = 1;
    for (std::int32_t i = 0; i < power; ++i) product *= root;
    return product <= value;
  };
  auto root = std::max(1, static_cast<std::int32_t>(std::pow(value, 1.0 / power)));
  while (!below(root)) --root;
  while (below(root + 1)) ++root;
  return root;
}

/// The same, rounded up.
std::int32_t root_above(std::int32_t value, std::int32_t power) noexcept {
  return value <= 1 ? 1 : root_of(value - 1, power) + 1;
}

}  // namespace

Machine machine_of(const Call& call) noexcept {
  const NodeMemory& memory = call.node_memory();
  return memory.machine() != nullptr ? memory.machine()->on_nodes(memory.spread().nodes) : Machine();
}

std::int32_t Dissemination::messages(std::int64_t distance) const noexcept {
  return static_cast<std::int32_t>(std::min<std::int64_t>(radix - 1, (ranks - 1) / distance));
}

std::int32_t Dissemination::steps() const noexcept {
  std::int32_t steps = 0;
  for (std::int64_t distance = 1; distance < ranks; distance *= radix) ++steps;
  return steps;
}

std::int32_t Dissemination::all_messages() const noexcept {
  std::int32_t all = 0;
  for (std::int64_t distance = 1; distance < ranks; distance *= radix) all += messages(distance);
  return all;
}

double Dissemination::cost_ns(double bytes, const Machine& machine) const noexcept {
  if (ranks <= 1) return 0;
  return machine.exchanges(steps(), all_messages(), bytes / all_messages(), ranks);
}

Dissemination Dissemination::of(std::int32_t ranks, tuning::Distance distance, const Machine& machine) noexcept {
  Dissemination best{ranks, 2};
  if (distance != tuning::Distance::kNetwork) return best;
  double least = best.cost_ns(0, machine);
  for (std::int32_t steps = best.steps() - 1; steps > 0; --steps) {
    const Dissemination other{ranks, root_above(ranks, steps)};
    const double cost = other.cost_ns(0, machine);
    if (cost < least) {
      best = other;
      least = cost;
    }
  }
  return best;
}

Dissemination Dissemination::of(const Call& call) noexcept {
  return of(call.size(), distance_of(call.comm()), machine_of(call));
}

Multiplying::Multiplying(std::int32_t ranks, std::int32_t steps) noexcept : steps_(static_cast<std::size_t>(steps)) {
  if (steps == 0) return;
  const std::int32_t size = root_of(ranks, steps);
  std::fill_n(sizes_.begin(), steps, size);
  for (std::int32_t i = 0; i < steps; ++i) participants_ *= size;
  for (std::size_t i = 0; i < steps_ && participants_ / size * (size + 1) <= ranks; ++i) {
    participants_ = participants_ / size * (size + 1);
    sizes_[i] = size + 1;
  }
}

std::int32_t Multiplying::largest() const noexcept {
  return steps_ == 0 ? 1 : *std::ranges::max_element(group_sizes());
}

double Multiplying::cost_ns(std::int32_t ranks, double bytes, const Machine& machine) const noexcept {
  const double folded = bytes * machine.reduce_byte_ns;
  double messages = 0;
  for (const std::int32_t size : group_sizes()) messages += size - 1;
  double cost =
      machine.exchanges(static_cast<double>(steps_), messages, bytes, ranks) + messages * folded * machine.share(ranks);
  if (participants_ < ranks) cost += machine.messages(2, bytes, ranks) + folded * machine.share(ranks);
  return cost;
}

Multiplying Multiplying::of(std::int32_t ranks, std::int64_t bytes, const Machine& machine) noexcept {
  const std::int32_t binary = log2_ceil(ranks + 1) - 1;  // steps of groups of two
  Multiplying best(ranks, binary);
  const auto length = static_cast<double>(bytes);
  double least = best.cost_ns(ranks, length, machine);
  for (std::int32_t steps = binary - 1; steps > 0; --steps) {
    const Multiplying other(ranks, steps);
    const double cost = other.cost_ns(ranks, length, machine);
    if (cost < least) {
      best = other;
      least = cost;
    }
  }
  return best;
}

double windows_cost(std::int32_t ranks, double bytes, const Machine& machine) noexcept {
  const double messages = ranks - 1;
  const double windows = 1 + (ranks - 2) / kWindow;
  // As pairwise, but with fewer waits and more under way at a time.
  return machine.exchanges(messages, bytes, ranks) - (messages - windows) * machine.wait(ranks) +
         (1.2 * machine.starts(machine.next_both(), messages, windows) - messages * machine.message_ns) *
             machine.share(ranks);
}

}  // namespace starling::collective
