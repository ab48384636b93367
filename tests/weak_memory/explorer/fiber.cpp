// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "weak_memory/explorer/fiber.hpp"

namespace starling::weak {
namespace {

ucontext_t own_course;

}  // namespace

void Fiber::begin(void (*entry)()) {
  if (!stack_) stack_ = std::make_unique<std::byte[]>(kStackBytes);
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = kStackBytes;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
}

void Fiber::switch_between(Fiber* from, Fiber* to) {
  swapcontext(from != nullptr ? &from->context_ : &own_course, to != nullptr ? &to->context_ : &own_course);
}

}  // namespace starling::weak
