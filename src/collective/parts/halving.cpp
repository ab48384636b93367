// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/halving.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <utility>

#include "collective/choose/shape.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/fan.hpp"

namespace starling::collective {
namespace {

/// The even ones of the first 2 * extra ranks hand their data to the odd ones.
Task fold_extra(Call& call, Folding folding, void* data, std::int64_t count, const datatype::Datatype& type) {
  if (call.rank() >= 2 * folding.extra) co_return;
  if (call.rank() % 2 == 0) {
    co_await call.send(data, count, type, call.rank() + 1);
    co_return;
  }
  const Scratch incoming(call, count, type);
  if (!incoming) co_return;
  co_await call.receive(incoming.data(), count, type, call.rank() - 1);
  call.reduce(incoming.data(), data, count, type);
}

/// A range of elements of the vector.
struct Range {
  std::int64_t begin;
  std::int64_t count;
};

/// What each participant has after so many steps of halving, and what goes in a step, in pieces.
class Halves {
 public:
  Halves(const Call& call, const std::vector<std::int64_t>& starts, const datatype::Datatype& type)
      : starts_(starts), steps_(static_cast<std::int32_t>(std::bit_width(starts.size() - 1)) - 1) {
    if (distance_of(call.comm()) != tuning::Distance::kNetwork) return;
    // A piece is worth a message of its own where its bytes take as long as a message takes to arrive.
    const Machine machine = machine_of(call);
    const double byte_ns = std::min(machine.byte_ns, machine.long_byte_ns) * static_cast<double>(type.size());
    if (byte_ns > 0) least_ = std::max(1.0, machine.message_ns / byte_ns);
  }

  [[nodiscard]] std::int32_t steps() const noexcept { return steps_; }
  /// Whether a step may have several pieces.
  [[nodiscard]] bool in_pieces() const noexcept { return least_ != kNever; }
  [[nodiscard]] std::int32_t partner(std::int32_t p, std::int32_t step) const noexcept {
    return p ^ (1 << (steps_ - step - 1));
  }
  /// What p has after so many steps.
  [[nodiscard]] Range block(std::int32_t p, std::int32_t steps) const {
    const std::int32_t width = 1 << (steps_ - steps);
    const auto first = static_cast<std::size_t>(p & ~(width - 1));
    return {starts_[first], starts_[first + static_cast<std::size_t>(width)] - starts_[first]};
  }
  /// What p gives in a step, and gets in its reverse.
  [[nodiscard]] Range given(std::int32_t p, std::int32_t step) const { return block(partner(p, step), step + 1); }
  /// What p gets in a step, and gives in its reverse, is in pieces: those that it gives in the steps from the next one
  /// to before this one, and the block that it has then.
  [[nodiscard]] std::int32_t last_piece(std::int32_t p, std::int32_t step) const {
    std::int32_t last = step + 1;
    while (last < steps_ && static_cast<double>(block(p, last).count) >= least_) ++last;
    return last;
  }
  /// Of these pieces the one that p gives in step `next`.
  [[nodiscard]] Range piece(std::int32_t p, std::int32_t step, std::int32_t next) const {
    return next == last_piece(p, step) ? block(p, next) : given(p, next);
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  const std::vector<std::int64_t>& starts_;
  std::int32_t steps_;
  double least_ = kNever;  ///< a block of fewer elements is not cut
};

/// A piece on its way to this rank.
struct Arrival {
  Transfer message;
  const void* at;
  Range range;
};

/// What one participant receives while halves are combined: the pieces of each step.
class Contributed {
 public:
  Contributed(Call& call, const Halves& halves, Folding folding, const datatype::Datatype& type)
      : call_(call),
        halves_(halves),
        folding_(folding),
        me_(folding.participant(call.rank())),
        memory_(call, places(), type),
        type_(type),
        first_(static_cast<std::size_t>(halves.steps())) {
    for (std::int32_t step = 0; memory_ && halves.in_pieces() && step < halves.steps(); ++step) receive(step);
  }

  /// False: memory was short.
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(memory_); }

  void receive(std::int32_t step) {
    if (!halves_.in_pieces()) begin_ = 0;  // the step before has been combined
    first_[static_cast<std::size_t>(step)] = pieces_.size();
    for (std::int32_t next = step + 1; next <= halves_.last_piece(me_, step); ++next) {
      const Range range = halves_.piece(me_, step, next);
      void* const at = element(memory_.data(), begin_, type_);
      pieces_.push_back({call_.receive(at, range.count, type_, folding_.rank(halves_.partner(me_, step))), at, range});
      begin_ += range.count;
    }
  }
  /// What came in a step of what this rank gives in step `next`.
  [[nodiscard]] Arrival& piece(std::int32_t step, std::int32_t next) {
    return pieces_[first_[static_cast<std::size_t>(step)] + static_cast<std::size_t>(next - step - 1)];
  }

 private:
  /// Elements: of all steps, where all are received from the beginning on, else of the longest, which is the first.
  [[nodiscard]] std::int64_t places() const {
    std::int64_t all = 0;
    for (std::int32_t step = halves_.in_pieces() ? halves_.steps() : std::min(1, halves_.steps()); step > 0; --step) {
      all += halves_.block(me_, step).count;
    }
    return all;
  }

  Call& call_;
  const Halves& halves_;
  Folding folding_;
  std::int32_t me_;
  Scratch memory_;
  const datatype::Datatype& type_;
  std::vector<std::size_t> first_;
  std::vector<Arrival> pieces_;
  std::int64_t begin_ = 0;
};

}  // namespace

Task reduce_halves(Call& call, void* data, const std::vector<std::int64_t>& starts, const datatype::Datatype& type) {
  const Folding folding = Folding::of(call.size());
  co_await fold_extra(call, folding, data, starts.back(), type);
  const std::int32_t me = folding.participant(call.rank());
  if (me == Folding::kNone) co_return;

  const Halves halves(call, starts, type);
  Contributed contributed(call, halves, folding, type);
  if (!contributed) co_return;
  Batch sends(call);
  for (std::int32_t step = 0;; ++step) {
    // What this rank gives now, or in the end its own part, as all steps before contribute to it.
    for (std::int32_t before = 0; before < step; ++before) {
      if (step > halves.last_piece(me, before)) continue;
      Arrival& piece = contributed.piece(before, step);
      co_await std::move(piece.message);
      call.reduce(piece.at, element(data, piece.range.begin, type), piece.range.count, type);
    }
    if (step == halves.steps()) break;
    if (!halves.in_pieces()) contributed.receive(step);
    const std::int32_t partner = halves.partner(me, step);
    for (std::int32_t next = step + 1; next <= halves.last_piece(partner, step); ++next) {
      const Range range = halves.piece(partner, step, next);
      sends.add(call.send(element(data, range.begin, type), range.count, type, folding.rank(partner)));
    }
    if (!halves.in_pieces()) co_await sends;
  }
  co_await sends;
}

Task gather_halves(Call& call, void* data, const std::vector<std::int64_t>& starts, const datatype::Datatype& type) {
  const Folding folding = Folding::of(call.size());
  const std::int32_t me = folding.participant(call.rank());
  const std::int64_t total = starts.back();
  if (me == Folding::kNone) {
    co_await call.receive(data, total, type, call.rank() + 1);
    co_return;
  }
  const Halves halves(call, starts, type);
  std::deque<Batch> arrivals;  // of each step of halving
  for (std::int32_t step = 0; step < halves.steps(); ++step) arrivals.emplace_back(call);
  Batch sends(call);
  const auto receive = [&](std::int32_t step) {
    const std::int32_t partner = halves.partner(me, step);
    Batch& pieces = arrivals[static_cast<std::size_t>(step)];
    for (std::int32_t next = halves.last_piece(partner, step); next > step; --next) {
      const Range range = halves.piece(partner, step, next);
      pieces.add(call.receive(element(data, range.begin, type), range.count, type, folding.rank(partner)));
    }
  };
  for (std::int32_t step = halves.steps() - 1; halves.in_pieces() && step >= 0; --step) receive(step);
  for (std::int32_t step = halves.steps();; --step) {
    if (step < halves.steps()) {
      Batch& pieces = arrivals[static_cast<std::size_t>(step)];
      co_await pieces;
    }
    if (step == 0) break;
    // This rank has what it had after so many steps of halving: the last to come is news for all steps that follow.
    for (std::int32_t later = step - 1; later >= 0; --later) {
      if (step > halves.last_piece(me, later)) continue;
      const Range range = halves.piece(me, later, step);
      sends.add(
          call.send(element(data, range.begin, type), range.count, type, folding.rank(halves.partner(me, later))));
    }
    if (!halves.in_pieces()) {
      receive(step - 1);
      co_await sends;
    }
  }
  co_await sends;
  if (call.rank() < 2 * folding.extra) co_await call.send(data, total, type, call.rank() - 1);
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
