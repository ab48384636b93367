// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "array_core.hpp"

#include "arrays.hpp"
#include "program/registry.hpp"

namespace starling::array::detail {

ArrayCore::ArrayCore(Arrays& arrays, Host& host, Streams& streams, std::uint16_t number, const ElementType& type,
                     std::uint32_t default_constructor, ArrayPlan plan)
    : arrays_(arrays),
      host_(host),
      streams_(streams),
      elements_(*this, number, type, std::move(plan), host.rank(), host.size()),
      router_(elements_, host, [this](const char* name) { sections_.refuse(name); }),
      broadcasts_(elements_, host, tree()),
      reductions_(elements_, host, tree()),
      sections_(elements_, router_, streams, host),
      balancer_(elements_, host, *this),
      creation_(*this, default_constructor),
      migration_(*this),
      deletion_(*this) {}

ArrayCore::~ArrayCore() {
  elements_.destroy_all();
  drop_waiting();
}

Tree ArrayCore::tree() const { return Tree{number() % host_.size(), host_.rank(), host_.size()}; }

void ArrayCore::drop_waiting() {
  elements_.each([&](Entry& entry) {
    while (!entry.waiting.empty()) {
      Message* message = elements_.pop_waiting(entry);
      if (message->held) method_numbered(message->method).drop_held(message->bytes());
      host_.queue().pool().give(message);
    }
  });
}

void ArrayCore::leave_or_die(Entry& entry) {
  if (entry.is_dying) return deletion_.remove(entry);
  const auto size = static_cast<std::uint64_t>(host_.size());
  if (entry.is_leaving) {
    entry.is_leaving = false;
    migration_.depart(entry);
  } else if (!entry.is_fixed && size > 1) {  // restless
    const std::uint64_t any = static_cast<std::uint64_t>(host_.rank()) + 1 + host_.random() % (size - 1);
    entry.bound_for = static_cast<std::uint16_t>(any % size);
    migration_.depart(entry);
  }
}

void ArrayCore::join(Entry& entry) {
  elements_.add_here(entry);
  reductions_.joined(entry);
}

void ArrayCore::part(const Entry& entry) {
  elements_.remove_here(entry);
  reductions_.parted(entry);
}

int ArrayCore::place_of(std::uint16_t array, const Index& index) const {
  return arrays_.at(array).elements().place_of(index);
}

void ArrayCore::move(const Index& index, int to) {
  Entry* entry = elements_.find_here(index);
  if (entry == nullptr) return;
  entry->bound_for = static_cast<std::uint16_t>(to);
  entry->is_leaving = true;
  after(*entry);
}

}  // namespace starling::array::detail
