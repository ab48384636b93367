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
  for (int shape = 0; shape < Arrived::kShapes; ++shape) {
    if (indexed_[static_cast<std::size_t>(shape)]) index(message, shape);
  }
}

Arrived* UnexpectedQueue::find(const Envelope& pattern) {
  const int shape = shape_of(pattern);
  bool& indexed = indexed_[static_cast<std::size_t>(shape)];
  if (!indexed && count_ > kIndexAbove) {
    build_index(shape);
    indexed = true;
  }
  if (!indexed) {
    Arrived* message = all_.first;
    while (message && !pattern.takes(message->envelope)) message = message->order.next;
    return message;
  }
  const auto& chains = chains_[static_cast<std::size_t>(shape)];
  const auto found = chains.find(mix(pattern));
  if (found == chains.end()) return nullptr;
  // Two patterns may share a key; then their messages share a chain.
  Arrived* message = found->second.first;
  while (message && !pattern.takes(message->envelope)) message = message->indexed[static_cast<std::size_t>(shape)].next;
  return message;
}

void UnexpectedQueue::remove(Arrived& message) {
  unlink(all_, message, order_link);
  --count_;
  for (int shape = 0; shape < Arrived::kShapes; ++shape) {
    if (!indexed_[static_cast<std::size_t>(shape)]) continue;
    auto& chains = chains_[static_cast<std::size_t>(shape)];
    const auto found = chains.find(mix(shaped(message.envelope, shape)));
    unlink(found->second, message, index_link(shape));
    if (!found->second.first) chains.erase(found);
  }
  if (count_ == 0) indexed_.fill(false);
}

void UnexpectedQueue::index(Arrived& message, int shape) {
  append(chains_[static_cast<std::size_t>(shape)][mix(shaped(message.envelope, shape))], message, index_link(shape));
}

void UnexpectedQueue::build_index(int shape) {
  for (Arrived* message = all_.first; message; message = message->order.next) index(*message, shape);
}

}  // namespace starling::p2p
