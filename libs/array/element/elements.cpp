// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "elements.hpp"

#include <algorithm>
#include <memory>

#include "base/format.hpp"
#include "program/registry.hpp"

namespace starling::array::detail {

Elements::Elements(ArrayCore& array, std::uint16_t number, const ElementType& type, ArrayPlan plan, const Host& host)
    : array_(array),
      host_(host),
      number_(number),
      type_(type),
      plan_(std::move(plan)),
      rank_(host.rank()),
      size_(host.size()),
      directory_(rank_, size_, plan_.homes, host.nodes()),
      objects_(type.size, type.alignment) {}

std::string Elements::name(const Index& index) const {
  return formatted("element {} of array {} ({})", type_.describe(index), number_, readable(type_.name));
}

Entry& Elements::entry_for(const Index& index) {
  if (Entry* entry = table_.find(index)) return *entry;
  Entry* entry = table_.add(index);
  entry->array = this;
  entry->is_home = home_of(index) == rank_;
  return *entry;
}

int Elements::place_of(const Index& index) const {
  const Entry* entry = table_.find(index);
  return entry != nullptr && entry->epoch > 0 && !entry->is_deleted ? entry->rank : home_of(index);
}

void Elements::drop_if_useless(Entry& entry) {
  if (directory_.is_useless(entry) && entry.references == 0 && entry.waiting.empty()) table_.remove(&entry);
}

void Elements::refuse_home(const Index& index, int home) const {
  throw Error(formatted("the home of {} is process {} by the program's map, but there are only {} processes",
                        name(index), home, size_));
}

void Elements::remember_one_more() {
  if (++remembered_ > plan_.cached_places) return forget_unused();
  if (plan_.cached_for_s == 0) return;
  const double now_s = host_.now_s();
  if (now_s - swept_at_s_ < plan_.cached_for_s) return;
  swept_at_s_ = now_s;
  forget_unused();
}

/// Forgets the places that were not used since the last time.
void Elements::forget_unused() {
  std::vector<Entry*> unused;
  remembered_ = 0;
  table_.each([&](Entry& entry) {
    if (!directory_.is_cached(entry) || entry.references != 0 || !entry.waiting.empty()) return;
    if (entry.was_used) {
      entry.was_used = false;
      ++remembered_;
    } else {
      unused.push_back(&entry);
    }
  });
  for (Entry* each : unused) table_.remove(each);
}

void Elements::end_visit() {
  if (--visits_ > 0 || holes_ == 0) return;
  here_.erase(std::remove(here_.begin(), here_.end(), nullptr), here_.end());
  for (std::size_t i = 0; i < here_.size(); ++i) here_[i]->position = static_cast<std::uint32_t>(i);
  holes_ = 0;
}

void Elements::add_here(Entry& entry) {
  entry.position = static_cast<std::uint32_t>(here_.size());
  here_.push_back(&entry);
}

void Elements::remove_here(const Entry& entry) {
  if (visits_ > 0) {
    here_[entry.position] = nullptr;
    ++holes_;
    return;
  }
  here_[entry.position] = here_.back();
  here_[entry.position]->position = entry.position;
  here_.pop_back();
}

void Elements::destroy_object(Entry& entry) {
  type_.destroy(entry.object);
  give_memory(entry.object);
  entry.object = nullptr;
  entry.is_here = false;
}

void Elements::destroy_all() {
  for (Entry* entry : here_) {
    if (entry != nullptr && entry->object != nullptr) destroy_object(*entry);
  }
  here_.clear();
}

MessageList Elements::take_waiting(Entry& entry) {
  for (const Message* each = entry.waiting.first; each != nullptr; each = each->next) --waiting_;
  return std::exchange(entry.waiting, {});
}

std::size_t Elements::unclaimed(std::string& text) const {
  if (waiting_ == 0) return 0;
  constexpr std::size_t kNamed = 5;
  std::size_t count = 0;
  table_.each([&](Entry& entry) {
    if (entry.waiting.empty() || count++ >= kNamed) return;
    const Message& first = *entry.waiting.first;
    text += formatted("{}{} to {} from process {}", text.empty() ? "" : "; ", method_name(first.method),
                      name(entry.index), first.origin);
  });
  return count;
}

void Elements::renumber() {
  rank_ = host_.rank();
  size_ = host_.size();
  directory_ = Directory(rank_, size_, plan_.homes, host_.nodes());
  holes_ = 0;
  visits_ = 0;
  remembered_ = 0;
}

void Elements::clear() {
  std::destroy_at(&table_);
  std::construct_at(&table_);
}

}  // namespace starling::array::detail
