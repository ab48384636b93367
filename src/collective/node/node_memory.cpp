// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/node/node_memory.hpp"

#include "collective/arguments/agreed_bytes.hpp"

namespace starling::collective {
namespace {

/// Whether a call may want segments: only those whose data never fit beside the flags.
bool wants_segments(const Arguments& a) {
  if (among_neighbors(a.operation)) return false;
  if (a.operation == Operation::kGatherv || a.operation == Operation::kScatterv) return true;  // nobody knows all sizes
  const std::int64_t bytes = agreed_bytes(a);
  const bool all_blocks = a.operation == Operation::kScatter || a.operation == Operation::kAlltoall;
  return (all_blocks ? bytes * a.comm->size() : bytes) > static_cast<std::int64_t>(Flag::kInline);
}

}  // namespace

void NodeMemory::settle(const Arguments& arguments) {
  const comm::Communicator& comm = *arguments.comm;
  const bool with_segments = wants_segments(arguments);
  if (!buffer_settled_) {
    if (comm.size() > 1 && !comm.is_inter() && comm.shared_domain() != nullptr)
      buffer_ = SharedBuffer::join(comm, {instance_, instance_ == 0 || with_segments});
    buffer_settled_ = true;
    segments_settled_ = buffer_ == nullptr;
  }
  if (with_segments && !segments_settled_) {
    has_segments_ = buffer_->have_segments();
    segments_settled_ = true;
  }
}

}  // namespace starling::collective
