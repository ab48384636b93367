// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/halving.hpp"

#include <algorithm>

#include "collective/parts/buffers.hpp"

namespace starling::collective {
namespace {

/// The even ones of the first 2 * extra ranks hand their data to the odd ones.
Task fold_extra(Call& call, Folding folding, void* data, void* incoming, std::int64_t count,
                const datatype::Datatype& type) {
  if (call.rank() >= 2 * folding.extra) co_return;
  if (call.rank() % 2 == 0) {
    co_await call.send(data, count, type, call.rank() + 1);
  } else {
    co_await call.receive(incoming, count, type, call.rank() - 1);
    call.reduce(incoming, data, count, type);
  }
}

}  // namespace

Task reduce_halves(Call& call, void* data, const std::vector<std::int64_t>& starts, const datatype::Datatype& type) {
  const Folding folding = Folding::of(call.size());
  const std::int64_t total = starts[static_cast<std::size_t>(folding.participants)];
  Scratch incoming(call, total, type);
  if (!incoming) co_return;
  co_await fold_extra(call, folding, data, incoming.data(), total, type);
  const std::int32_t me = folding.participant(call.rank());
  if (me == Folding::kNone) co_return;

  const auto start = [&](std::int32_t part) { return starts[static_cast<std::size_t>(part)]; };
  std::int32_t low = 0;
  std::int32_t high = folding.participants;
  for (std::int32_t mask = folding.participants / 2; mask > 0; mask /= 2) {
    const std::int32_t partner = folding.rank(me ^ mask);
    const std::int32_t middle = low + mask;
    const bool keep_upper = (me & mask) != 0;
    const std::int32_t keep_low = keep_upper ? middle : low;
    const std::int32_t keep_high = keep_upper ? high : middle;
    const std::int32_t give_low = keep_upper ? low : middle;
    const std::int32_t give_high = keep_upper ? middle : high;
    void* kept = element(data, start(keep_low), type);
    const std::int64_t kept_count = start(keep_high) - start(keep_low);
    Batch batch(call);
    batch.add(call.receive(incoming.data(), kept_count, type, partner));
    batch.add(call.send(element(data, start(give_low), type), start(give_high) - start(give_low), type, partner));
    co_await batch;
    call.reduce(incoming.data(), kept, kept_count, type);
    low = keep_low;
    high = keep_high;
  }
}

double halving_steps(const Shape& shape) noexcept { return log2_ceil(Folding::of(shape.ranks).participants); }

double parts_moved(const Shape& shape) noexcept {
  const double participants = Folding::of(shape.ranks).participants;
  return static_cast<double>(shape.bytes) * (participants - 1) / participants;
}

double copied_cost(const Shape& shape, const Machine& machine) noexcept {
  return static_cast<double>(shape.bytes) * machine.own_byte_ns * machine.share(shape.ranks);
}

double folded_cost(const Shape& shape, const Machine& machine) noexcept {
  return machine.messages(Folding::of(shape.ranks).extra != 0 ? 1 : 0, static_cast<double>(shape.bytes), shape.ranks);
}

double reduce_halves_cost(const Shape& shape, const Machine& machine) noexcept {
  const double steps = halving_steps(shape);
  const double folded = Folding::of(shape.ranks).extra != 0 ? static_cast<double>(shape.bytes) : 0;
  return folded_cost(shape, machine) +
         machine.exchanges(steps, parts_moved(shape) / std::max(1.0, steps), shape.ranks) +
         (folded + parts_moved(shape)) * machine.reduce_byte_ns * machine.share(shape.ranks);
}

}  // namespace starling::collective
