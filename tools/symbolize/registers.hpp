// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The registers of a thread, by their numbers in debug information.
// Thread safety: value types. Source: the DWARF chapters of the psABIs of x86-64 and of AArch64.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace starling::symbolize {

#if defined(__x86_64__)
inline constexpr std::size_t kRegisters = 17;
inline constexpr std::size_t kFramePointer = 6;
inline constexpr std::size_t kStackPointer = 7;
inline constexpr std::size_t kReturnAddress = 16;
using KernelRegisters = user_regs_struct;
#elif defined(__aarch64__)
inline constexpr std::size_t kRegisters = 32;
inline constexpr std::size_t kFramePointer = 29;
inline constexpr std::size_t kStackPointer = 31;
inline constexpr std::size_t kReturnAddress = 30;
using KernelRegisters = user_regs_struct;
#else
#error "Write down here how this processor's registers are numbered."
#endif

struct Registers {
  std::array<std::uint64_t, kRegisters> values{};
  std::array<bool, kRegisters> known{};
  std::uint64_t pc = 0;

  [[nodiscard]] std::uint64_t stack_pointer() const noexcept { return values[kStackPointer]; }
};

inline Registers registers_of(const KernelRegisters& kernel) {
  Registers registers;
  registers.known.fill(true);
#if defined(__x86_64__)
  registers.values = {kernel.rax, kernel.rdx, kernel.rcx, kernel.rbx, kernel.rsi, kernel.rdi,
                      kernel.rbp, kernel.rsp, kernel.r8,  kernel.r9,  kernel.r10, kernel.r11,
                      kernel.r12, kernel.r13, kernel.r14, kernel.r15, kernel.rip};
  registers.pc = kernel.rip;
#else
  for (std::size_t i = 0; i < kStackPointer; ++i) registers.values[i] = kernel.regs[i];
  registers.values[kStackPointer] = kernel.sp;
  registers.pc = kernel.pc;
#endif
  return registers;
}

}  // namespace starling::symbolize
