// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/levels/lane_pipeline.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "collective/levels/level_call.hpp"
#include "collective/parts/buffers.hpp"

namespace starling::collective {
namespace {

/// This rank's lane: the shares of the ranks that have its place on each node, nodes counted from its own on.
class Lane {
 public:
  Lane(const Levels& levels, const NodeShares& shares, std::int32_t place) noexcept
      : levels_(levels), shares_(shares), place_(place) {}

  /// The node so many steps after this one, or before.
  [[nodiscard]] std::int32_t after(std::int32_t step) const noexcept {
    return (levels_.own_node() + step) % levels_.nodes();
  }
  [[nodiscard]] std::int32_t before(std::int32_t step) const noexcept { return after(levels_.nodes() - step); }
  [[nodiscard]] std::int32_t rank_on(std::int32_t node) const { return levels_.rank_at(node, place_); }
  [[nodiscard]] std::int64_t length(std::int32_t node) const { return shares_.lengths[index(node) + offset()]; }
  [[nodiscard]] std::int64_t begin(std::int32_t node) const { return shares_.begins[index(node) + offset()]; }

  /// The shares of a node's ranks.
  [[nodiscard]] const std::int64_t* lengths_of(std::int32_t node) const { return &shares_.lengths[index(node)]; }
  [[nodiscard]] const std::int64_t* begins_of(std::int32_t node) const { return &shares_.begins[index(node)]; }
  [[nodiscard]] std::int64_t total_of(std::int32_t node) const {
    return shares_.begins[index(node + 1)] - shares_.begins[index(node)];
  }

 private:
  [[nodiscard]] std::size_t index(std::int32_t node) const {
    return static_cast<std::size_t>(levels_.begins()[static_cast<std::size_t>(node)]);
  }
  [[nodiscard]] std::size_t offset() const noexcept { return static_cast<std::size_t>(place_); }

  const Levels& levels_;
  const NodeShares& shares_;
  std::int32_t place_;
};

/// What comes from the other nodes for this rank's share, combined in the order of the steps.
class FromLane {
 public:
  FromLane(Call& call, const Lane& lane, std::int64_t length, std::int32_t others, const datatype::Datatype& type)
      : call_(call), length_(length), type_(type), memory_(call, length * others, type) {
    if (!memory_ || length == 0) return;
    messages_.reserve(static_cast<std::size_t>(others));
    for (std::int32_t step = 1; step <= others; ++step) {
      messages_.push_back(call.receive(slot(step - 1), length, type, lane.rank_on(lane.before(step))));
    }
  }

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(memory_); }
  [[nodiscard]] bool all_taken() const noexcept { return taken_ == static_cast<std::int32_t>(messages_.size()); }
  [[nodiscard]] bool next_is_here() const noexcept { return message().await_ready(); }
  /// The next message, to be awaited and then combined.
  [[nodiscard]] Transfer next() { return std::move(message()); }
  void combine() {
    if (taken_ > 0) call_.reduce(slot(taken_), slot(0), length_, type_);
    ++taken_;
  }
  [[nodiscard]] const void* sum() { return slot(0); }

 private:
  [[nodiscard]] const Transfer& message() const { return messages_[static_cast<std::size_t>(taken_)]; }
  [[nodiscard]] Transfer& message() { return messages_[static_cast<std::size_t>(taken_)]; }
  void* slot(std::int32_t index) { return element(memory_.data(), index * length_, type_); }

  Call& call_;
  std::int64_t length_;
  const datatype::Datatype& type_;
  Scratch memory_;
  std::vector<Transfer> messages_;
  std::int32_t taken_ = 0;
};

}  // namespace

Task reduce_to_shares(Call& call, const Arguments& a, const NodeShares& shares, const void* vector, void* result) {
  Levels& levels = Levels::of(call);
  const datatype::Datatype& type = *a.receive_type;
  const Lane lane(levels, shares, levels.node().comm->rank());
  const std::int32_t own = levels.own_node();
  std::int64_t of_others = 0;
  for (std::int32_t node = 0; node < levels.nodes(); ++node) of_others += node == own ? 0 : lane.length(node);
  const Scratch outgoing(call, of_others, type);
  if (!outgoing) co_return;
  FromLane incoming(call, lane, lane.length(own), levels.nodes() - 1, type);
  if (!incoming) co_return;
  Batch sends(call);
  std::int64_t sent = 0;
  Arguments part = a;
  part.operation = Operation::kReduceScatter;
  part.in_place = false;
  for (std::int32_t step = 1; step <= levels.nodes(); ++step) {
    const std::int32_t node = lane.after(step);
    void* const share = node == own ? result : element(outgoing.data(), sent, type);
    if (lane.total_of(node) > 0) {
      part.send_buffer = element(vector, *lane.begins_of(node), type);
      part.receive_buffer = share;
      part.receive_counts = lane.lengths_of(node);
      LevelCall among = on_node(call, part);
      co_await among.run();
    }
    if (node != own && lane.length(node) > 0) {
      sends.add(call.send(share, lane.length(node), type, lane.rank_on(node)));
      sent += lane.length(node);
    }
    while (!incoming.all_taken() && (node == own || incoming.next_is_here())) {
      co_await incoming.next();
      incoming.combine();
    }
  }
  if (lane.length(own) > 0) call.reduce(incoming.sum(), result, lane.length(own), type);
  co_await sends;
}

Task gather_shares(Call& call, const Arguments& a, const NodeShares& shares, void* vector) {
  Levels& levels = Levels::of(call);
  const datatype::Datatype& type = *a.receive_type;
  const Lane lane(levels, shares, levels.node().comm->rank());
  const std::int32_t own = levels.own_node();
  const auto share_of = [&](std::int32_t node) { return element(vector, lane.begin(node), type); };
  std::vector<Transfer> receives;
  Batch sends(call);
  for (std::int32_t step = 1; step < levels.nodes(); ++step) {
    const std::int32_t from = lane.after(step);
    const std::int32_t to = lane.before(step);
    if (lane.length(from) > 0) {
      receives.push_back(call.receive(share_of(from), lane.length(from), type, lane.rank_on(from)));
    }
    if (lane.length(own) > 0) sends.add(call.send(share_of(own), lane.length(own), type, lane.rank_on(to)));
  }
  auto received = receives.begin();
  Arguments part = a;
  part.operation = Operation::kAllgatherv;
  part.in_place = true;
  part.receive_buffer = vector;
  for (std::int32_t step = 0; step < levels.nodes(); ++step) {
    const std::int32_t node = lane.after(step);
    if (node != own && lane.length(node) > 0) {
      co_await std::move(*received);
      ++received;
    }
    if (lane.total_of(node) == 0) continue;
    part.receive_counts = lane.lengths_of(node);
    part.receive_displs = lane.begins_of(node);
    LevelCall among = on_node(call, part);
    co_await among.run();
  }
  co_await sends;
}

double lane_pipeline_cost(const Shape& shape, const Machine& machine, const LevelPhases& halves) {
  // Where ranks share cores nothing goes on beside the messages, and more of them wait for a turn. On four hosts of
  // four ranks and two cores an allreduce of 64 KiB to 4 MiB takes 1.1 to 1.3 times as long as in lanes (Zen 3), while
  // the plain sum is 0.86 of what is said of lanes.
  constexpr double kInTurn = 1.5;
  const std::int32_t others = shape.nodes - 1;
  const double share = static_cast<double>(shape.bytes) / shape.ranks;
  const Machine lane = of_lane(machine, shape.node_ranks, shape.nodes);
  const double messages = lane.exchanges(1, others, share, shape.nodes);
  const bool in_turn = shape.ranks > machine.cores;
  double sum = 0;
  for (const LevelPhase& half : halves.all()) {
    const Machine node = machine_of(half, machine, halves);
    const double once = cheapest(half.shape, node).cost(half.shape, node);
    const double on_node = shape.nodes * once;
    // The first part goes before any message, and the last message comes after all parts, or the other way round.
    sum += in_turn ? kInTurn * (on_node + messages) : std::max(on_node + lane.message(share), once + messages);
  }
  // What comes is combined while more is under way; the lanes end at different times.
  return sum + share * machine.reduce_byte_ns + machine.wait(shape.ranks);
}

}  // namespace starling::collective
