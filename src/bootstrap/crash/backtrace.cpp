// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/crash/backtrace.hpp"

#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

namespace starling::bootstrap {
namespace {

struct Registers {
  std::uint64_t instruction = 0;
  std::uint64_t stack = 0;
  std::uint64_t frame = 0;
};

Registers registers_of(const ucontext_t& context) {
#if defined(__x86_64__)
  const auto& general = context.uc_mcontext.gregs;
  return {static_cast<std::uint64_t>(general[REG_RIP]), static_cast<std::uint64_t>(general[REG_RSP]),
          static_cast<std::uint64_t>(general[REG_RBP])};
#elif defined(__aarch64__)
  const auto& machine = context.uc_mcontext;
  return {machine.pc, machine.sp, machine.regs[29]};
#else
  (void)context;
  return {};
#endif
}

struct Walk {
  std::span<std::uint64_t> frames;
  std::uint64_t start;  ///< the interrupted instruction; the handler's own frames before it are skipped
  std::uint32_t count = 0;
  bool started = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const std::uint64_t address = _Unwind_GetIP(context);
  if (address == walk.start) walk.started = true;
  if (walk.started) {
    if (address == 0 || walk.count == walk.frames.size()) return _URC_END_OF_STACK;
    walk.frames[walk.count++] = address;
  }
  return _URC_NO_REASON;
}

/// Reads our own memory without the risk of a second fault.
bool read_word(std::uint64_t address, std::uint64_t* word) {
  iovec local{word, sizeof *word};
  iovec remote{reinterpret_cast<void*>(address), sizeof *word};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(sizeof *word);
}

/// Follows the chain of frame pointers: for a jump into nothing, from where the unwinder knows no way back.
std::uint32_t walk_frame_pointers(const Registers& registers, std::span<std::uint64_t> frames) {
  std::uint32_t count = 0;
  frames[count++] = registers.instruction;
  std::uint64_t caller = 0;
#if defined(__x86_64__)
  // The call that led here pushed its return address.
  if (registers.instruction == 0 && read_word(registers.stack, &caller)) frames[count++] = caller;
#endif
  std::uint64_t frame = registers.frame;
  std::uint64_t next = 0;
  while (count < frames.size() && frame % sizeof(std::uint64_t) == 0 && read_word(frame, &next) &&
         read_word(frame + sizeof(std::uint64_t), &caller) && caller != 0) {
    frames[count++] = caller;
    if (next <= frame) break;
    frame = next;
  }
  return count;
}

_Unwind_Reason_Code stop_at_once(_Unwind_Context*, void*) { return _URC_END_OF_STACK; }

}  // namespace

void prime_backtrace() noexcept { _Unwind_Backtrace(stop_at_once, nullptr); }

std::uint32_t backtrace_of(const ucontext_t& interrupted, std::span<std::uint64_t> frames) noexcept {
  const Registers registers = registers_of(interrupted);
  Walk walk{frames, registers.instruction};
  _Unwind_Backtrace(visit, &walk);
  return walk.count > 1 ? walk.count : walk_frame_pointers(registers, frames);
}

}  // namespace starling::bootstrap
