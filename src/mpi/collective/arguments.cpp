// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/arguments.hpp"

#include "collective/arguments/roles.hpp"
#include "collective/run/persistent_call.hpp"
#include "mpi/boundary/call_site.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/refusals.hpp"
#include "mpi/collective/overlap.hpp"
#include "mpi/collective/persistent_request.hpp"
#include "mpi/request/requests.hpp"

namespace starling::mpi {

using collective::Operation;

CollectiveCall::CollectiveCall(Context& context, Operation operation, MPI_Comm comm) : context_(context) {
  arguments_.operation = operation;
  arguments_.comm = context.comm(comm)->comm.get();
  arguments_.site = internal::call_site;
}

CollectiveCall& CollectiveCall::rooted(int root) {
  arguments_.root = root;
  return *this;
}

bool CollectiveCall::at_root() const noexcept { return collective::at_root(arguments_); }

std::vector<const datatype::Datatype*> CollectiveCall::types_of(const MPI_Datatype* handles,
                                                                std::int32_t blocks) const {
  std::vector<const datatype::Datatype*> types(static_cast<std::size_t>(blocks));
  for (std::size_t block = 0; block < types.size(); ++block) types[block] = context_.datatype(handles[block]);
  return types;
}

bool CollectiveCall::in_place(const void* buffer) noexcept {
  if (buffer == MPI_IN_PLACE) arguments_.in_place = true;
  return buffer == MPI_IN_PLACE;
}

CollectiveCall& CollectiveCall::sends(const Block& block) {
  if (in_place(block.buffer)) return *this;
  arguments_.send_buffer = block.buffer;
  arguments_.send_count = block.count;
  arguments_.send_type = context_.datatype(block.datatype);
  return *this;
}

CollectiveCall& CollectiveCall::sends(const Blocks& blocks) {
  if (in_place(blocks.buffer)) return *this;
  arguments_.send_buffer = blocks.buffer;
  arguments_.send_counts = blocks.counts;
  arguments_.send_displs = blocks.displs;
  arguments_.send_type = context_.datatype(blocks.datatype);
  return *this;
}

CollectiveCall& CollectiveCall::sends(const TypedBlocks& blocks) {
  if (in_place(blocks.buffer)) return *this;
  arguments_.send_buffer = blocks.buffer;
  arguments_.send_counts = blocks.counts;
  arguments_.send_displs = blocks.displs;
  send_types_ = types_of(blocks.datatypes, collective::blocks_sent(arguments_));
  return *this;
}

CollectiveCall& CollectiveCall::receives(const Block& block) {
  if (in_place(block.buffer)) return *this;
  arguments_.receive_buffer = const_cast<void*>(block.buffer);
  arguments_.receive_count = block.count;
  arguments_.receive_type = context_.datatype(block.datatype);
  return *this;
}

CollectiveCall& CollectiveCall::receives(const Blocks& blocks) {
  arguments_.receive_buffer = const_cast<void*>(blocks.buffer);
  arguments_.receive_counts = blocks.counts;
  arguments_.receive_displs = blocks.displs;
  arguments_.receive_type = context_.datatype(blocks.datatype);
  return *this;
}

CollectiveCall& CollectiveCall::receives(const TypedBlocks& blocks) {
  arguments_.receive_buffer = const_cast<void*>(blocks.buffer);
  arguments_.receive_counts = blocks.counts;
  arguments_.receive_displs = blocks.displs;
  receive_types_ = types_of(blocks.datatypes, collective::blocks_received(arguments_));
  return *this;
}

CollectiveCall& CollectiveCall::reduces(const Reduction& reduction) {
  if (!in_place(reduction.send_buffer)) arguments_.send_buffer = reduction.send_buffer;
  arguments_.receive_buffer = reduction.receive_buffer;
  arguments_.receive_count = reduction.count;
  arguments_.receive_type = context_.datatype(reduction.datatype);
  arguments_.op = context_.op(reduction.op);
  return *this;
}

CollectiveCall& CollectiveCall::receive_counts(Counts counts) {
  arguments_.receive_counts = counts;
  return *this;
}

const collective::Arguments& CollectiveCall::arguments() noexcept {
  if (!send_types_.empty()) arguments_.send_types = send_types_.data();
  if (!receive_types_.empty()) arguments_.receive_types = receive_types_.data();
  return arguments_;
}

Status CollectiveCall::check() { return kChecked ? check_apart(arguments()) : Status(); }

int CollectiveCall::run() {
  if (Status wrong = check(); !wrong.ok()) [[unlikely]]
    return fail(std::move(wrong));
  Status done = context_.collectives->run(arguments());
  if (done.ok()) [[likely]]
    return MPI_SUCCESS;
  return fail(std::move(done));
}

int CollectiveCall::start(MPI_Comm comm, MPI_Request* request) {
  if (Status wrong = check(); !wrong.ok()) return fail(std::move(wrong));
  Result<p2p::Request*> started = context_.collectives->start(arguments());
  if (!started.ok()) return fail(std::move(started).status());
  return context_.add_request(started.value(), comm, request);
}

int CollectiveCall::prepare(MPI_Comm comm, MPI_Request* request) {
  if (Status wrong = check(); !wrong.ok()) return fail(std::move(wrong));
  Result<Ref<collective::PersistentCall>> prepared = context_.collectives->prepare(arguments());
  if (!prepared.ok()) return fail(std::move(prepared).status());
  return context_.add_request(new PersistentCollective(std::move(prepared).value()), comm, request);
}

CollectiveCall make_barrier(MPI_Comm comm) { return {*current(), Operation::kBarrier, comm}; }

CollectiveCall make_bcast(const Block& data, int root, MPI_Comm comm) {
  CollectiveCall call(*current(), Operation::kBcast, comm);
  call.rooted(root).receives(data);
  return call;
}

CollectiveCall make_gather(const Block& send, const Block& receive, int root, MPI_Comm comm) {
  CollectiveCall call(*current(), Operation::kGather, comm);
  call.rooted(root).sends(send);
  if (call.at_root()) call.receives(receive);
  return call;
}

CollectiveCall make_gatherv(const Block& send, const Blocks& receive, int root, MPI_Comm comm) {
  CollectiveCall call(*current(), Operation::kGatherv, comm);
  call.rooted(root).sends(send);
  if (call.at_root()) call.receives(receive);
  return call;
}

CollectiveCall make_scatter(const Block& send, const Block& receive, int root, MPI_Comm comm) {
  CollectiveCall call(*current(), Operation::kScatter, comm);
  call.rooted(root).receives(receive);
  if (call.at_root()) call.sends(send);
  return call;
}

CollectiveCall make_scatterv(const Blocks& send, const Block& receive, int root, MPI_Comm comm) {
  CollectiveCall call(*current(), Operation::kScatterv, comm);
  call.rooted(root).receives(receive);
  if (call.at_root()) call.sends(send);
  return call;
}

CollectiveCall make_reduce(const Reduction& reduction, int root, MPI_Comm comm) {
  CollectiveCall call(*current(), Operation::kReduce, comm);
  call.rooted(root).reduces(reduction);
  return call;
}

CollectiveCall make_reduction(Operation operation, const Reduction& reduction, MPI_Comm comm) {
  CollectiveCall call(*current(), operation, comm);
  call.reduces(reduction);
  return call;
}

CollectiveCall make_reduce_scatter(const Reduction& reduction, Counts counts, MPI_Comm comm) {
  CollectiveCall call(*current(), Operation::kReduceScatter, comm);
  call.reduces(reduction).receive_counts(counts);
  return call;
}

}  // namespace starling::mpi
