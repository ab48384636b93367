// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/analysis/message_table.hpp"

#include <algorithm>

namespace starling::trace {
namespace {

constexpr std::size_t kMostOfPair = 1 << 14;
constexpr std::size_t kMostEarly = 1 << 16;

template <class Messages>
auto find_number(Messages& messages, std::uint64_t number) {
  const auto at = std::lower_bound(messages.begin(), messages.end(), number,
                                   [](const Message& message, std::uint64_t value) { return message.number < value; });
  return at != messages.end() && at->number == number ? at : messages.end();
}

}  // namespace

const MessageTable::Messages* MessageTable::of(std::int32_t sender, std::int32_t receiver) const {
  const auto found = pairs_.find(pair_of(sender, receiver));
  return found == pairs_.end() ? nullptr : &found->second;
}

const Message& MessageTable::sent(std::int32_t sender, std::int32_t receiver, const Message& message) {
  const std::uint64_t pair = pair_of(sender, receiver);
  Messages& messages = pairs_[pair];
  const auto over = [&](const Message& oldest) {
    return messages.size() >= kMostOfPair ||
           (oldest.received_ns != Message::kNever && oldest.received_ns < forget_before_ns_);
  };
  while (!messages.empty() && over(messages.front())) messages.pop_front();
  // Threads may tell the messages of a pair out of order.
  const auto at = std::upper_bound(messages.begin(), messages.end(), message.number,
                                   [](std::uint64_t value, const Message& other) { return value < other.number; });
  Message& kept = *messages.insert(at, message);
  if (!early_.empty()) {
    if (const auto early = early_.find({pair, message.number}); early != early_.end()) {
      kept.received_ns = early->second;
      early_.erase(early);
    }
  }
  return kept;
}

const Message* MessageTable::received(std::int32_t receiver, std::int32_t sender, std::uint64_t number,
                                      std::int64_t at_ns) {
  const std::uint64_t pair = pair_of(sender, receiver);
  if (const auto found = pairs_.find(pair); found != pairs_.end()) {
    if (const auto at = find_number(found->second, number); at != found->second.end()) {
      at->received_ns = at_ns;
      return &*at;
    }
  }
  if (early_.size() >= kMostEarly) early_.clear();
  early_[{pair, number}] = at_ns;
  return nullptr;
}

const Message* MessageTable::find(std::int32_t sender, std::int32_t receiver, std::uint64_t number) const {
  const Messages* messages = of(sender, receiver);
  if (messages == nullptr) return nullptr;
  const auto at = find_number(*messages, number);
  return at == messages->end() ? nullptr : &*at;
}

const Message* MessageTable::met_between(std::int32_t sender, std::int32_t receiver, std::int64_t after_ns,
                                         std::int64_t until_ns) const {
  constexpr std::ptrdiff_t kLooks = 256;
  const Messages* messages = of(sender, receiver);
  if (messages == nullptr) return nullptr;
  const auto stop =
      messages->rbegin() + std::min<std::ptrdiff_t>(kLooks, static_cast<std::ptrdiff_t>(messages->size()));
  const auto met = std::find_if(messages->rbegin(), stop, [&](const Message& each) {
    return each.rendezvous && each.received_ns > after_ns && each.received_ns <= until_ns;
  });
  return met == stop ? nullptr : &*met;
}

}  // namespace starling::trace
