// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/pending_dup.hpp"

#include "base/assert.hpp"
#include "world/communicators/context_id_broadcast.hpp"
#include "world/communicators/intercommunicators.hpp"
#include "world/communicators/make.hpp"

namespace starling::world {

Status PendingDup::tell_group() {
  collective::Arguments bcast;
  bcast.operation = collective::Operation::kBcast;
  bcast.form = collective::Form::kInternal;
  bcast.comm = comm_.get();
  bcast.receive_buffer = &ids_.first;
  bcast.receive_count = sizeof ids_.first;
  bcast.receive_type = &datatype::byte_type();
  Result<p2p::Request*> request = world_.collectives().start(bcast);
  if (!request.ok()) return std::move(request).status();
  request_ = request.value();
  return {};
}

void PendingDup::tell_both_groups() {
  const auto side =
      takes_context_ids(world_, *comm_) ? ContextIdBroadcast::Side::kKnows : ContextIdBroadcast::Side::kReceives;
  request_ = new ContextIdBroadcast(world_, comm_, side, &ids_.first);
}

Result<std::unique_ptr<PendingDup>> PendingDup::start(World& world, Ref<comm::Communicator> comm) {
  std::unique_ptr<PendingDup> pending(new PendingDup(world, std::move(comm)));
  const comm::Communicator& parent = *pending->comm_;
  const bool takes = parent.rank() == 0 && (!parent.is_inter() || takes_context_ids(world, parent));
  if (takes) pending->ids_ = ContextIds::take(world, parent.connected_jobs(), parent.is_inter() ? kIdsOfInter : 1);
  if (parent.is_inter()) {
    pending->tell_both_groups();
  } else {
    STARLING_TRY(pending->tell_group());
  }
  return pending;
}

MadeCommunicator PendingDup::finish() {
  STARLING_ASSERT(request_->complete(), "a pending dup is finished once its ids have come");
  const Ref<comm::ConnectedJobs>& jobs = comm_->connected_jobs();
  Result<ContextIdRange> ids = ids_.agreed(world_, jobs);
  if (!ids.ok()) return std::move(ids).status();
  if (comm_->is_inter()) return make_inter(world_, ids.value(), comm_->group(), comm_->remote_group(), jobs);
  return make_intra(world_, ids.value().first, comm_->group(), jobs);
}

}  // namespace starling::world
