// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "array_core.hpp"

#include "program/registry.hpp"

namespace starling::array::detail {

ArrayCore::ArrayCore(const Places& places, Host& host, Streams& streams, std::uint16_t number, const ElementType& type,
                     std::uint32_t default_constructor, ArrayPlan plan)
    : places_(places),
      host_(host),
      streams_(streams),
      elements_(*this, number, type, std::move(plan), host),
      router_(elements_, host, [this](const char* name) { sections_.refuse(name); }),
      broadcasts_(elements_, host, tree()),
      reductions_(elements_, host, tree()),
      sections_(elements_, router_, streams, host),
      balancer_(elements_, host, *this, places),
      landings_(host, number),
      context_{host, streams, elements_, router_, broadcasts_, reductions_, sections_, balancer_, landings_},
      creation_(context_, default_constructor, [this](Entry& entry) { after(entry); }),
      migration_(context_),
      deletion_(context_) {}

ArrayCore::~ArrayCore() {
  elements_.destroy_all();
  drop_waiting();
}

Tree ArrayCore::tree() const {
  return Tree{number() % host_.size(), host_.rank(), host_.size(), elements_.plan().branches};
}

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
    entry.leave_for(static_cast<int>(any % size));
    migration_.depart(entry);
  }
}

void ArrayCore::catch_up(Entry& entry) {
  broadcasts_.catch_up(entry);
  if (entry.is_here && entry.extras) streams_.catch_up(entry);
}

void ArrayCore::move(const Index& index, int to) {
  Entry* entry = elements_.find_here(index);
  if (entry == nullptr) return;
  entry->leave_for(to);
  entry->is_leaving = true;
  after(*entry);
}

}  // namespace starling::array::detail
