// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/analysis/message_table.hpp"

#include <algorithm>
#include <iterator>

namespace starling::trace {
namespace {

constexpr std::size_t kMostOfChannel = 1 << 14;
constexpr std::size_t kMostEarly = 1 << 16;

template <class Messages>
auto find_number(Messages& messages, std::uint64_t number) {
  const auto at = std::lower_bound(messages.begin(), messages.end(), number,
                                   [](const Message& message, std::uint64_t value) { return message.number < value; });
  return at != messages.end() && at->number == number ? at : messages.end();
}

}  // namespace

const MessageTable::Messages* MessageTable::of(const Channel& channel) const {
  const auto found = channels_.find(channel);
  return found == channels_.end() ? nullptr : &found->second;
}

void MessageTable::drop_old(Messages& messages) const {
  const auto over = [&](const Message& oldest) {
    return messages.size() >= kMostOfChannel ||
           (oldest.received_ns != Message::kNever && oldest.received_ns < forget_before_ns_);
  };
  while (!messages.empty() && over(messages.front())) messages.pop_front();
}

void MessageTable::drop_empty() {
  for (auto at = channels_.begin(); at != channels_.end();) {
    drop_old(at->second);
    at = at->second.empty() ? channels_.erase(at) : std::next(at);
  }
  crowded_ = std::max(crowded_, 2 * channels_.size());
}

const Message& MessageTable::sent(const Channel& channel, const Message& message) {
  if (channels_.size() >= crowded_) drop_empty();
  Messages& messages = channels_[channel];
  drop_old(messages);
  // Threads may tell the messages of a pair out of order.
  const auto at = std::upper_bound(messages.begin(), messages.end(), message.number,
                                   [](std::uint64_t value, const Message& other) { return value < other.number; });
  Message& kept = *messages.insert(at, message);
  if (!early_.empty()) {
    if (const auto early = early_.find({channel, message.number}); early != early_.end()) {
      kept.received_ns = early->second.received_ns;
      kept.awaited_ns = early->second.awaited_ns;
      early_.erase(early);
    }
  }
  return kept;
}

const Message* MessageTable::received(const Channel& channel, const Message& message) {
  if (const auto found = channels_.find(channel); found != channels_.end()) {
    if (const auto at = find_number(found->second, message.number); at != found->second.end()) {
      at->received_ns = message.received_ns;
      at->awaited_ns = message.awaited_ns;
      return &*at;
    }
  }
  if (early_.size() >= kMostEarly) early_.clear();
  early_[{channel, message.number}] = message;
  return nullptr;
}

const Message* MessageTable::find(const Channel& channel, std::uint64_t number) const {
  const Messages* messages = of(channel);
  if (messages == nullptr) return nullptr;
  const auto at = find_number(*messages, number);
  return at == messages->end() ? nullptr : &*at;
}

const Message* MessageTable::met_between(const Channel& channel, std::int64_t after_ns, std::int64_t until_ns) const {
  constexpr std::ptrdiff_t kLooks = 256;
  const Messages* messages = of(channel);
  if (messages == nullptr) return nullptr;
  const auto stop =
      messages->rbegin() + std::min<std::ptrdiff_t>(kLooks, static_cast<std::ptrdiff_t>(messages->size()));
  const auto met = std::find_if(messages->rbegin(), stop, [&](const Message& each) {
    return each.rendezvous && each.awaited_ns > after_ns && each.awaited_ns <= until_ns;
  });
  return met == stop ? nullptr : &*met;
}

}  // namespace starling::trace
