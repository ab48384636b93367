// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "executor.hpp"

#include <coroutine>
#include <utility>

#include "base/format.hpp"
#include "population/array_core.hpp"
#include "program/clock.hpp"
#include "program/exceptions.hpp"
#include "program/registry.hpp"

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

}  // namespace

Entry* entry_being_built() {
  if (being_built == nullptr)
    throw Error("an element was made by the program: elements are made by array[index].create()");
  return being_built;
}

bool Executor::deliver_next() {
  Message* message = queue_.pop();
  if (message == nullptr) return false;
  deliver(message);
  return true;
}

void Executor::deliver(Message* message) {
  Entry& entry = *message->target;
  --entry.references;
  if (!entry.is_here) {
    ++entry.references;  // until it is sent on, the entry stays
    entry.array->array().router().send_on(message);
    --entry.references;
    return entry.array->drop_if_useless(entry);
  }
  struct Give {
    MessagePool& pool;
    Message* message;
    ~Give() { pool.give(message); }
  } give{queue_.pool(), message};
  const ReplyTo reply = host_.reply_to(message->origin, message->reply);
  if (!message->held) {
    Archive in = Archive::reading(message->bytes(), message->payload, &host_.session());
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

void Executor::invoke(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply) {
  if (method >= kFirstOfLibrary) return invoke_of_library(entry, method, arguments, reply);
  call_element(entry, method, [&](const MethodInfo& info) { info.invoke(entry.object, arguments, reply); });
}

/// What the library itself does to an element by a message.
void Executor::invoke_of_library(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply) {
  ArrayCore& array = entry.array->array();
  switch (method) {
    case kDestroyMethod:
      collector_.before(entry);
      entry.is_dying = true;
      return array.after(entry);
    case kMoveMethod: {
      int to = 0;
      arguments(to);
      entry.leave_for(to);
      entry.is_leaving = true;
      return array.after(entry);
    }
    case kOrderedMethod:
    case kSectionMethod: {
      StreamHeader header;
      arguments(header);
      if (method == kSectionMethod) return streams_.take_from_section(entry, header, arguments);
      return streams_.take(entry, header, arguments, reply);
    }
    case kJoinMethod: {
      SectionName name;
      arguments(name);
      return array.sections().join(entry, name);
    }
    case kMarkMethod: return collector_.reach(entry);
    default: throw Error("a method of the library with an unknown number: the processes run different versions of it");
  }
}

void Executor::begin_load() { load_clock_.begin(wall_s(), thread_processor_s); }
void Executor::end_load(Entry& entry) {
  const double now_s = wall_s();
  const double load_s = load_clock_.end(now_s, thread_processor_s);
  entry.add_load(load_s);
  host_.taken_s += load_s + load_clock_.waited_s();
  entry.array->array().balancer().worked(load_s, now_s);
}

template <class Call>
void Executor::call_element(Entry& entry, std::uint32_t method, Call&& call) {
  if (host_.marks.phase == Marks::Phase::kMarks) collector_.before(entry);
  Entry* before = std::exchange(running_, &entry);
  ++host_.counters.messages_delivered;
  const bool measures = entry.array->array().balancer().is_measuring();
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
    broken = formatted("{}, process {}, method {}: {}", entry.array->name(entry.index), host_.rank(),
                       method_name(method), broken);
  }
  entry.is_fixed = false;
  entry.array->array().after(entry);
  if (!broken.empty()) host_.fail(broken);
}

void Executor::construct(Entry& entry, std::uint32_t constructor, Archive& arguments) {
  Entry* before = std::exchange(running_, &entry);
  void* memory = entry.array->take_memory();
  std::string broken;
  try {
    const Building building(entry);
    method_numbered(constructor).invoke(memory, arguments, {});
  } catch (...) {
    broken = text_of_exception();
  }
  running_ = before;
  if (broken.empty()) {
    entry.array->set_object(entry, memory);
    return;
  }
  entry.array->give_memory(memory);
  entry.array->array().deletion().mark_deleted(entry);
  host_.fail(formatted("{}, process {}, its constructor: {}", entry.array->name(entry.index), host_.rank(), broken));
}

void Executor::unpack(Entry& entry, Archive& in) {
  const ElementType& type = entry.array->type();
  void* memory = entry.array->take_memory();
  {
    const Building building(entry);
    type.construct(memory);
  }
  entry.array->set_object(entry, memory);
  std::string broken;
  try {
    type.serialize(memory, in);
    finish_reading(in);
  } catch (...) {
    broken = text_of_exception();
  }
  if (!broken.empty()) {
    host_.fail(formatted("{}, arriving on process {}: {}", entry.array->name(entry.index), host_.rank(), broken));
  }
}

void Executor::note_exception() { thrown_ = text_of_exception(); }

bool Executor::resume_next() {
  if (frames_.empty()) return false;
  const Frame next = frames_.front();
  frames_.pop_front();
  Entry& entry = *next.entry;
  collector_.before(entry);
  Entry* before = std::exchange(running_, &entry);
  --entry.suspended;
  --host_.marks.waiting;
  const bool measures = entry.array->array().balancer().is_measuring();
  if (measures) begin_load();
  std::coroutine_handle<>::from_address(next.frame).resume();
  if (measures) end_load(entry);
  running_ = before;
  std::string broken = std::exchange(thrown_, {});
  if (!broken.empty()) {
    broken = formatted("{}, process {}, a coroutine: {}", entry.array->name(entry.index), host_.rank(), broken);
  }
  entry.array->array().after(entry);
  if (!broken.empty()) host_.fail(broken);
  return true;
}

void Executor::drop_messages() {
  while (Message* message = queue_.pop()) {
    if (message->held) method_numbered(message->method).drop_held(message->bytes());
    queue_.pool().give(message);
  }
}

void Executor::drop_all() {
  drop_messages();
  for (const Frame& each : std::exchange(frames_, {})) std::coroutine_handle<>::from_address(each.frame).destroy();
  running_ = nullptr;
  thrown_.clear();
}

}  // namespace starling::array::detail
