// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "entry.hpp"

#include <bit>
#include <new>
#include <utility>

namespace starling::array::detail {

namespace {

constexpr std::size_t kSmallestMessage = 64;

}  // namespace

MessagePool::~MessagePool() {
  for (Message* list : free_) {
    while (list != nullptr) ::operator delete(std::exchange(list, list->next));
  }
}

Message* MessagePool::take(std::size_t payload) {
  const std::size_t bytes = sizeof(Message) + payload;
  const auto size_class =
      bytes <= kSmallestMessage ? 0 : static_cast<unsigned>(std::bit_width(bytes - 1)) - 6;  // 64 is 2^6
  void* memory = nullptr;
  if (size_class < kClasses && free_[size_class] != nullptr) {
    memory = free_[size_class];
    free_[size_class] = free_[size_class]->next;
  } else {
    memory = ::operator new(size_class < kClasses ? kSmallestMessage << size_class : bytes);
  }
  auto* message = new (memory) Message();
  message->payload = static_cast<std::uint32_t>(payload);
  message->size_class = static_cast<std::uint8_t>(size_class < kClasses ? size_class : kClasses);
  return message;
}

void MessagePool::give(Message* message) {
  if (message->size_class == kClasses) {
    ::operator delete(message);
    return;
  }
  message->next = free_[message->size_class];
  free_[message->size_class] = message;
}

Table::~Table() {
  each([](Entry& entry) { std::destroy_at(&entry); });
}

std::uint32_t Table::take_number() {
  if (!free_numbers_.empty()) {
    const std::uint32_t number = free_numbers_.back();
    free_numbers_.pop_back();
    return number;
  }
  if (numbers_ % kSlab == 0) slabs_.push_back(std::unique_ptr<Slab>(new Slab));
  return ++numbers_;
}

Entry* Table::add(const Index& index) {
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

void Table::remove(Entry* entry) {
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

void Table::grow() {
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
