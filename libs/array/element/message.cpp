// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "message.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace starling::array::detail {

namespace {

constexpr std::size_t kSmallestMessage = 64;

bool is_later(const Message* one, const Message* other) {
  return one->priority != other->priority ? one->priority > other->priority : one->number > other->number;
}

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

void MessageQueue::push_by_priority(Message* message) {
  message->number = arrivals_++;
  std::vector<Message*>& heap = message->priority < 0 ? urgent_ : leisurely_;
  heap.push_back(message);
  std::push_heap(heap.begin(), heap.end(), is_later);
}

Message* MessageQueue::pop_by_priority() {
  const auto pop_from = [](std::vector<Message*>& heap) {
    std::pop_heap(heap.begin(), heap.end(), is_later);
    Message* message = heap.back();
    heap.pop_back();
    return message;
  };
  if (!urgent_.empty()) return pop_from(urgent_);
  return leisurely_.empty() ? nullptr : pop_from(leisurely_);
}

}  // namespace starling::array::detail
