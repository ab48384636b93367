// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/crash/crash_handlers.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <new>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "bootstrap/crash/backtrace.hpp"
#include "bootstrap/crash/exception_text.hpp"
#include "bootstrap/crash/last_words.hpp"

namespace starling::bootstrap {
namespace {

using memory::CrashRecord;

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kAlternateStackBytes = 64 * 1024;
constexpr std::int64_t kPatienceNs = 2'000'000'000;

struct Context {
  const Job* job;
  pid_t pid;
  ExceptionProbe exceptions;
  std::atomic_flag entered;
};

// Signal handlers take no argument of ours, so this pointer is global. Null: nothing installed.
std::atomic<Context*> g_context{nullptr};

void restore_default(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
}

void fill(CrashRecord& record, const Context& context, int signal, const siginfo_t& info,
          const ucontext_t& interrupted) {
  record.signal = signal;
  const bool has_address = info.si_code > 0 && signal != SIGABRT;
  record.has_fault_address = has_address ? 1 : 0;
  record.fault_address = has_address ? reinterpret_cast<std::uint64_t>(info.si_addr) : 0;
  record.frame_count = backtrace_of(interrupted, record.frames);
  if (signal == SIGABRT) context.exceptions.describe(record.what);
  record.state.store(CrashRecord::kWritten, std::memory_order_release);
}

/// The launcher reads this process's maps while it waits; a launcher that does not answer costs two seconds.
void wait_until_seen(CrashRecord& record) {
  const std::int64_t deadline = now_ns() + kPatienceNs;
  for (std::int64_t left = kPatienceNs; left > 0; left = deadline - now_ns()) {
    if (record.state.load(std::memory_order_acquire) != CrashRecord::kWritten) return;
    futex_wait(record.state, CrashRecord::kWritten, left);
  }
}

void report(Context& context, int signal, const siginfo_t& info, const ucontext_t& interrupted) {
  const Job& job = *context.job;
  CrashRecord& record = job.segment->rank(job.local_rank).crash;
  if (record.state.load(std::memory_order_relaxed) != CrashRecord::kNone) return;
  fill(record, context, signal, info, interrupted);
  if (job.launched) {
    notify_launcher(job);
    wait_until_seen(record);
  } else {
    print_last_words(record, job.rank, job.size());
  }
}

/// A second thread that crashes meanwhile must not end the process under the first one's report.
void let_the_first_finish() {
  const timespec patience{kPatienceNs / 1'000'000'000, 500'000'000};
  nanosleep(&patience, nullptr);
}

void on_crash(int signal, siginfo_t* info, void* interrupted) {
  const int saved_errno = errno;
  Context* context = g_context.load(std::memory_order_acquire);
  if (context && context->pid == getpid()) {
    if (!context->entered.test_and_set()) {
      report(*context, signal, *info, *static_cast<ucontext_t*>(interrupted));
    } else {
      let_the_first_finish();
    }
  }
  // A fault of the hardware happens again on return and then kills; a signal that was sent must be sent again.
  restore_default(signal);
  if (info->si_code <= 0) raise(signal);
  errno = saved_errno;
}

void* install_alternate_stack() {
  stack_t current{};
  if (sigaltstack(nullptr, &current) != 0 || !(current.ss_flags & SS_DISABLE)) return nullptr;
  void* const memory =
      mmap(nullptr, kAlternateStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  stack_t ours{};
  ours.ss_sp = memory;
  ours.ss_size = kAlternateStackBytes;
  if (sigaltstack(&ours, nullptr) == 0) return memory;
  munmap(memory, kAlternateStackBytes);
  return nullptr;
}

void remove_alternate_stack(void* memory) {
  stack_t current{};
  if (sigaltstack(nullptr, &current) == 0 && current.ss_sp == memory) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory, kAlternateStackBytes);
  }
  // Else another thread, or the program itself, uses it still: 64 KiB of address space stay.
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_crash;
}

}  // namespace

CrashHandlers::CrashHandlers(const Job& job) {
  auto* context = new (std::nothrow) Context{&job, getpid(), ExceptionProbe::find(), {}};
  Context* none = nullptr;
  if (!context || !g_context.compare_exchange_strong(none, context)) {
    delete context;
    return;
  }
  active_ = true;
  prime_backtrace();
  alternate_stack_ = install_alternate_stack();
  struct sigaction ours {};
  ours.sa_sigaction = on_crash;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  for (const int signal : kSignals) {
    struct sigaction current {};
    if (sigaction(signal, nullptr, &current) != 0 || (current.sa_flags & SA_SIGINFO)) continue;
    if (current.sa_handler == SIG_DFL) sigaction(signal, &ours, nullptr);
  }
}

CrashHandlers::~CrashHandlers() {
  if (!active_) return;
  for (const int signal : kSignals) {
    struct sigaction current {};
    if (sigaction(signal, nullptr, &current) == 0 && is_ours(current)) restore_default(signal);
  }
  if (alternate_stack_) remove_alternate_stack(alternate_stack_);
  delete g_context.exchange(nullptr);
}

}  // namespace starling::bootstrap
