// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/target_handler.hpp"

#include <cstring>

#include "memory/doorbell.hpp"

namespace starling::rma {

bool TargetHandler::serve(const memory::JobSegment& segment) noexcept {
  std::uint32_t asked = kAsked;
  if (state.load(std::memory_order_relaxed) != kAsked) return false;
  // acquire: the active message is written before it is asked for.
  if (!state.compare_exchange_strong(asked, kServing, std::memory_order_acquire)) return false;
  std::byte* at = data;
  for (std::uint32_t i = 0; i < run_count; ++i) {
    auto* memory = reinterpret_cast<std::byte*>(runs[i].address);  // NOLINT(performance-no-int-to-ptr)
    if (message == ActiveMessage::kGather) {
      std::memcpy(at, memory, runs[i].bytes);
    } else {
      std::memcpy(memory, at, runs[i].bytes);
    }
    at += runs[i].bytes;
  }
  // seq_cst, as where asker is written: this sees the rank that waits now, or that rank sees that it is done.
  state.store(kDone, std::memory_order_seq_cst);
  const LocalRank waiting_rank(asker.load(std::memory_order_seq_cst));
  memory::ring(segment.rank(waiting_rank).doorbell, segment.header().sender_fences != 0);
  return true;
}

}  // namespace starling::rma
