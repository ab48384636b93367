// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/partitioned/partitioned.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/status.hpp"

namespace starling::mpi {

struct PartitionTags {
  std::int64_t next = 0;
};

namespace {

/// Tags of pieces are negative, those of plans are the users'.
constexpr std::int64_t kPieceTags = std::int64_t{1} << 31;

std::int32_t take_tags(Context& context, std::uint32_t count) {
  std::int64_t first = context.partition_tags->next;
  if (first + count > kPieceTags) first = 0;
  context.partition_tags->next = first + count;
  return static_cast<std::int32_t>(std::numeric_limits<std::int32_t>::min() + first);
}

Status no_such_partition(int partition, std::uint32_t partitions) {
  return Status::error(ErrorClass::kArg, formatted("partition {} does not exist; the request has {}, counted from 0",
                                                   partition, partitions));
}

Status not_started() {
  return Status::error(ErrorClass::kRequest, "the partitioned request is not active; start it with MPI_Start first");
}

}  // namespace

PlanRequest::PlanRequest(Context& context, Direction direction, const PartitionPlan& plan, const p2p::Message& along)
    : Request(direction == Direction::kSend ? p2p::RequestKind::kSend : p2p::RequestKind::kReceive),
      context_(context),
      plan_(plan) {
  const p2p::Message message{&plan_,    sizeof plan_, &datatype::byte_type(),    along.rank,
                             along.tag, along.comm,   p2p::Channel::kPartitioned};
  inner_ = direction == Direction::kSend ? context.p2p->isend(message, p2p::SendMode::kStandard)
                                         : context.p2p->ireceive(message);
  if (inner_->complete()) {
    finish();
  } else {
    inner_->set_continuation([](p2p::Request& /*inner*/, void* self) { static_cast<PlanRequest*>(self)->finish(); },
                             this);
  }
}

void PlanRequest::dispose() {
  if (!complete()) {
    context_.orphans.push_back(this);
    return;
  }
  inner_->dispose();
  delete this;
}

void PartitionRound::expect(std::size_t partitions) {
  known_ = true;
  messages_.resize(partitions);
  for (PartitionMessage& message : messages_) message.round = this;
  pending_ = partitions;
  if (pending_ == 0) finish();
}

void PartitionRound::begin(std::size_t partition, p2p::Request* request) {
  messages_[partition].request = request;
  if (request->complete()) {
    partition_done(messages_[partition]);
  } else {
    request->set_continuation(
        [](p2p::Request& /*request*/, void* done) {
          auto* message = static_cast<PartitionMessage*>(done);
          message->round->partition_done(*message);
        },
        &messages_[partition]);
  }
}

void PartitionRound::unpack_through(std::unique_ptr<std::byte[]> staging, std::int64_t piece_bytes,
                                    const datatype::UnpackCursor& cursor) {
  staging_ = std::move(staging);
  piece_bytes_ = piece_bytes;
  cursor_ = cursor;
}

void PartitionRound::partition_done(PartitionMessage& message) {
  message.done = true;
  const p2p::Request& request = *message.request;
  if (cursor_) {
    const std::int64_t from = (&message - messages_.data()) * piece_bytes_;
    cursor_->seek(std::min(from, cursor_->total()));
    cursor_->unpack(staging_.get() + from, static_cast<std::size_t>(request.completion.bytes));
  }
  completion.bytes += request.completion.bytes;
  if (failure.ok() && !request.failure.ok()) {
    failure = Status::error(request.failure.error_class(), request.failure.message());
  }
  if (--pending_ == 0) finish();
}

observe::Awaited PartitionRound::awaited() const {
  const auto open = std::ranges::find_if(messages_, [](const PartitionMessage& m) { return m.request && !m.done; });
  return open != messages_.end() ? open->request->awaited() : observe::Awaited();
}

void PartitionRound::dispose() {
  // What is still under way belongs to its engine until it is complete.
  for (const PartitionMessage& message : messages_) {
    if (message.request == nullptr) continue;
    if (!message.done) message.request->set_continuation(nullptr, nullptr);
    message.request->dispose();
  }
  delete this;
}

PartitionedSend::PartitionedSend(Context& context, const p2p::Message& partition, std::uint32_t partitions,
                                 CommObject& comm)
    : partition_(partition),
      partitions_(partitions),
      comm_(Ref<CommObject>::share(&comm)),
      type_(Ref<const datatype::Datatype>::share(partition.type)),
      plan_{partition.count * partition.type->size(), partitions, take_tags(context, partitions)} {
  partition_.channel = p2p::Channel::kPartitioned;
  if (partition.rank != p2p::kProcNull) {
    told_ = new PlanRequest(context, PlanRequest::Direction::kSend, plan_, partition);
  }
}

Result<p2p::Request*> PartitionedSend::begin(Context& /*context*/) {
  if ((partition_.comm->condition() & comm::kRevoked) != 0) return p2p::revoked();
  round_ = new PartitionRound(p2p::RequestKind::kSend);
  round_->completion = kEmptyCompletion;
  round_->expect(told_ == nullptr ? 0 : partitions_);
  return round_;
}

Status PartitionedSend::ready(Context& context, int partition) {
  if (!active()) return not_started();
  if (partition < 0 || static_cast<std::uint32_t>(partition) >= partitions_) {
    return no_such_partition(partition, partitions_);
  }
  if (told_ == nullptr) return {};
  const auto part = static_cast<std::size_t>(partition);
  if (round_->begun(part)) {
    return Status::error(
        ErrorClass::kArg,
        formatted("partition {} has been marked ready already; mark it once after each start", partition));
  }
  p2p::Message message = partition_;
  message.buffer = static_cast<std::byte*>(partition_.buffer) + partition * partition_.count * type_->extent();
  message.tag = plan_.first_tag + partition;
  round_->begin(part, context.p2p->isend(message, p2p::SendMode::kStandard));
  return {};
}

void PartitionedSend::dispose() {
  if (told_ != nullptr) told_->dispose();
  PersistentRequest::dispose();
}

PartitionedReceive::PartitionedReceive(Context& context, const p2p::Message& partition, std::uint32_t partitions,
                                       CommObject& comm)
    : context_(context),
      partition_(partition),
      partitions_(partitions),
      comm_(Ref<CommObject>::share(&comm)),
      type_(Ref<const datatype::Datatype>::share(partition.type)) {
  partition_.channel = p2p::Channel::kPartitioned;
  if (partition.rank != p2p::kProcNull) {
    heard_ = new PlanRequest(context, PlanRequest::Direction::kReceive, {}, partition);
  }
}

Result<p2p::Request*> PartitionedReceive::begin(Context& context) {
  if ((partition_.comm->condition() & comm::kRevoked) != 0) return p2p::revoked();
  round_ = new PartitionRound(p2p::RequestKind::kReceive);
  if (heard_ == nullptr) {
    round_->completion = kProcNullCompletion;
    round_->expect(0);
    return round_;
  }
  round_->completion = {partition_.rank, partition_.tag, 0, false};
  if (!proceed(context)) {
    if (!context.partitioned_matching) {
      context.progress->add(context.partitioned_matching.make(context));
    }
    context.partitioned_matching.get()->wait(*this);
  }
  return round_;
}

bool PartitionedReceive::proceed(Context& context) {
  if (!heard_->complete()) return false;
  post(context);
  return true;
}

void PartitionedReceive::post(Context& context) {
  if (!heard_->outcome().ok()) {
    round_->failure = heard_->outcome().copy();
    return round_->expect(0);
  }
  const PartitionPlan& plan = heard_->plan();
  const bool inside_elements = type_->size() != 0 && plan.bytes % type_->size() != 0;
  staging_ = nullptr;
  if (inside_elements && !type_->is_contiguous()) {
    const auto bytes = static_cast<std::size_t>(plan.bytes) * plan.partitions;
    auto staging = std::make_unique_for_overwrite<std::byte[]>(bytes);
    staging_ = staging.get();
    const datatype::UnpackCursor cursor(*type_, partition_.buffer, partition_.count * partitions_);
    round_->unpack_through(std::move(staging), plan.bytes, cursor);
  }
  round_->expect(plan.partitions);
  for (std::size_t part = 0; part < plan.partitions; ++part) {
    round_->begin(part, context.p2p->ireceive(piece(part)));
  }
}

/// Where a partition of the sender lands. One that would go over the end gets less room, so that its message is
/// truncated and says so.
p2p::Message PartitionedReceive::piece(std::size_t part) const noexcept {
  const PartitionPlan& plan = heard_->plan();
  p2p::Message message = partition_;
  message.tag = plan.first_tag + static_cast<std::int32_t>(part);
  const std::int64_t from = static_cast<std::int64_t>(part) * plan.bytes;
  const std::int64_t total = partition_.count * partitions_ * type_->size();
  const std::int64_t room = std::clamp<std::int64_t>(total - from, 0, plan.bytes);
  auto* base = static_cast<std::byte*>(partition_.buffer);
  if (staging_ == nullptr && !type_->is_contiguous()) {
    message.count = type_->size() == 0 ? 0 : room / type_->size();
    message.buffer = type_->size() == 0 ? base : base + from / type_->size() * type_->extent();
    return message;
  }
  message.type = &datatype::byte_type();
  message.count = room;
  message.buffer = (staging_ != nullptr ? staging_ : base + type_->true_lb()) + from;
  return message;
}

Result<bool> PartitionedReceive::arrived(int partition) {
  if (partition < 0 || static_cast<std::uint32_t>(partition) >= partitions_) {
    return no_such_partition(partition, partitions_);
  }
  if (!active() || round_->complete()) return true;
  if (!round_->known()) return false;
  const std::int64_t piece_bytes = heard_->plan().bytes;
  const std::int64_t own_bytes = partition_.count * type_->size();
  if (piece_bytes == 0 || own_bytes == 0) return false;
  const auto first = static_cast<std::size_t>(partition * own_bytes / piece_bytes);
  const auto last = static_cast<std::size_t>(((partition + 1) * own_bytes + piece_bytes - 1) / piece_bytes);
  for (std::size_t part = first; part < std::min(last, round_->size()); ++part) {
    if (!round_->done(part)) return false;
  }
  return true;
}

void PartitionedReceive::dispose() {
  if (context_.partitioned_matching) context_.partitioned_matching.get()->forget(*this);
  if (heard_ != nullptr) heard_->dispose();
  PersistentRequest::dispose();
}

bool PartitionedMatching::poll() {
  const auto left = std::remove_if(waiting_.begin(), waiting_.end(),
                                   [&](PartitionedReceive* receive) { return receive->proceed(context_); });
  const bool moved = left != waiting_.end();
  waiting_.erase(left, waiting_.end());
  return moved;
}

}  // namespace starling::mpi
