// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/node/node_memory.hpp"

namespace starling::collective {
void NodeMemory::settle(const Arguments& arguments, std::int64_t bytes, bool learns) {
  const comm::Communicator& comm = *arguments.comm;
  const bool with_segments = may_want_segments(arguments, bytes);
  if (!buffer_settled_) {
    if (comm.size() > 1 && !comm.is_inter() && comm.shared_domain() != nullptr)
      buffer_ = SharedBuffer::join(
          comm, {.instance = instance_, .segments = instance_ == 0 || with_segments, .learns = learns});
    buffer_settled_ = true;
    segments_settled_ = buffer_ == nullptr;
  }
  if (with_segments && !segments_settled_) {
    has_segments_ = buffer_->have_segments();
    segments_settled_ = true;
  }
}

}  // namespace starling::collective
