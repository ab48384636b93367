// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "switch.hpp"

#include <cstdint>
#include <cstring>

#ifdef STARLING_FIBER_CONTEXT

namespace starling::array::detail {

namespace {

struct Start {
  void (*body)(void*);
  void* argument;
};

/// makecontext() passes ints only.
void start_context(unsigned high, unsigned low) {
  const std::uintptr_t address = static_cast<std::uintptr_t>(high) << 16 << 16 | low;
  const Start start = *static_cast<Start*>(reinterpret_cast<void*>(address));
  start.body(start.argument);
}

}  // namespace

void prepare_stack(SavedStack& into, char* bottom, std::size_t bytes, void (*body)(void*), void* argument) {
  auto* start = static_cast<Start*>(static_cast<void*>(bottom));
  *start = {body, argument};
  getcontext(&into.context);
  into.context.uc_stack.ss_sp = bottom + sizeof(Start);
  into.context.uc_stack.ss_size = bytes - sizeof(Start);
  into.context.uc_link = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  makecontext(&into.context, reinterpret_cast<void (*)()>(start_context), 2, static_cast<unsigned>(address >> 16 >> 16),
              static_cast<unsigned>(address));
}

void switch_stack(SavedStack& from, SavedStack& to) { swapcontext(&from.context, &to.context); }

}  // namespace starling::array::detail

#else

extern "C" {
void starling_array_switch_stack(void** from, void* to) __attribute__((visibility("hidden")));
void starling_array_start_stack() __attribute__((visibility("hidden")));
}

#ifdef __x86_64__
// rdi: where to keep the stack pointer; rsi: the one to go on with. Below the six registers lie the modes of both
// floating-point units and the guard of -fstack-protector.
asm(R"(
.text
.p2align 4
.hidden starling_array_switch_stack
.globl starling_array_switch_stack
.type starling_array_switch_stack, @function
starling_array_switch_stack:
  .cfi_startproc
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r15
  pushq %r14
  pushq %r13
  pushq %r12
  subq $16, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %fs:0x28, %rax
  movq %rax, 8(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  movq 8(%rsp), %rax
  movq %rax, %fs:0x28
  fldcw 4(%rsp)
  ldmxcsr (%rsp)
  addq $16, %rsp
  popq %r12
  popq %r13
  popq %r14
  popq %r15
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
.size starling_array_switch_stack, .-starling_array_switch_stack

.p2align 4
.hidden starling_array_start_stack
.globl starling_array_start_stack
.type starling_array_start_stack, @function
starling_array_start_stack:
  .cfi_startproc
  .cfi_undefined rip
  endbr64
  movq %r13, %rdi
  xorl %ebp, %ebp
  callq *%r12
  ud2
  .cfi_endproc
.size starling_array_start_stack, .-starling_array_start_stack
)");

namespace {

/// What switch_stack leaves on a stack.
struct Frame {
  std::uint32_t sse_mode;
  std::uint16_t x87_mode;
  std::uint16_t spare;
  std::uintptr_t guard;
  void (*r12)(void*);
  void* r13;
  void* r14_15_bx_bp[4];
  void (*back)();
};
static_assert(sizeof(Frame) == 72);

void set(Frame& frame, void (*body)(void*), void* argument) {
  asm("stmxcsr %0" : "=m"(frame.sse_mode));
  asm("fnstcw %0" : "=m"(frame.x87_mode));
  asm("movq %%fs:0x28, %0" : "=r"(frame.guard));
  frame.r12 = body;
  frame.r13 = argument;
  frame.back = starling_array_start_stack;
}
constexpr std::size_t kUnused = 16;  // the stack is aligned where starling_array_start_stack calls

}  // namespace

#else
// x0: where to keep the stack pointer; x1: the one to go on with.
asm(R"(
.text
.p2align 4
.hidden starling_array_switch_stack
.globl starling_array_switch_stack
.type starling_array_switch_stack, %function
starling_array_switch_stack:
  .cfi_startproc
  sub sp, sp, #176
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mrs x9, fpcr
  str x9, [sp, #160]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldr x9, [sp, #160]
  msr fpcr, x9
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #176
  ret
  .cfi_endproc
.size starling_array_switch_stack, .-starling_array_switch_stack

.p2align 4
.hidden starling_array_start_stack
.globl starling_array_start_stack
.type starling_array_start_stack, %function
starling_array_start_stack:
  .cfi_startproc
  .cfi_undefined x30
  mov x29, xzr
  mov x30, xzr
  mov x0, x20
  blr x19
  brk #0
  .cfi_endproc
.size starling_array_start_stack, .-starling_array_start_stack
)");

namespace {

/// What switch_stack leaves on a stack.
struct Frame {
  void (*x19)(void*);
  void* x20;
  void* x21_to_29[9];
  void (*x30)();
  double d8_to_15[8];
  std::uint64_t mode;
  std::uint64_t spare;
};
static_assert(sizeof(Frame) == 176);

void set(Frame& frame, void (*body)(void*), void* argument) {
  asm volatile("mrs %0, fpcr" : "=r"(frame.mode));
  frame.x19 = body;
  frame.x20 = argument;
  frame.x30 = starling_array_start_stack;
}
constexpr std::size_t kUnused = 0;

}  // namespace
#endif

namespace starling::array::detail {

void prepare_stack(SavedStack& into, char* bottom, std::size_t bytes, void (*body)(void*), void* argument) {
  auto top = reinterpret_cast<std::uintptr_t>(bottom + bytes) / 16 * 16;
  char* at = bottom + (top - reinterpret_cast<std::uintptr_t>(bottom)) - kUnused - sizeof(Frame);
  Frame frame{};
  set(frame, body, argument);
  std::memcpy(at, &frame, sizeof frame);
  into.pointer = at;
}

void switch_stack(SavedStack& from, SavedStack& to) { starling_array_switch_stack(&from.pointer, to.pointer); }

}  // namespace starling::array::detail

#endif
