// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "overflow.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

namespace starling::array::detail {

namespace {

constexpr std::size_t kPlaces = 256;  // of watches at once in a process
constexpr std::size_t kSignalStack = std::size_t{64} << 10;

struct Watched {
  std::atomic<const Slots*> slots{nullptr};
  int process = 0;
};

/// A signal's handler is the process's, so this is too.
struct Handler {
  std::mutex mutex;
  std::array<Watched, kPlaces> watched;
  struct sigaction before = {};
  int watches = 0;
};
Handler& handler() {
  static Handler the;
  return the;
}

/// As a signal handler may: without the C library's buffers.
class Line {
 public:
  Line& text(const char* words) {
    while (*words != '\0' && used_ < sizeof bytes_) bytes_[used_++] = *words++;
    return *this;
  }
  Line& number(std::size_t value) {
    char digits[24];
    std::size_t count = 0;
    do digits[count++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0 && used_ < sizeof bytes_) bytes_[used_++] = digits[--count];
    return *this;
  }
  void write() const { [[maybe_unused]] const ssize_t done = ::write(STDERR_FILENO, bytes_, used_); }

 private:
  char bytes_[300];
  std::size_t used_ = 0;
};

void on_fault(int, siginfo_t* info, void*) {
  Handler& all = handler();
  for (const Watched& each : all.watched) {
    const Slots* slots = each.slots.load(std::memory_order_acquire);
    if (slots == nullptr) continue;
    const std::ptrdiff_t rank = slots->guarded_by(info->si_addr);
    if (rank < 0) continue;
    Line()
        .text("starling: rank ")
        .number(static_cast<std::size_t>(rank))
        .text(" has overflowed its stack of ")
        .number(slots->layout().stack >> 10)
        .text(" KiB on process ")
        .number(static_cast<std::size_t>(each.process))
        .text(": give it more by VirtualRanksOptions::stack_bytes, or keep large variables in its heap()\n")
        .write();
    break;
  }
  // What faulted is done again, and faults again, in the handler from before.
  sigaction(SIGSEGV, &all.before, nullptr);
}

}  // namespace

OverflowWatch::OverflowWatch(std::shared_ptr<const Slots> slots, int process) : slots_(std::move(slots)), place_(0) {
  stack_t now = {};
  if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0) {
    signal_stack_.reset(new char[kSignalStack]);
    stack_t ours = {};
    ours.ss_sp = signal_stack_.get();
    ours.ss_size = kSignalStack;
    if (sigaltstack(&ours, nullptr) != 0) signal_stack_.reset();
  }
  Handler& all = handler();
  const std::lock_guard lock(all.mutex);
  while (place_ < kPlaces && all.watched[place_].slots.load(std::memory_order_relaxed) != nullptr) ++place_;
  if (place_ == kPlaces) return;
  all.watched[place_].process = process;
  all.watched[place_].slots.store(slots_.get(), std::memory_order_release);  // after the process that it is shown with
  if (++all.watches > 1) return;
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &ours, &all.before);
}

OverflowWatch::~OverflowWatch() {
  Handler& all = handler();
  {
    const std::lock_guard lock(all.mutex);
    if (place_ < kPlaces) {
      all.watched[place_].slots.store(nullptr, std::memory_order_relaxed);
      struct sigaction now = {};
      if (--all.watches == 0 && sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == on_fault) {
        sigaction(SIGSEGV, &all.before, nullptr);
      }
    }
  }
  stack_t now = {};
  if (signal_stack_ && sigaltstack(nullptr, &now) == 0 && now.ss_sp == signal_stack_.get()) {
    now.ss_flags = SS_DISABLE;
    sigaltstack(&now, nullptr);
  }
}

}  // namespace starling::array::detail
