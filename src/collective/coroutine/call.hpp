// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Call: one collective operation in flight on this rank; what an algorithm sees of the world.
//
// An algorithm knows ranks and tags only through its Call: send, receive and exchange start messages to await, until()
// awaits a condition on shared memory, note() records a failure without stopping.
// Thread safety: the holder of the world's lock.
// Invariants: the arguments outlive the call; the first failure noted is the one reported. All messages of a call
// travel under its own tag.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "collective/arguments/arguments.hpp"
#include "collective/coroutine/executor.hpp"
#include "collective/coroutine/transfer.hpp"
#include "p2p/point_to_point.hpp"

namespace starling::collective {

class NodeMemory;

using datatype::byte_type;

class Call : public ListHook {
 public:
  Call(Executor& executor, p2p::PointToPoint& p2p, NodeMemory& memory, const Arguments& arguments,
       std::int32_t tag) noexcept
      : executor_(executor),
        p2p_(p2p),
        node_memory_(memory),
        arguments_(arguments),
        rank_(arguments.comm->rank()),
        size_(arguments.comm->size()),
        tag_(tag) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  [[nodiscard]] std::int32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  [[nodiscard]] Operation operation() const noexcept { return arguments_.operation; }
  [[nodiscard]] const Arguments& arguments() const noexcept { return arguments_; }
  [[nodiscard]] comm::Communicator& comm() const noexcept { return *arguments_.comm; }
  [[nodiscard]] std::int32_t tag() const noexcept { return tag_; }
  /// The shared memory of the node that the call may use.
  [[nodiscard]] NodeMemory& node_memory() const noexcept { return node_memory_; }
  [[nodiscard]] Executor& executor() const noexcept { return executor_; }
  [[nodiscard]] p2p::PointToPoint& p2p() const noexcept { return p2p_; }

  /// A rank of the call as the program knows it, for messages to people.
  [[nodiscard]] std::int32_t told_rank(std::int32_t rank) const;

  /// Messages that it sends from now on are copied once, where they can be (p2p::SendMode::kCopiedOnce).
  void set_copied_once() noexcept { send_mode_ = p2p::SendMode::kCopiedOnce; }

  /// Messages. They have started when these return; await the result, alone or in a Batch.
  Transfer send(const void* buffer, std::int64_t count, const datatype::Datatype& type, std::int32_t to);
  Transfer receive(void* buffer, std::int64_t count, const datatype::Datatype& type, std::int32_t from);
  Transfer send_bytes(const void* buffer, std::int64_t bytes, std::int32_t to);
  Transfer receive_bytes(void* buffer, std::int64_t bytes, std::int32_t from);

  /// Its number among the collectives of its communicator, counted from 1, for the status card.
  void set_number(std::uint32_t number) noexcept { number_ = number; }
  /// What the call waits for, for the status card. It has no peer where it waits for shared memory.
  [[nodiscard]] observe::Awaited awaited() const;

  template <typename Predicate>
  Until<Predicate> until(Predicate predicate) {
    return Until<Predicate>(executor_, predicate);
  }

  /// inout = in OP inout.
  void reduce(const void* in, void* inout, std::int64_t count, const datatype::Datatype& type);
  /// Moves typed data within this rank.
  void copy(const void* source, std::int64_t source_count, const datatype::Datatype& source_type, void* destination,
            std::int64_t destination_count, const datatype::Datatype& destination_type);
  void copy(const void* source, void* destination, std::int64_t count, const datatype::Datatype& type) {
    copy(source, count, type, destination, count, type);
  }

  void note(Status failure) {
    if (!failure.ok() && failure_.ok()) failure_ = std::move(failure);
  }
  [[nodiscard]] Status take_failure() noexcept { return std::move(failure_); }

  /// What ends the call's root task early, with the coroutines that it awaits.
  using Ending = void (*)(void* owner);
  /// The root task has to wait: from now on the call can be interrupted.
  void begin_to_wait(Ending ending, void* owner) noexcept {
    ending_ = ending;
    ending_owner_ = owner;
    executor_.waiting_calls().push_back(*this);
  }
  /// Ends a waiting call with this failure. Its messages have ended before, and no coroutine is running.
  void interrupt(Status why) {
    unlink();
    note(std::move(why));
    interrupted_ = true;
    ending_(ending_owner_);
  }
  [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }
  void end_waiting() noexcept {
    if (linked()) unlink();
  }

 private:
  Executor& executor_;
  p2p::PointToPoint& p2p_;
  NodeMemory& node_memory_;
  const Arguments& arguments_;
  std::int32_t rank_;
  std::int32_t size_;
  std::int32_t tag_;
  p2p::SendMode send_mode_ = p2p::SendMode::kStandard;
  std::uint32_t number_ = 0;
  Status failure_;
  bool interrupted_ = false;
  Ending ending_ = nullptr;
  void* ending_owner_ = nullptr;
};

inline FramePool& frame_pool(Call& call) noexcept { return call.executor().pool(); }

/// The address of element `index` of an array of `type`.
inline void* element(void* buffer, std::int64_t index, const datatype::Datatype& type) noexcept {
  return static_cast<std::byte*>(buffer) + index * type.extent();
}
inline const void* element(const void* buffer, std::int64_t index, const datatype::Datatype& type) noexcept {
  return static_cast<const std::byte*>(buffer) + index * type.extent();
}

}  // namespace starling::collective
