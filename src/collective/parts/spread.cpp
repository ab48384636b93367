// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/spread.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "collective/node/contributions.hpp"
#include "collective/parts/binomial_tree.hpp"

namespace starling::collective {

Task scatter_down_tree(Call& call, Spread spread) {
  const BinomialTree tree(call, spread.first);
  const std::int32_t me = tree.place();
  if (!tree.at_top()) co_await spread.receive(call, me, me + tree.width(), tree.parent());
  Batch children(call);
  for (std::int32_t i = tree.children() - 1; i >= 0; --i) {
    const BinomialTree::Child child = tree.child(i);
    children.add(spread.send(call, me + child.distance, me + child.distance + child.width, child.rank));
  }
  co_await children;
}

Task scatter_straight(Call& call, Spread spread) {
  const std::int32_t me = spread.place(call);
  if (me != 0) {
    co_await spread.receive(call, me, me + 1, spread.first);
    co_return;
  }
  Batch parts(call);
  for (std::int32_t place = 1; place < call.size(); ++place) {
    parts.add(spread.send(call, place, place + 1, spread.rank(call, place)));
  }
  co_await parts;
}

Task gather_around_ring(Call& call, Spread spread) {
  const std::int32_t ranks = call.size();
  const std::int32_t me = spread.place(call);
  for (std::int32_t step = 0; step < ranks - 1; ++step) {
    const std::int32_t out = (me - step + ranks) % ranks;
    const std::int32_t in = (me - step - 1 + ranks) % ranks;
    Batch batch(call);
    batch.add(spread.receive(call, in, in + 1, (call.rank() - 1 + ranks) % ranks));
    batch.add(spread.send(call, out, out + 1, (call.rank() + 1) % ranks));
    co_await batch;
  }
}

Task gather_by_doubling(Call& call, Spread spread) {
  const std::int32_t me = spread.place(call);
  for (std::int32_t mask = 1; mask < call.size(); mask *= 2) {
    const std::int32_t mine = me & ~(mask - 1);
    const std::int32_t theirs = (me ^ mask) & ~(mask - 1);
    const std::int32_t partner = spread.rank(call, me ^ mask);
    Batch batch(call);
    batch.add(spread.receive(call, theirs, theirs + mask, partner));
    batch.add(spread.send(call, mine, mine + mask, partner));
    co_await batch;
  }
}

namespace {

constexpr std::int32_t kEverybody = -1;

/// A portion of the parts on its way through the segments, `done` bytes into each.
struct Portion {
  std::int64_t done;
  std::int64_t most;

  [[nodiscard]] std::size_t bytes(const Spread& spread, std::int32_t part) const noexcept {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(spread.bytes(part, part + 1) - done, 0, most));
  }
};

/// Every rank leaves its part, `reader` or everybody takes out the others'.
Task move_in_buffer(Call& call, Spread spread, SharedBuffer& shared, std::int32_t reader) {
  const std::int32_t me = spread.place(call);
  const std::int64_t whole = spread.bytes(0, call.size());
  const bool takes = reader == kEverybody || reader == call.rank();
  bool agreed = true;
  Portion portion{0, shared.segment_bytes()};
  do {
    const std::uint64_t k = shared.next();
    co_await Writable(call, shared, k, shared.segment_bytes());
    if (const std::size_t bytes = portion.bytes(spread, me)) {
      std::memcpy(shared.segment(call.rank(), k), spread.at(me) + portion.done, bytes);
    }
    shared.post(k, whole);
    if (shared.arrive(k)) shared.release(k);
    co_await call.until([&] { return shared.met(k); });
    agreed = agree(call, shared, k, whole);
    for (std::int32_t place = 0; agreed && takes && place < call.size(); ++place) {
      const std::size_t bytes = portion.bytes(spread, place);
      if (place == me || bytes == 0) continue;
      std::memcpy(spread.at(place) + portion.done, shared.segment(spread.rank(call, place), k), bytes);
    }
    shared.finish(k);
    portion.done += portion.most;
  } while (agreed && portion.done < spread.bytes(0, 1));  // the first part is the longest
}

}  // namespace

Task gather_in_buffer(Call& call, Spread spread, SharedBuffer& shared) {
  co_await move_in_buffer(call, spread, shared, kEverybody);
}

Task collect_in_buffer(Call& call, Spread spread, SharedBuffer& shared, std::int32_t root) {
  co_await move_in_buffer(call, spread, shared, root);
}

Task collect_straight(Call& call, Spread spread, std::int32_t root) {
  if (call.rank() != root) {
    co_await spread.send(call, call.rank(), call.rank() + 1, root);
    co_return;
  }
  Batch parts(call);
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    if (rank != root) parts.add(spread.receive(call, rank, rank + 1, rank));
  }
  co_await parts;
}

Task collect_up_tree(Call& call, Spread spread, std::int32_t root) {
  const BinomialTree tree(call, root);
  Batch below(call);
  for (std::int32_t i = 0; i < tree.children(); ++i) {
    const BinomialTree::Child child = tree.child(i);
    for (const RankRange& range : ranges(child.rank, child.width, call.size())) {
      if (range.count > 0) below.add(spread.receive(call, range.first, range.first + range.count, child.rank));
    }
  }
  co_await below;
  if (tree.at_top()) co_return;
  Batch up(call);
  for (const RankRange& range : ranges(call.rank(), tree.width(), call.size())) {
    if (range.count > 0) up.add(spread.send(call, range.first, range.first + range.count, tree.parent()));
  }
  co_await up;
}

}  // namespace starling::collective
