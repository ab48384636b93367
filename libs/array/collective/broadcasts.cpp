// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "broadcasts.hpp"

#include <algorithm>

namespace starling::array::detail {

Broadcasts::Broadcasts(Elements& elements, Host& host, Tree tree)
    : elements_(elements), host_(host), tree_(tree), lows_(static_cast<std::size_t>(tree.children())) {}

void Broadcasts::start(std::uint32_t method, const char* bytes, std::size_t size) {
  RecordHeader ask;
  ask.kind = RecordKind::kBroadcastAsk;
  ask.array = elements_.number();
  ask.method = method;
  host_.records().post_bytes(tree_.root, ask, bytes, size);
}

void Broadcasts::handle_ask(const Record& record) {
  take(last_ + 1, record.header.method, told_, record.payload, record.header.payload);
}

void Broadcasts::handle(const Record& record) {
  take(record.header.epoch, record.header.method, record.header.reply, record.payload, record.header.payload);
}

void Broadcasts::take(std::uint32_t number, std::uint32_t method, std::uint32_t lowest, const char* bytes,
                      std::size_t size) {
  RecordHeader header;
  header.kind = RecordKind::kBroadcast;
  header.array = elements_.number();
  header.method = method;
  header.epoch = number;
  header.reply = lowest;
  for (int i = 0; i < tree_.children(); ++i) host_.records().post_bytes(tree_.child(i), header, bytes, size);
  host_.records().flush();  // others go to work while this process does
  drop_up_to(lowest);
  past_.push_back({method, std::vector<char>(bytes, bytes + size)});
  last_ = number;
  // Where one throws, those that are left catch up with the next.
  elements_.each_here([this](Entry& each) { catch_up(each); });
  if (last_ % kBetweenReports == 0) report();
}

void Broadcasts::catch_up(Entry& entry) {
  if (entry.broadcast >= last_ || elements_.lacks_mark(entry)) return;
  ++entry.references;
  while (entry.is_here && entry.broadcast < last_) {
    const Past& past = past_[past_.size() - (last_ - entry.broadcast)];
    ++entry.broadcast;
    Archive in = Archive::reading(past.bytes.data(), past.bytes.size(), &host_.session());
    host_.invoke(entry, past.method, in, {});
  }
  --entry.references;
  elements_.drop_if_useless(entry);
}

void Broadcasts::landed(std::uint32_t number, std::uint32_t count) {
  const auto at = under_way_.find(number);
  if (at != under_way_.end() && (at->second -= count) == 0) under_way_.erase(at);
}

std::uint32_t Broadcasts::low() const {
  std::uint32_t low = last_;
  if (!under_way_.empty()) low = std::min(low, under_way_.begin()->first);
  for (const std::uint32_t each : lows_) low = std::min(low, each);
  if (kept_from_) low = std::min(low, *kept_from_);
  return low;
}

void Broadcasts::report() {
  told_ = low();
  if (tree_.is_root()) return;
  host_.records().post_info(tree_.parent(), RecordKind::kLow, elements_.number(), Index(), 0, told_);
}

void Broadcasts::handle_low(const Record& record) {
  lows_[static_cast<std::size_t>(tree_.place_at_parent(record.header.origin))] = info_of<std::uint32_t>(record);
}

void Broadcasts::drop_up_to(std::uint32_t number) {
  while (!past_.empty() && last_ - past_.size() + 1 <= number) past_.pop_front();
}

}  // namespace starling::array::detail
