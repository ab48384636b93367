// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "weak_memory/explorer/step.hpp"

namespace starling::weak {
namespace {

bool is_barrier(const Step& step) noexcept { return step.kind == Kind::kBarrier || step.kind == Kind::kBarrierEnd; }
bool is_fence(const Step& step) noexcept {
  return step.kind == Kind::kFence || step.kind == Kind::kInterrupt || is_barrier(step);
}
bool is_futex(const Step& step) noexcept { return step.kind == Kind::kFutexWait || step.kind == Kind::kFutexWake; }

}  // namespace

const char* name(Order order) noexcept {
  switch (order) {
    case Order::kRelaxed: return "relaxed";
    case Order::kAcquire: return "acquire";
    case Order::kRelease: return "release";
    case Order::kAcqRel: return "acq_rel";
    case Order::kSeqCst: return "seq_cst";
  }
  return "?";
}

const char* name(Kind kind) noexcept {
  switch (kind) {
    case Kind::kBegin: return "begin";
    case Kind::kLoad: return "load";
    case Kind::kStore: return "store";
    case Kind::kModify: return "modify";
    case Kind::kFence: return "fence";
    case Kind::kFutexWait: return "futex wait";
    case Kind::kFutexWake: return "futex wake";
    case Kind::kBarrier: return "membarrier";
    case Kind::kBarrierEnd: return "membarrier ends";
    case Kind::kInterrupt: return "membarrier reaches it";
    case Kind::kLookAgain: return "look again";
  }
  return "?";
}

bool are_independent(const Step& a, const Step& b) noexcept {
  if (a.thread == b.thread) return false;
  if (is_fence(a) && (is_fence(b) || b.seq_cst)) return false;
  if (is_fence(b) && a.seq_cst) return false;
  // A membarrier has passed over whoever sleeps.
  if ((is_barrier(a) && is_futex(b)) || (is_barrier(b) && is_futex(a))) return false;
  if (a.object != b.object) return true;
  if (a.object < 0) return true;
  if (a.writes && b.writes) return false;
  if (a.seq_cst && b.seq_cst && (a.writes || b.writes)) return false;
  if (is_futex(a) && is_futex(b)) return false;
  return !((a.kind == Kind::kLookAgain && b.writes) || (b.kind == Kind::kLookAgain && a.writes));
}

}  // namespace starling::weak
