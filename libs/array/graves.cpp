// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Deletion of elements, and what is known of those that were deleted: the part of ArrayCore that refuses messages to
// them.
#include <algorithm>
#include <utility>

#include "core.hpp"

namespace starling::array::detail {

namespace {

constexpr std::size_t kKeptGraves = 4096;

}  // namespace

void ArrayCore::remove(Entry& entry) {
  type_.destroy(entry.object);
  give_object(entry.object);
  entry.object = nullptr;
  bury(entry);
}

/// The end of an element whose object is destroyed.
void ArrayCore::bury(Entry& entry) {
  entry.is_dying = entry.is_leaving = false;
  ++core_.counters.deleted;
  reductions_.died(entry.reduction, entry.births, entry.birth_names - entry.birth_name);
  if (entry.extras) core_.bury_extras(entry);
  part(entry);
  ++entry.epoch;
  entry.rank = -1;
  entry.is_deleted = true;
  if (!entry.is_home) {
    entry.may_forget = false;
    entry.departed = entry.epoch;
    core_.post_info(home_of(entry.index), Kind::kDied, *this, entry.index, entry.epoch, core_.rank());
    return;
  }
  keep_grave(entry);
}

void ArrayCore::handle_died(const Record& record) {
  Entry& entry = entry_for(Index(record.index, record.header.index));
  const std::uint32_t epoch = record.header.epoch;
  core_.post_info(record.header.origin, Kind::kLanded, *this, entry.index, epoch, Landing{0, 0});
  if (epoch <= entry.epoch) return;
  entry.epoch = epoch;
  entry.rank = -1;
  entry.is_deleted = true;
  MessageList waiting = take_waiting(entry);
  while (!waiting.empty()) send_on(waiting.pop());
  if (entry.is_home) return keep_grave(entry);
  buried_.push_back(entry.index);  // for a home that leaves
  drop_if_useless(entry);
}

/// At the home of a deleted element: its entry is kept for a while. The oldest is dropped.
void ArrayCore::keep_grave(Entry& entry) {
  ++entry.graves;
  graves_.push_back(&entry);
  if (graves_.size() <= kKeptGraves) return;
  Entry* oldest = graves_.front();
  graves_.pop_front();
  table_.expect(*graves_.front());  // the next deletion's
  --oldest->graves;
  if (oldest->graves != 0 || !oldest->is_deleted || oldest->references != 0 || !oldest->waiting.empty()) return;
  reclaimed_epoch_ = std::max(reclaimed_epoch_, oldest->epoch);
  table_.remove(oldest);
}

/// Drops an entry that nobody counts on.
void ArrayCore::drop_if_useless(Entry& entry) {
  if (entry.object == nullptr && !entry.is_home && entry.is_deleted && entry.may_forget && entry.references == 0 &&
      entry.waiting.empty()) {
    table_.remove(&entry);
  }
}

/// Their entries may be dropped; which they were is kept for their homes to come.
void ArrayCore::forget_graves() {
  for (Entry* each : std::exchange(graves_, {})) {
    if (each->graves != 0 && each->is_deleted) buried_.push_back(each->index);
    each->graves = 0;
  }
}

}  // namespace starling::array::detail
