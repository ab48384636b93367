// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A collective on the local group of an intercommunicator that is a part of one on the intercommunicator: the "leaders"
// algorithms bring everything to rank 0 of each group, let the two leaders speak, and spread what came.
// Thread safety: none; belongs to one coroutine.
// Invariants: the parts of one call travel under its tag, and nothing else on the local communicator uses that tag.
// Source: MPI-5.0, 6.2.3.
#pragma once

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"

namespace starling::collective {

class LocalCall {
 public:
  LocalCall(Call& outer, Arguments arguments)
      : outer_(outer),
        arguments_(on_local_group(outer, arguments)),
        call_(outer.executor(), outer.p2p(), outer.node_memory(), arguments_, outer.tag() | kLocalTag) {}
  ~LocalCall() { outer_.note(call_.take_failure()); }
  LocalCall(const LocalCall&) = delete;
  LocalCall& operator=(const LocalCall&) = delete;

  [[nodiscard]] Call& call() noexcept { return call_; }
  [[nodiscard]] const Arguments& arguments() const noexcept { return arguments_; }

 private:
  /// Beside the tags of calls that are made on the local communicator itself.
  static constexpr std::int32_t kLocalTag = 0x20000000;

  static Arguments on_local_group(const Call& outer, Arguments arguments) noexcept {
    arguments.comm = outer.comm().local().get();
    arguments.root = 0;
    arguments.in_place = false;
    return arguments;
  }

  Call& outer_;
  Arguments arguments_;
  Call call_;
};

/// Data of rank 0 of the local group -> all of it.
Task local_bcast(Call& call, void* buffer, std::int64_t count, const datatype::Datatype& type);
/// Everybody's blocks -> rank 0, as bytes in rank order.
Task local_gather(Call& call, const Arguments& a, std::byte* blocks, std::int64_t block_bytes);
/// Everybody's vectors -> `result` at rank 0.
Task local_reduce(Call& call, const Arguments& a, const void* input, std::int64_t count, void* result, Order order);

// What the algorithms between two groups cost: log2 p steps inside of a group, or a message for each rank of the other.
inline double leaders_cost(const Shape& shape, const Machine& machine) {
  return machine.messages(2 * log2_ceil(shape.ranks) + 1, static_cast<double>(shape.bytes), shape.ranks);
}
inline constexpr const char* kLeadersCost = "(2 * log2(p) + 1) * (alpha + m * beta)";

inline double across_cost(const Shape& shape, const Machine& machine) {
  return shape.ranks / 2.0 * machine.share(shape.ranks) * machine.message(static_cast<double>(shape.bytes)) +
         machine.wait(shape.ranks);
}
inline constexpr const char* kAcrossCost = "p / 2 * (alpha + m * beta)";

}  // namespace starling::collective
