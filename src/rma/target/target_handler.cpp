// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/target_handler.hpp"

#include <array>
#include <cstring>

#include "datatype/op/op.hpp"
#include "memory/doorbell.hpp"

namespace starling::rma {
namespace {

std::byte* memory_at(std::uint64_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

bool TargetHandler::claim_and_serve(const memory::JobSegment& segment) noexcept {
  std::uint32_t asked = kAsked;
  // acquire: the active message is written before it is asked for.
  if (!state.compare_exchange_strong(asked, kServing, std::memory_order_acquire)) return false;
  carry_out();
  // seq_cst, as where asker is written: this sees the rank that waits now, or that rank sees that it is done.
  state.store(kDone, std::memory_order_seq_cst);
  const LocalRank waiting_rank(asker.load(std::memory_order_seq_cst));
  memory::ring(segment.rank(waiting_rank).doorbell, segment.header().sender_fences != 0);
  return true;
}

/// Calls move(memory, bytes) for each stretch.
template <typename Move>
void TargetHandler::for_runs(Move&& move) noexcept {
  if (run_count == 0) return;
  move(memory_at(first_address), first_bytes);
  for (std::uint32_t i = 1; i < run_count; ++i) move(memory_at(more_runs[i - 1].address), more_runs[i - 1].bytes);
}

void TargetHandler::carry_out() noexcept {
  std::byte* at = moved();
  switch (message) {
    case ActiveMessage::kGather:
      for_runs([&](const std::byte* memory, std::uint64_t length) {
        std::memcpy(at, memory, length);
        at += length;
      });
      break;
    case ActiveMessage::kScatter:
      for_runs([&](std::byte* memory, std::uint64_t length) {
        std::memcpy(memory, at, length);
        at += length;
      });
      break;
    case ActiveMessage::kCombine: combine(memory_at(first_address)); break;
    case ActiveMessage::kCompareAndSwap: {
      std::array<std::byte, sizeof beside / 2> was;
      std::memcpy(was.data(), memory_at(first_address), bytes);
      if (std::memcmp(was.data(), old(), bytes) == 0) std::memcpy(memory_at(first_address), operand(), bytes);
      std::memcpy(old(), was.data(), bytes);
      break;
    }
  }
}

void TargetHandler::combine(std::byte* memory) noexcept {
  if (fetches) std::memcpy(old(), memory, bytes);
  if (op == datatype::PredefinedOp::kReplace) {
    std::memcpy(memory, operand(), bytes);
  } else if (op != datatype::PredefinedOp::kNoOp) {
    datatype::find_kernel(op, type)(operand(), memory, bytes / datatype::info(type).size);
  }
}

}  // namespace starling::rma
