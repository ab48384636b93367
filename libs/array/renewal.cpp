// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What an array does when its session goes on with other processes.
#include <utility>

#include "core.hpp"

namespace starling::array::detail {

void ArrayCore::hand_over(int to) {
  forget_graves();
  for (const Index& each : std::exchange(buried_, {})) {
    if (const Entry* entry = table_.find(each)) {
      core_.post_info(to, Kind::kDied, *this, each, entry->epoch, core_.rank());
    }
  }
  table_.each([&](Entry& entry) {
    while (!entry.waiting.empty()) wait_elsewhere(pop_waiting(entry), to);
  });
}

ArrayCore::Homeless ArrayCore::renew(const std::vector<int>& rank_now) {
  Homeless homeless;
  forget_graves();
  std::vector<Entry*> others;
  table_.each([&](Entry& entry) {
    if (entry.object != nullptr) return;
    others.push_back(&entry);
    while (!entry.waiting.empty()) {
      Message* message = pop_waiting(entry);
      core_.renumber(message->origin, message->reply, rank_now);
      homeless.emplace_back(entry.index, message);
    }
  });
  for (Entry* each : others) table_.remove(each);
  renew_parts();
  for (Entry* each : here_) {
    if (each->extras) core_.renumber(*each->extras, rank_now);
    each->is_home = home_of(each->index) == core_.rank();
    each->departed = 0;
    each->may_forget = true;
    settle_in(*each, 1);
  }
  return homeless;
}

void ArrayCore::take_in(Homeless homeless) {
  for (const auto& [index, message] : homeless) {
    Entry& entry = entry_for(index);
    message->target = &entry;
    push_waiting(entry, message);
    release(entry);
  }
}

}  // namespace starling::array::detail
