// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// NodeMemory: the shared memory that the calls of a communicator may use, or those of one of its persistent
// collectives: whether there is any is found out once, and one call at a time uses it. Thread safety: the holder of the
// world's lock. Invariants: the answers are the same on every rank. Calls take their turns in the order in which they
// were made, which is the same on every rank.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "collective/arguments/arguments.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/coroutine/executor.hpp"
#include "collective/node/node_spread.hpp"
#include "collective/node/shared_buffer.hpp"
#include "comm/extension.hpp"

namespace starling::collective {

struct Machine;

class NodeMemory {
 public:
  /// Instance 0 is the communicator's own, the others belong to its persistent collectives.
  explicit NodeMemory(std::uint32_t instance) noexcept : instance_(instance) {}

  /// Finds out what a call may use, as far as that is not known: nothing where the ranks of its communicator share no
  /// memory. bytes: its agreed_bytes(). learns: see SharedBuffer::Instance.
  void settle(const Arguments& arguments, std::int64_t bytes, bool learns = true);
  /// Whether nothing is left to find out that concerns the call.
  [[nodiscard]] bool settled_for(const Arguments& arguments, std::int64_t bytes) const noexcept {
    return segments_settled_ || (buffer_settled_ && !may_want_segments(arguments, bytes));
  }

  /// Null: the ranks are on several nodes, or of two groups, or there was no memory to be had.
  [[nodiscard]] SharedBuffer* buffer() const noexcept { return buffer_.get(); }
  [[nodiscard]] bool has_segments() const noexcept { return has_segments_; }

  /// Of ranks on several nodes: how they lie there, and what calls that go in levels keep (levels/levels.hpp), if any
  /// may.
  void set_levels(const NodeSpread& spread, std::unique_ptr<comm::Extension> levels) noexcept {
    spread_ = spread;
    levels_ = std::move(levels);
  }
  [[nodiscard]] const NodeSpread& spread() const noexcept { return spread_; }
  [[nodiscard]] comm::Extension* levels() const noexcept { return levels_.get(); }

  /// What messages between the ranks cost, for algorithms whose form depends on it: the same on every rank, and null
  /// until the communicator's first call. machine: outlives this.
  void set_machine(const Machine& machine) noexcept { machine_ = &machine; }
  [[nodiscard]] const Machine* machine() const noexcept { return machine_; }

  /// Held by the one call that uses the shared buffer.
  [[nodiscard]] Gate& gate() noexcept { return gate_; }

 private:
  /// All calls do but those whose data always fit beside the flags.
  [[nodiscard]] static bool may_want_segments(const Arguments& a, std::int64_t bytes) noexcept {
    if (among_neighbors(a.operation)) return false;
    switch (a.operation) {
      case Operation::kGatherv:
      case Operation::kScatterv:
      case Operation::kAlltoallv:
      case Operation::kAlltoallw: return true;  // ranks do not know all
      default: break;
    }
    const bool all_blocks = a.operation == Operation::kScatter || a.operation == Operation::kAlltoall;
    return (all_blocks ? bytes * a.comm->size() : bytes) > kRides;
  }

  std::uint32_t instance_;
  Gate gate_;
  std::unique_ptr<SharedBuffer> buffer_;
  bool buffer_settled_ = false;    ///< whether there is a buffer is known
  bool segments_settled_ = false;  ///< whether it has segments is known
  bool has_segments_ = false;
  NodeSpread spread_;
  const Machine* machine_ = nullptr;
  std::unique_ptr<comm::Extension> levels_;
};

/// The one call that uses the shared buffer. Leaves it when it dies.
class Turn {
 public:
  explicit Turn(Call& call) noexcept : call_(call), gate_lock_(call.node_memory().gate(), call.executor()) {}

  Gate::Entry enter() noexcept { return gate_lock_.enter(); }
  [[nodiscard]] SharedBuffer& buffer() const noexcept { return *call_.node_memory().buffer(); }

 private:
  Call& call_;
  GateLock gate_lock_;
};

}  // namespace starling::collective
