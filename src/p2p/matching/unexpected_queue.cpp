// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/matching/unexpected_queue.hpp"

namespace starling::p2p {
namespace {

template <typename Chain, typename LinkOf>
void append(Chain& chain, UnexpectedEntry& message, LinkOf link_of) {
  link_of(message).prev = chain.last;
  link_of(message).next = nullptr;
  (chain.last ? link_of(*chain.last).next : chain.first) = &message;
  chain.last = &message;
}

template <typename Chain, typename LinkOf>
void unlink(Chain& chain, UnexpectedEntry& message, LinkOf link_of) {
  UnexpectedEntry::Link& link = link_of(message);
  (link.prev ? link_of(*link.prev).next : chain.first) = link.next;
  (link.next ? link_of(*link.next).prev : chain.last) = link.prev;
}

UnexpectedEntry::Link& order_link(UnexpectedEntry& message) { return message.order; }

auto index_link(int shape) {
  return [shape](UnexpectedEntry& message) -> UnexpectedEntry::Link& {
    return message.indexed[static_cast<std::size_t>(shape)];
  };
}

}  // namespace

void UnexpectedQueue::insert(UnexpectedEntry& message) {
  append(all_, message, order_link);
  ++count_;
  for (int shape = 0; shape < UnexpectedEntry::kShapes; ++shape) {
    if (indexed_[static_cast<std::size_t>(shape)]) index(message, shape);
  }
}

UnexpectedEntry* UnexpectedQueue::find(const Envelope& pattern) {
  // Messages of a stream are taken in the order in which they come.
  if (all_.first != nullptr && pattern.takes(all_.first->envelope)) return all_.first;
  const int shape = shape_of(pattern);
  bool& indexed = indexed_[static_cast<std::size_t>(shape)];
  if (!indexed && count_ > kIndexAbove) {
    build_index(shape);
    indexed = true;
  }
  if (!indexed) {
    UnexpectedEntry* message = all_.first;
    while (message && !pattern.takes(message->envelope)) message = message->order.next;
    return message;
  }
  const auto& chains = chains_[static_cast<std::size_t>(shape)];
  const auto found = chains.find(mix(pattern));
  if (found == chains.end()) return nullptr;
  // Two patterns may share a key; then their messages share a chain.
  UnexpectedEntry* message = found->second.first;
  while (message && !pattern.takes(message->envelope)) message = message->indexed[static_cast<std::size_t>(shape)].next;
  return message;
}

void UnexpectedQueue::remove(UnexpectedEntry& message) {
  unlink(all_, message, order_link);
  --count_;
  for (int shape = 0; shape < UnexpectedEntry::kShapes; ++shape) {
    if (!indexed_[static_cast<std::size_t>(shape)]) continue;
    auto& chains = chains_[static_cast<std::size_t>(shape)];
    const auto found = chains.find(mix(shaped(message.envelope, shape)));
    unlink(found->second, message, index_link(shape));
    if (!found->second.first) chains.erase(found);
  }
  if (count_ == 0) indexed_.fill(false);
}

void UnexpectedQueue::index(UnexpectedEntry& message, int shape) {
  append(chains_[static_cast<std::size_t>(shape)][mix(shaped(message.envelope, shape))], message, index_link(shape));
}

void UnexpectedQueue::build_index(int shape) {
  for (UnexpectedEntry* message = all_.first; message; message = message->order.next) index(*message, shape);
}

}  // namespace starling::p2p
