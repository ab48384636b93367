// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/matching/unexpected_queue.hpp"

namespace starling::p2p {
namespace {

template <typename Chain, typename LinkOf>
void append(Chain& chain, Arrived& message, LinkOf link_of) {
  link_of(message).prev = chain.last;
  link_of(message).next = nullptr;
  (chain.last ? link_of(*chain.last).next : chain.first) = &message;
  chain.last = &message;
}

template <typename Chain, typename LinkOf>
void unlink(Chain& chain, Arrived& message, LinkOf link_of) {
  Arrived::Link& link = link_of(message);
  (link.prev ? link_of(*link.prev).next : chain.first) = link.next;
  (link.next ? link_of(*link.next).prev : chain.last) = link.prev;
}

Arrived::Link& order_link(Arrived& message) { return message.order; }

auto index_link(int shape) {
  return [shape](Arrived& message) -> Arrived::Link& { return message.indexed[static_cast<std::size_t>(shape)]; };
}

}  // namespace

void UnexpectedQueue::insert(Arrived& message) {
  append(all_, message, order_link);
  ++count_;
  if (indexed_) {
    index(message);
  } else if (count_ > kIndexAbove) {
    build_indexes();
  }
}

Arrived* UnexpectedQueue::find(const Envelope& pattern) const {
  Arrived* message = all_.first;
  if (!indexed_) {
    while (message && !pattern.takes(message->envelope)) message = message->order.next;
    return message;
  }
  const int shape = shape_of(pattern);
  const auto& chains = chains_[static_cast<std::size_t>(shape)];
  const auto found = chains.find(mix(pattern));
  if (found == chains.end()) return nullptr;
  // Two patterns may share a key; then their messages share a chain.
  message = found->second.first;
  while (message && !pattern.takes(message->envelope)) message = message->indexed[static_cast<std::size_t>(shape)].next;
  return message;
}

void UnexpectedQueue::remove(Arrived& message) {
  unlink(all_, message, order_link);
  --count_;
  if (!indexed_) return;
  for (int shape = 0; shape < Arrived::kShapes; ++shape) {
    auto& chains = chains_[static_cast<std::size_t>(shape)];
    const auto found = chains.find(mix(shaped(message.envelope, shape)));
    unlink(found->second, message, index_link(shape));
    if (!found->second.first) chains.erase(found);
  }
  if (count_ == 0) indexed_ = false;
}

void UnexpectedQueue::index(Arrived& message) {
  for (int shape = 0; shape < Arrived::kShapes; ++shape) {
    Chain& chain = chains_[static_cast<std::size_t>(shape)][mix(shaped(message.envelope, shape))];
    append(chain, message, index_link(shape));
  }
}

void UnexpectedQueue::build_indexes() {
  indexed_ = true;
  for (Arrived* message = all_.first; message; message = message->order.next) index(*message);
}

}  // namespace starling::p2p
