// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication: one message whose parts the sender gives away one by one as they are ready.
//
// The two sides pair up when they are made: the sender tells how it has cut its message and under which tags the pieces
// travel, the receiver waits for that word under the user's tag, and both go out in the order of the calls, so the
// first send meets the first receive. Each piece then is a message of its own under its own tag: it leaves at
// MPI_Pready and lands in its place, in whatever order, and a later start follows an earlier one because messages under
// one tag keep their order. All of it has its own channel, which no other message meets.
//
// Thread safety: the holder of the world's lock. Invariants: a round has one message for each partition of the sender;
// it is complete when all of them are. Source: MPI-5.0, chapter 4.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "datatype/pack/pack.hpp"
#include "mpi/request/requests.hpp"

namespace starling::mpi {

/// How the sender has cut the message.
struct PartitionPlan {
  std::int64_t bytes = 0;  ///< of each partition
  std::uint32_t partitions = 0;
  std::int32_t first_tag = 0;  ///< that of partition 0; the others follow
};

/// The message that carries a plan, with its memory. Outlives what made it until it is complete.
class PlanRequest final : public p2p::Request {
 public:
  enum class Direction : std::uint8_t { kSend, kReceive };
  PlanRequest(Context& context, Direction direction, const PartitionPlan& plan, const p2p::Message& along);

  [[nodiscard]] const PartitionPlan& plan() const noexcept { return plan_; }
  /// Of the message, once it is complete.
  [[nodiscard]] const Status& outcome() const noexcept { return inner_->failure; }
  void dispose() override;

 private:
  ~PlanRequest() override = default;

  Context& context_;
  PartitionPlan plan_;
  p2p::Request* inner_;
};

/// One start of a partitioned request: the messages of its partitions.
class PartitionRound final : public p2p::Request {
 public:
  explicit PartitionRound(p2p::RequestKind kind) noexcept : Request(kind) {}

  /// Now the number of partitions is known.
  void expect(std::size_t partitions);
  [[nodiscard]] bool known() const noexcept { return known_; }
  [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }
  [[nodiscard]] bool begun(std::size_t partition) const noexcept { return messages_[partition].request != nullptr; }
  [[nodiscard]] bool done(std::size_t partition) const noexcept { return messages_[partition].done; }

  /// The partition's message is under way.
  void begin(std::size_t partition, p2p::Request* request);
  /// Pieces land in `staging` first and are unpacked from there: where a piece begins inside an element.
  void unpack_through(std::unique_ptr<std::byte[]> staging, std::int64_t piece_bytes,
                      const datatype::UnpackCursor& cursor);

  void dispose() override;
  /// The first of the messages that are under way.
  [[nodiscard]] observe::Awaited awaited() const override;

 private:
  struct PartitionMessage {
    PartitionRound* round = nullptr;
    p2p::Request* request = nullptr;
    bool done = false;
  };
  ~PartitionRound() override = default;
  void partition_done(PartitionMessage& message);

  std::vector<PartitionMessage> messages_;
  std::size_t pending_ = 0;
  bool known_ = false;
  std::unique_ptr<std::byte[]> staging_;
  std::int64_t piece_bytes_ = 0;
  std::optional<datatype::UnpackCursor> cursor_;
};

class PartitionedSend final : public PersistentRequest {
 public:
  /// `partition` is the first one; the others follow it in memory.
  PartitionedSend(Context& context, const p2p::Message& partition, std::uint32_t partitions, CommObject& comm);

  /// MPI_Pready.
  Status ready(Context& context, int partition);
  void dispose() override;

 private:
  Result<p2p::Request*> begin(Context& context) override;

  p2p::Message partition_;
  std::uint32_t partitions_;
  Ref<CommObject> comm_;
  Ref<const datatype::Datatype> type_;
  PartitionPlan plan_;
  PlanRequest* told_ = nullptr;  ///< null for MPI_PROC_NULL
  PartitionRound* round_ = nullptr;
};

class PartitionedReceive final : public PersistentRequest {
 public:
  PartitionedReceive(Context& context, const p2p::Message& partition, std::uint32_t partitions, CommObject& comm);

  /// MPI_Parrived; an inactive request has all that it waits for.
  Result<bool> arrived(int partition);
  [[nodiscard]] std::uint32_t partitions() const noexcept { return partitions_; }
  /// Receives the pieces once the plan is there. True when that has happened.
  bool proceed(Context& context);
  void dispose() override;

 private:
  Result<p2p::Request*> begin(Context& context) override;
  void post(Context& context);
  [[nodiscard]] p2p::Message piece(std::size_t part) const noexcept;

  Context& context_;
  p2p::Message partition_;
  std::uint32_t partitions_;
  Ref<CommObject> comm_;
  Ref<const datatype::Datatype> type_;
  PlanRequest* heard_ = nullptr;  ///< null for MPI_PROC_NULL
  PartitionRound* round_ = nullptr;
  std::byte* staging_ = nullptr;
};

/// The receives that have been started and do not know their sender's plan yet; progress asks it.
class PartitionedMatching final : public progress::Poller {
 public:
  explicit PartitionedMatching(Context& context) noexcept : context_(context) {}
  void wait(PartitionedReceive& receive) { waiting_.push_back(&receive); }
  void forget(PartitionedReceive& receive) { std::erase(waiting_, &receive); }
  bool poll() override;

 private:
  Context& context_;
  std::vector<PartitionedReceive*> waiting_;
};

}  // namespace starling::mpi
