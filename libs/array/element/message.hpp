// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Message: what waits for an element on this process. MessageQueue: those whose element is here, in the order of their
// delivery.
//
// **Thread safety**: none. **Invariants**: the queue holds messages to entries that exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace starling::array::detail {

struct Entry;

struct Message {
  Message* next = nullptr;
  Entry* target = nullptr;
  std::uint32_t method = 0;
  std::uint32_t epoch = 0;
  std::int32_t origin = 0;
  std::uint32_t reply = 0;
  std::int32_t priority = 0;
  std::uint32_t payload = 0;
  std::uint16_t hops = 0;
  bool held = false;  // the payload is a tuple of objects
  std::uint8_t size_class = 0;
  std::uint32_t number = 0;  // of its arrival, among messages with priorities

  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};
static_assert(sizeof(Message) % 16 == 0);

/// Memory of messages, by size class.
class MessagePool {
 public:
  ~MessagePool();
  Message* take(std::size_t payload);
  void give(Message* message);

 private:
  static constexpr int kClasses = 8;  // 64 bytes, 128, ... 8192; larger ones come from the heap
  Message* free_[kClasses] = {};
};

/// Messages in the order of their arrival.
struct MessageList {
  Message* first = nullptr;
  Message* last = nullptr;
  bool empty() const { return first == nullptr; }
  void push(Message* message) {
    message->next = nullptr;
    (first == nullptr ? first : last->next) = message;
    last = message;
  }
  Message* pop() {
    Message* message = first;
    first = message->next;
    return message;
  }
};

/// Messages to elements that are here: first those of a priority below 0, then the usual ones, then the others.
class MessageQueue {
 public:
  void push(Message* message) {
    if (message->priority == 0) return usual_.push(message);
    push_by_priority(message);
  }
  /// Null where there is none.
  Message* pop() {
    if (urgent_.empty() && !usual_.empty()) return usual_.pop();
    return pop_by_priority();
  }
  bool is_empty() const { return usual_.empty() && urgent_.empty() && leisurely_.empty(); }
  /// Urgent messages wait, so others must queue.
  bool must_queue(std::int32_t priority) const { return priority != 0 || !urgent_.empty(); }
  MessagePool& pool() { return pool_; }

 private:
  void push_by_priority(Message* message);
  Message* pop_by_priority();

  MessagePool pool_;
  MessageList usual_;
  std::vector<Message*> urgent_;     // heap: priority below 0
  std::vector<Message*> leisurely_;  // heap: priority above 0
  std::uint32_t arrivals_ = 0;
};

}  // namespace starling::array::detail
