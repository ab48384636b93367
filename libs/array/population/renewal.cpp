// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What an array does when its session goes on with other processes, or begins anew.
#include <memory>
#include <utility>

#include "array_core.hpp"

namespace starling::array::detail {

namespace {

template <class Part, class... Arguments>
void renew_in_place(Part& part, Arguments&&... arguments) {
  std::destroy_at(&part);
  std::construct_at(&part, std::forward<Arguments>(arguments)...);
}

}  // namespace

/// All but the table and the elements.
void ArrayCore::renew_parts() {
  const bool measures = balancer_.is_measuring();
  balancer_.measure_links(false);
  elements_.renumber();
  landings_.forget();
  renew_in_place(broadcasts_, elements_, host_, tree());
  renew_in_place(reductions_, elements_, host_, tree());
  renew_in_place(balancer_, elements_, host_, *this, places_, measures);
  renew_in_place(sections_, elements_, router_, streams_, host_);
}

/// An element begins on this process, or begins anew, as one that main created.
void ArrayCore::settle_in(Entry& entry, std::uint32_t epoch) {
  elements_.directory().expect(entry, epoch);
  entry.reduction = reductions_.next();
  entry.broadcast = broadcasts_.last();
  entry.births = 0;
  entry.is_marked = host_.marks.value;
  entry.birth_names = entry.birth_name = 0;
  reductions_.born(entry.reduction);
  reductions_.joined(entry);
}

void ArrayCore::forget_all() {
  elements_.destroy_all();
  drop_waiting();
  elements_.clear();
  deletion_.forget_all();
  renew_parts();
}

void ArrayCore::hand_over(int to) {
  deletion_.forget_tombstones();
  for (const Index& each : deletion_.take_deleted()) {
    if (const Entry* entry = elements_.find(each)) {
      host_.records().post_info(to, RecordKind::kDied, number(), each, entry->epoch, host_.rank());
    }
  }
  elements_.each([&](Entry& entry) {
    while (!entry.waiting.empty()) router_.wait_elsewhere(elements_.pop_waiting(entry), to);
  });
}

ArrayCore::Homeless ArrayCore::renew(const std::vector<int>& rank_now) {
  Homeless homeless;
  deletion_.forget_tombstones();
  std::vector<Entry*> others;
  elements_.each([&](Entry& entry) {
    if (entry.is_here) return;
    others.push_back(&entry);
    while (!entry.waiting.empty()) {
      Message* message = elements_.pop_waiting(entry);
      streams_.renumber(message->origin, message->reply, rank_now);
      homeless.emplace_back(entry.index, message);
    }
  });
  for (Entry* each : others) elements_.drop(*each);
  renew_parts();
  for (Entry* each : elements_.here()) {
    if (each->extras) streams_.renumber(*each->extras, rank_now);
    each->is_home = elements_.home_of(each->index) == host_.rank();
    each->departed = 0;
    each->may_forget = true;
    settle_in(*each, 1);
  }
  return homeless;
}

void ArrayCore::take_in(const Homeless& homeless) {
  for (const auto& [index, message] : homeless) {
    Entry& entry = elements_.entry_for(index);
    message->target = &entry;
    elements_.push_waiting(entry, message);
    router_.release(entry);
  }
}

void ArrayCore::learn_at_home(const Index& index, int rank) {
  Entry& entry = elements_.entry_for(index);
  entry.epoch = 1;
  entry.rank = rank;
  entry.is_deleted = false;
}

}  // namespace starling::array::detail
