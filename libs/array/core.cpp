// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core.hpp"

#include <algorithm>
#include <coroutine>
#include <memory>
#include <new>
#include <utility>

#include "registry.hpp"

namespace starling::array::detail {

namespace {

/// The entry whose object is being made on this thread; the object's base class asks for it.
thread_local Entry* being_built = nullptr;
/// The session of this thread: a coroutine that ends by an exception has no other way to it.
thread_local Core* current_core = nullptr;

bool is_later(const Message* one, const Message* other) {
  return one->priority != other->priority ? one->priority > other->priority : one->number > other->number;
}

MPI_Comm copy_of(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  return copy;
}

}  // namespace

Entry* entry_being_built() {
  if (being_built == nullptr)
    throw Error("an element was made by the program: elements are made by array[index].create()");
  return being_built;
}

Core* running_core() { return current_core; }

Core::Core(Session& session, MPI_Comm comm)
    : session_(session),
      wire_(copy_of(comm), *this),
      quiescence_(*this, Tree{0, wire_.rank(), wire_.size()}),
      checkpoint_(*this),
      survival_(*this) {
  current_core = this;
  random_ = (static_cast<std::uint64_t>(rank()) + 1) << 40;
  agree_on_program();
}

Core::~Core() {
  drop_queue();
  current_core = nullptr;
}

void Core::drop_queue() {
  while (Message* message = next_message()) {
    if (message->held) method_numbered(message->method).drop_held(message->bytes());
    pool_.give(message);
  }
}

void Core::begin_anew(MPI_Comm comm) {
  drop_queue();
  for (const Frame& each : std::exchange(frames_, {})) std::coroutine_handle<>::from_address(each.frame).destroy();
  futures_.clear();
  std::destroy_at(&wire_);
  std::construct_at(&wire_, comm, *this);
  std::destroy_at(&quiescence_);
  std::construct_at(&quiescence_, *this, Tree{0, rank(), size()});
  for (const auto& each : arrays_) each->forget_all();
  own_.clear();
  early_.clear();
  outboxes_.clear();
  held_back_ = 0;
  running_ = nullptr;
  thrown_.clear();
}

void Core::agree_on_program() {
  const std::uint64_t mine = fingerprint();
  std::uint64_t ends[2] = {mine, ~mine};
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, wire_.comm());
  if (ends[0] == ~ends[1]) return;
  throw Error(
      "the processes run different programs, or the program was built differently for some: methods have no common "
      "numbers; start one and the same binary everywhere");
}

ArrayCore& Core::add_array(const ElementType& type, std::uint32_t default_constructor, ArrayPlan plan) {
  arrays_.push_back(std::make_unique<ArrayCore>(*this, static_cast<std::uint16_t>(arrays_.size()), type,
                                                default_constructor, std::move(plan)));
  std::deque<KeptRecord> early = std::exchange(early_, {});
  for (KeptRecord& each : early) (each.header.array < arrays_.size() ? own_ : early_).push_back(std::move(each));
  return *arrays_.back();
}

ArrayCore& Core::array(std::uint16_t number) {
  if (number >= arrays_.size()) {
    throw Error("array " + std::to_string(number) + " is not known on process " + std::to_string(rank()) +
                ": all processes make all arrays, in one order");
  }
  return *arrays_[number];
}

char* Core::post(int to, RecordHeader header, const char* index) {
  if (to != rank()) return wire_.record(to, header, index);
  KeptRecord& own = own_.emplace_back();
  own.header = header;
  own.from = rank();
  own.bytes.resize(padded(header.index) + padded(header.payload));
  if (index != nullptr && header.index != 0) std::memcpy(own.bytes.data(), index, header.index);
  return own.bytes.data() + padded(header.index);
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

void Core::begin_load() { load_clock_.begin(MPI_Wtime(), thread_processor_s); }
void Core::end_load(Entry& entry) {
  const double now_s = MPI_Wtime();
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
  } catch (const std::exception& error) {
    broken = error.what();
    if (broken.empty()) broken = "an exception without a text";
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
  const ElementType& type = entry.array->type();
  Entry* before = std::exchange(running_, &entry);
  Entry* built_before = std::exchange(being_built, &entry);
  void* memory = ::operator new(type.size, std::align_val_t(type.alignment));
  std::string broken;
  try {
    method_numbered(constructor).invoke(memory, arguments, {});
  } catch (const std::exception& error) {
    broken = error.what();
    if (broken.empty()) broken = "an exception without a text";
  }
  being_built = built_before;
  running_ = before;
  if (broken.empty()) {
    entry.object = memory;
    return;
  }
  ::operator delete(memory, std::align_val_t(type.alignment));
  entry.array->bury(entry);
  fail(entry.array->name(entry.index) + ", process " + std::to_string(rank()) + ", its constructor: " + broken);
}

void Core::unpack(Entry& entry, Archive& in) {
  const ElementType& type = entry.array->type();
  void* memory = ::operator new(type.size, std::align_val_t(type.alignment));
  Entry* built_before = std::exchange(being_built, &entry);
  type.construct(memory);
  being_built = built_before;
  entry.object = memory;
  std::string broken;
  try {
    type.serialize(memory, in);
    finish_reading(in);
  } catch (const ArchiveError& error) {
    broken = error.what();
  }
  if (!broken.empty()) {
    fail(entry.array->name(entry.index) + ", arriving on process " + std::to_string(rank()) + ": " + broken);
  }
}

void Core::note_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    thrown_ = error.what();
  } catch (...) {
  }
  if (thrown_.empty()) thrown_ = "an exception without a text";
}

void Core::fail(const std::string& text) {
  if (!on_error) throw Error(text);
  on_error(text);
}

void Core::call_back(const Callback& to, const char* bytes, std::size_t size) {
  const auto copy = [&](char* room) {
    if (room != nullptr && size != 0) std::memcpy(room, bytes, size);
  };
  switch (to.kind) {
    case Callback::Kind::kNone: return;
    case Callback::Kind::kFuture: return reply({this, to.rank, to.method}, bytes, size);
    case Callback::Kind::kElement: return copy(array(to.array).message_room(to.index, to.method, {}, size));
    case Callback::Kind::kBroadcast: return array(to.array).broadcasts().start(to.method, bytes, size);
    case Callback::Kind::kFunction: {
      RecordHeader header;
      header.kind = Kind::kFunction;
      header.method = to.method;
      header.payload = static_cast<std::uint32_t>(size);
      return copy(post(to.rank, header, nullptr));
    }
  }
}

void Core::reply(const ReplyTo& to, const char* bytes, std::size_t size, const char* error) {
  RecordHeader header;
  header.kind = Kind::kReply;
  header.reply = to.slot;
  header.flags = error != nullptr ? 1 : 0;
  header.payload = static_cast<std::uint32_t>(size);
  char* room = post(to.rank, header, nullptr);
  if (size != 0) std::memcpy(room, bytes, size);
}

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
