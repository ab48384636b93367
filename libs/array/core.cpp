// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core.hpp"

#include <coroutine>
#include <memory>
#include <utility>

#include "registry.hpp"

namespace starling::array::detail {

namespace {

/// The session of this thread: a coroutine that ends by an exception has no other way to it.
thread_local Core* current_core = nullptr;

/// Of a process that joins: none, and nobody is left waiting for it, where not all have made it.
Communicator made_by_all(Communicator comm, Communicator from) {
  if (!comm.is_null()) {
    if (mpi::goes_on(comm)) mpi::return_errors(comm);
    if (mpi::barrier(from) == mpi::kNoError) return comm;
    mpi::revoke(comm);
    mpi::free(comm);
  }
  mpi::revoke(from);
  return {};
}

Communicator made(Communicator from, mpi::Side side) {
  Communicator comm = mpi::one_of(from, side);
  if (side == mpi::Side::kNew) comm = made_by_all(comm, from);
  if (comm.is_null()) throw Error("the session has no communicator: a process died while it was made");
  return comm;
}

}  // namespace

Core* running_core() { return current_core; }

Core::Core(Session& session, Communicator comm, mpi::Side side)
    : session_(session),
      wire_(made(comm, side), *this),
      quiescence_(*this, Tree{0, wire_.rank(), wire_.size()}),
      checkpoint_(*this),
      survival_(*this),
      collector_(*this),
      regroup_(*this, side == mpi::Side::kNew ? comm : Communicator()) {
  current_core = this;
  seed(0);
  compare_programs();
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

void Core::begin_anew(Communicator comm) {
  drop_queue();
  for (const Frame& each : std::exchange(frames_, {})) std::coroutine_handle<>::from_address(each.frame).destroy();
  futures_.clear();
  change_comm(comm);
  forget_elements();
  running_ = nullptr;
  thrown_.clear();
}

void Core::forget_elements() {
  for (const auto& each : arrays_) each->forget_all();
  own_.clear();
  early_.clear();
  outboxes_.clear();
  held_back_ = 0;
}

void Core::change_comm(Communicator comm) {
  counters.messages_sent += wire_.sent();
  std::destroy_at(&wire_);
  std::construct_at(&wire_, comm, *this);
  std::destroy_at(&quiescence_);
  std::construct_at(&quiescence_, *this, Tree{0, rank(), size()});
}

Communicator Core::exchange_comm(Communicator comm) {
  const Communicator before = wire_.release();
  change_comm(comm);
  return before;
}

void Core::seed(std::uint64_t salt) { random_ = salt + ((static_cast<std::uint64_t>(rank()) + 1) << 40); }

const char* const kOtherProgram =
    "the processes run different programs, or the program was built differently for some: methods have no common "
    "numbers; start one and the same binary everywhere";

void Core::compare_programs() {
  bool same = false;
  const int error = mpi::all_same(wire_.comm(), fingerprint(), same);
  if (error == mpi::kNoError && same) return;
  if (is_joining()) {
    if (error != mpi::kNoError) mpi::revoke(wire_.comm());
    regroup_.hear_whether_to_join(false);
  }
  if (error == mpi::kNoError) throw Error(kOtherProgram);
  throw Error("processes of the session cannot compare their programs: " + mpi::error_text(error));
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

Wire::Room Core::open(int to, Kind kind, const char* index, std::size_t index_bytes, std::size_t payload) {
  if (to != rank()) return wire_.open(to, kind, index, index_bytes, payload);
  KeptRecord& own = own_.emplace_back();
  own.header.kind = kind;
  own.header.index = static_cast<std::uint32_t>(index_bytes);
  own.header.payload = static_cast<std::uint32_t>(payload);
  own.from = rank();
  own.bytes.resize(padded(index_bytes) + padded(payload));
  if (index != nullptr && index_bytes != 0) std::memcpy(own.bytes.data(), index, index_bytes);
  return {own.header, own.bytes.data() + padded(index_bytes)};
}

char* Core::post(int to, const RecordHeader& header, const char* index) {
  const Wire::Room room = open(to, header.kind, index, header.index, header.payload);
  const std::uint32_t bytes = room.header.bytes;
  room.header = header;
  room.header.bytes = bytes;
  return room.payload;
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
      if (!is_process(to.rank, "a function")) return;
      RecordHeader header;
      header.kind = Kind::kFunction;
      header.method = to.method;
      header.payload = static_cast<std::uint32_t>(size);
      return copy(post(to.rank, header, nullptr));
    }
  }
}

bool Core::is_process(int rank, const char* what) {
  if (rank < size()) return true;
  fail("a result is for " + std::string(what) + " of process " + std::to_string(rank) + ": there are " +
       std::to_string(size()) + "; make callbacks anew after resize()");
  return false;
}

void Core::reply(const ReplyTo& to, const char* bytes, std::size_t size, const char* error) {
  if (!is_process(to.rank, "a future")) return;
  RecordHeader header;
  header.kind = Kind::kReply;
  header.reply = to.slot;
  header.flags = error != nullptr ? 1 : 0;
  header.payload = static_cast<std::uint32_t>(size);
  char* room = post(to.rank, header, nullptr);
  if (size != 0) std::memcpy(room, bytes, size);
}

}  // namespace starling::array::detail
