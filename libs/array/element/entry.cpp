// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "entry.hpp"

#include <new>
#include <utility>

namespace starling::array::detail {

EntryTable::~EntryTable() {
  each([](Entry& entry) { std::destroy_at(&entry); });
}

std::uint32_t EntryTable::take_number() {
  if (!free_numbers_.empty()) {
    const std::uint32_t number = free_numbers_.back();
    free_numbers_.pop_back();
    return number;
  }
  if (numbers_ % kSlab == 0) slabs_.push_back(std::unique_ptr<Slab>(new Slab));
  return ++numbers_;
}

Entry* EntryTable::add(const Index& index) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  const std::uint32_t number = take_number();
  Entry* entry = new (numbered(number)) Entry(index);
  entry->number = number;
  std::size_t at = place(index.hash());
  while (slots_[at].number != 0) at = (at + 1) & mask();
  slots_[at] = {number, index.hash()};
  ++used_;
  return entry;
}

void EntryTable::remove(Entry* entry) {
  std::size_t hole = place(entry->index.hash());
  while (slots_[hole].number != entry->number) hole = (hole + 1) & mask();
  // Those behind move up, unless that would put one before the place where its search begins.
  for (std::size_t at = (hole + 1) & mask(); slots_[at].number != 0; at = (at + 1) & mask()) {
    const std::size_t begin = place(slots_[at].hash);
    if (((at - begin) & mask()) >= ((at - hole) & mask())) {
      slots_[hole] = slots_[at];
      hole = at;
    }
  }
  slots_[hole] = {};
  --used_;
  free_numbers_.push_back(entry->number);
  std::destroy_at(entry);
}

void EntryTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  std::swap(old, slots_);
  --shift_;
  for (const Slot& slot : old) {
    if (slot.number == 0) continue;
    std::size_t at = place(slot.hash);
    while (slots_[at].number != 0) at = (at + 1) & mask();
    slots_[at] = slot;
  }
}

}  // namespace starling::array::detail
