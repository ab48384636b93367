// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "deletion.hpp"

#include <utility>

namespace starling::array::detail {

namespace {

constexpr std::size_t kKeptTombstones = 4096;

}  // namespace

void Deletion::remove(Entry& entry) {
  context_.elements.destroy_object(entry);
  mark_deleted(entry);
}

void Deletion::mark_deleted(Entry& entry) {
  Host& host = context_.host;
  entry.is_dying = entry.is_leaving = false;
  ++host.counters.deleted;
  context_.reductions.died(entry.reduction, entry.births, entry.birth_names - entry.birth_name);
  if (entry.extras) {
    context_.sections.tell_deleted(entry);
    context_.streams.refuse_held_back(entry);
  }
  context_.part(entry);
  context_.directory().remove(entry);
  if (entry.is_home) return keep_tombstone(entry);
  host.records().post_info(context_.elements.home_of(entry.index), RecordKind::kDied, context_.number(), entry.index,
                           entry.epoch, host.rank());
}

void Deletion::handle_died(const Record& record) {
  Entry& entry = context_.elements.entry_for(Index(record.index, record.header.index));
  const std::uint32_t epoch = record.header.epoch;
  context_.landings.add(record.header.origin, entry.index, epoch, {0, 0});
  if (!context_.directory().hear_deletion(entry, epoch)) return;
  context_.router.refuse_waiting(entry);
  if (entry.is_home) return keep_tombstone(entry);
  deleted_.push_back(entry.index);  // for a home that leaves
  context_.elements.drop_if_useless(entry);
}

void Deletion::keep_tombstone(Entry& entry) {
  ++entry.tombstones;
  tombstones_.push_back(&entry);
  if (tombstones_.size() > kKeptTombstones) reclaim_oldest();
}

void Deletion::reclaim_oldest() {
  Entry* oldest = tombstones_.front();
  tombstones_.pop_front();
  context_.elements.expect(*tombstones_.front());  // the next deletion's
  --oldest->tombstones;
  if (oldest->tombstones != 0 || !oldest->is_deleted || oldest->references != 0 || !oldest->waiting.empty()) return;
  context_.directory().reclaim(*oldest);
  context_.elements.drop(*oldest);
}

void Deletion::forget_tombstones() {
  for (Entry* each : std::exchange(tombstones_, {})) {
    if (each->tombstones != 0 && each->is_deleted) deleted_.push_back(each->index);
    each->tombstones = 0;
  }
}

std::vector<Index> Deletion::take_deleted() { return std::exchange(deleted_, {}); }

void Deletion::learn_at_home(const Index& index) {
  Entry& entry = context_.elements.entry_for(index);
  if (entry.epoch != 0) return;  // it was created anew, or is known to be deleted
  entry.epoch = 1;
  entry.is_deleted = true;
  ++entry.tombstones;
  tombstones_.push_back(&entry);
}

void Deletion::forget_all() {
  tombstones_.clear();
  deleted_.clear();
}

}  // namespace starling::array::detail
