// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What happens to an element's object: messages are queued for it and delivered, coroutines go on, it is made, packed
// ones arrive. The part of Core that calls the program.
#include <algorithm>
#include <coroutine>
#include <new>
#include <utility>

#include "core.hpp"
#include "exceptions.hpp"
#include "registry.hpp"

namespace starling::array::detail {

namespace {

/// The entry whose object is being made on this thread; the object's base class asks for it.
thread_local Entry* being_built = nullptr;

struct Building {
  explicit Building(Entry& entry) : before(std::exchange(being_built, &entry)) {}
  ~Building() { being_built = before; }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;
  Entry* before;
};

bool is_later(const Message* one, const Message* other) {
  return one->priority != other->priority ? one->priority > other->priority : one->number > other->number;
}

}  // namespace

Entry* entry_being_built() {
  if (being_built == nullptr)
    throw Error("an element was made by the program: elements are made by array[index].create()");
  return being_built;
}

Message* Core::local_message(Entry& target, std::uint32_t method, const SendOptions& options, std::size_t bytes) {
  Message* message = pool_.take(bytes);
  message->target = &target;
  message->method = method;
  message->origin = rank();
  message->reply = options.reply;
  message->priority = options.priority;
  ++target.references;
  enqueue(message);
  return message;
}

void Core::enqueue(Message* message) {
  if (message->priority == 0) return usual_.push(message);
  message->number = arrivals_++;
  std::vector<Message*>& heap = message->priority < 0 ? urgent_ : leisurely_;
  heap.push_back(message);
  std::push_heap(heap.begin(), heap.end(), is_later);
}

Message* Core::next_message() {
  const auto pop = [](std::vector<Message*>& heap) {
    std::pop_heap(heap.begin(), heap.end(), is_later);
    Message* message = heap.back();
    heap.pop_back();
    return message;
  };
  if (!urgent_.empty()) return pop(urgent_);
  if (!usual_.empty()) return usual_.pop();
  return leisurely_.empty() ? nullptr : pop(leisurely_);
}

bool Core::deliver_next() {
  Message* message = next_message();
  if (message == nullptr) return false;
  deliver(message);
  return true;
}

void Core::deliver(Message* message) {
  Entry& entry = *message->target;
  --entry.references;
  if (entry.object == nullptr) {
    ++entry.references;  // until it is sent on, the entry stays
    entry.array->send_on(message);
    --entry.references;
    return entry.array->drop_if_useless(entry);
  }
  struct Give {
    Core& core;
    Message* message;
    ~Give() { core.give(message); }
  } give{*this, message};
  const ReplyTo reply{this, message->origin, message->reply};
  if (!message->held) {
    Archive in = Archive::reading(message->bytes(), message->payload, &session_);
    return invoke(entry, message->method, in, reply);
  }
  call_element(entry, message->method, [&](const MethodInfo& method) {
    struct Drop {
      const MethodInfo& method;
      void* held;
      ~Drop() { method.drop_held(held); }
    } drop{method, message->bytes()};
    method.invoke_held(entry.object, message->bytes(), reply);
  });
}

void Core::invoke(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply) {
  if (method >= kFirstOfLibrary) return invoke_of_library(entry, method, arguments, reply);
  call_element(entry, method, [&](const MethodInfo& info) { info.invoke(entry.object, arguments, reply); });
}

void Core::begin_load() { load_clock_.begin(wall_s(), thread_processor_s); }
void Core::end_load(Entry& entry) {
  const double now_s = wall_s();
  entry.add_load(load_clock_.end(now_s, thread_processor_s));
  entry.array->balancer().worked(now_s);
}

template <class Call>
void Core::call_element(Entry& entry, std::uint32_t method, Call&& call) {
  Entry* before = std::exchange(running_, &entry);
  ++counters.messages_delivered;
  const bool measures = entry.array->balancer().is_measuring();
  if (measures) begin_load();
  std::string broken;
  try {
    call(method_numbered(method));
  } catch (...) {
    broken = text_of_exception();
  }
  if (measures) end_load(entry);
  running_ = before;
  if (!thrown_.empty()) broken = std::exchange(thrown_, {});
  if (!broken.empty()) {
    broken = entry.array->name(entry.index) + ", process " + std::to_string(rank()) + ", method " +
             method_name(method) + ": " + broken;
  }
  entry.is_fixed = false;
  after(entry);
  if (!broken.empty()) fail(broken);
}

void Core::after(Entry& entry) {
  if (entry.suspended != 0) return;
  if (entry.is_dying) return entry.array->remove(entry);
  if (entry.is_leaving) {
    entry.is_leaving = false;
    entry.array->depart(entry);
  } else if (restless && !entry.is_fixed && size() > 1) {
    entry.bound_for = static_cast<std::uint16_t>(
        (static_cast<std::uint64_t>(rank()) + 1 + random() % static_cast<std::uint64_t>(size() - 1)) %
        static_cast<std::uint64_t>(size()));
    entry.array->depart(entry);
  }
}

void Core::construct(Entry& entry, std::uint32_t constructor, Archive& arguments) {
  Entry* before = std::exchange(running_, &entry);
  void* memory = entry.array->take_object();
  std::string broken;
  try {
    const Building building(entry);
    method_numbered(constructor).invoke(memory, arguments, {});
  } catch (...) {
    broken = text_of_exception();
  }
  running_ = before;
  if (broken.empty()) {
    entry.object = memory;
    return;
  }
  entry.array->give_object(memory);
  entry.array->bury(entry);
  fail(entry.array->name(entry.index) + ", process " + std::to_string(rank()) + ", its constructor: " + broken);
}

void Core::unpack(Entry& entry, Archive& in) {
  const ElementType& type = entry.array->type();
  void* memory = entry.array->take_object();
  {
    const Building building(entry);
    type.construct(memory);
  }
  entry.object = memory;
  std::string broken;
  try {
    type.serialize(memory, in);
    finish_reading(in);
  } catch (...) {
    broken = text_of_exception();
  }
  if (!broken.empty()) {
    fail(entry.array->name(entry.index) + ", arriving on process " + std::to_string(rank()) + ": " + broken);
  }
}

void Core::note_exception() { thrown_ = text_of_exception(); }

void Core::resume_later(void* frame, Entry* entry) { frames_.push_back({frame, entry}); }

bool Core::resume_next() {
  if (frames_.empty()) return false;
  const Frame next = frames_.front();
  frames_.pop_front();
  Entry& entry = *next.entry;
  Entry* before = std::exchange(running_, &entry);
  --entry.suspended;
  const bool measures = entry.array->balancer().is_measuring();
  if (measures) begin_load();
  std::coroutine_handle<>::from_address(next.frame).resume();
  if (measures) end_load(entry);
  running_ = before;
  std::string broken = std::exchange(thrown_, {});
  if (!broken.empty()) {
    broken = entry.array->name(entry.index) + ", process " + std::to_string(rank()) + ", a coroutine: " + broken;
  }
  after(entry);
  if (!broken.empty()) fail(broken);
  return true;
}

}  // namespace starling::array::detail
