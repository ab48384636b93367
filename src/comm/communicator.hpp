// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicator: the data that gives ranks and tags their meaning: a group, the caller's place in it and a context id.
// What the C interface adds (attributes, name, error handler, topology) lives in mpi/; the constructors live in world/.
//
// Thread safety: immutable but for state and collective_state, which the holder of the world's lock changes.
// Invariants: context ids are even and unique in the job; point-to-point traffic runs under context_id, collective
// traffic under context_id + 1, so that the two never match each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/ref.hpp"
#include "comm/group.hpp"

namespace starling::comm {

/// State that a higher layer keeps with a communicator and that dies with it.
class Extension {
 public:
  virtual ~Extension() = default;
};

class Communicator final : public RefCounted {
 public:
  Communicator(std::uint32_t context_id, Ref<Group> group, std::int32_t rank)
      : context_id_(context_id), rank_(rank), size_(group->size()), group_(std::move(group)) {}

  [[nodiscard]] std::uint32_t context_id() const noexcept { return context_id_; }
  [[nodiscard]] std::uint32_t collective_context_id() const noexcept { return context_id_ + 1; }
  [[nodiscard]] std::int32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  [[nodiscard]] const Ref<Group>& group() const noexcept { return group_; }
  [[nodiscard]] std::int32_t world_rank(std::int32_t rank) const noexcept { return group_->world_rank(rank); }

  /// What collective/ keeps here: its sequence number and its shared-memory area.
  std::unique_ptr<Extension> collective_state;

 private:
  std::uint32_t context_id_;
  std::int32_t rank_;
  std::int32_t size_;
  Ref<Group> group_;
};

}  // namespace starling::comm
