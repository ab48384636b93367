// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "thread_capture.hpp"

#include <elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <deque>
#include <map>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "observe/job/process_facts.hpp"
#include "tracing.hpp"

namespace starling::symbolize {
namespace {

class Capturing {
 public:
  explicit Capturing(std::vector<ProcessCapture>& processes) {
    for (ProcessCapture& process : processes) {
      for (ThreadCapture& thread : process.threads) waiting_.push_back({&process, &thread, 0});
    }
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
  }

  void run(std::int64_t patience_ns) {
    // Nobody shall be stopped while this process waits for a core. Where that is forbidden it goes on as it is.
    const int priority = getpriority(PRIO_PROCESS, 0);
    setpriority(PRIO_PROCESS, 0, kFirst);
    copy_all(patience_ns);
    setpriority(PRIO_PROCESS, 0, priority);
  }

 private:
  static constexpr std::size_t kMostAsked = 4;
  static constexpr int kFirst = -20;
  struct Request {
    ProcessCapture* process;
    ThreadCapture* thread;
    std::int64_t since_ns;  ///< when it may have stopped first
  };

  void copy_all(std::int64_t patience_ns) {
    const std::int64_t deadline = now_ns() + patience_ns;
    while (!waiting_.empty() || !asked_.empty()) {
      const bool asks = asked_.size() < kMostAsked && !waiting_.empty();
      if (asks) ask_next();
      if (take_stopped() || asks) continue;
      if (now_ns() > deadline) break;
      wait_a_moment();
    }
    // What is left cannot be let go; it is when this process ends, and has not stopped.
    for (auto& [number, each] : asked_) each.thread->problem = "it sleeps in the system and cannot be stopped";
    for (Request& each : waiting_) each.thread->problem = "there was no time left to look at it";
  }

  void ask_next() {
    Request request = waiting_.front();
    waiting_.pop_front();
    const pid_t number = request.thread->thread;
    if (ptrace(PTRACE_SEIZE, number, nullptr, nullptr) != 0) {
      request.thread->problem = refusal(request.process->process, number, errno);
      return;
    }
    request.since_ns = now_ns();
    if (ptrace(PTRACE_INTERRUPT, number, nullptr, nullptr) != 0) {
      request.thread->problem = "it has ended";
      return;
    }
    asked_.emplace(number, request);
  }

  /// Whether one had stopped, or ended.
  bool take_stopped() {
    int status = 0;
    const std::int64_t before = now_ns();
    const pid_t number = waitpid(-1, &status, __WALL | WNOHANG);
    if (number == 0) {  // none has stopped yet
      for (auto& [thread, request] : asked_) request.since_ns = before;
    }
    const auto found = number > 0 ? asked_.find(number) : asked_.end();
    if (found == asked_.end()) return number > 0;
    Request& request = found->second;
    if (WIFSTOPPED(status)) {
      copy(*request.process, *request.thread);
      // A signal that came first is delivered now.
      const bool is_ours = status >> 16 == PTRACE_EVENT_STOP;
      const std::intptr_t signal = is_ours ? 0 : WSTOPSIG(status);
      ptrace(PTRACE_DETACH, number, nullptr, reinterpret_cast<void*>(signal));
      request.process->stopped_ns = std::max(request.process->stopped_ns, now_ns() - request.since_ns);
    } else {
      request.thread->problem = "it has ended";
    }
    asked_.erase(found);
    return true;
  }

  static void wait_a_moment() {
    constexpr timespec kMoment{0, 1'000'000};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigtimedwait(&child, nullptr, &kMoment);
  }

  static void copy(const ProcessCapture& process, ThreadCapture& thread) {
    KernelRegisters kernel{};
    iovec place{&kernel, sizeof kernel};
    if (ptrace(PTRACE_GETREGSET, thread.thread, NT_PRSTATUS, &place) != 0) {
      thread.problem = "its registers cannot be read";
      return;
    }
    thread.registers = registers_of(kernel);
    constexpr std::uint64_t kMostBytes = 256 * 1024;
    const std::uint64_t start = thread.registers.stack_pointer();
    const Mapping* const mapping = process.map.find(start);
    const std::uint64_t end = mapping != nullptr ? mapping->end : start + kPage;
    thread.stack.start = start;
    thread.stack.bytes.resize(std::min(end - start, kMostBytes));
    thread.stack.bytes.resize(
        read_memory(process.process, start, thread.stack.bytes.data(), thread.stack.bytes.size()));
    if (process.python) thread.python = process.python->frames_of(thread.own_number, thread.is_main);
  }

  static constexpr std::uint64_t kPage = 4096;

  std::deque<Request> waiting_;
  std::map<pid_t, Request> asked_;
};

}  // namespace

void capture_threads(std::vector<ProcessCapture>& processes, WhichThreads which, std::int64_t patience_ns) {
  for (ProcessCapture& process : processes) {
    for (const pid_t number : threads_of(process.process)) {
      if (which == WhichThreads::kMain && number != process.process) continue;
      ThreadCapture thread;
      thread.thread = number;
      thread.is_main = number == process.process;
      thread.own_number = observe::own_number(formatted("/proc/{}/task/{}", process.process, number));
      thread.state = state_of(process.process, number);
      thread.name = name_of(process.process, number);
      if (thread.state != 'Z' && thread.state != 'X') process.threads.push_back(std::move(thread));
    }
    if (process.threads.empty()) process.problem = "it has ended";
  }
  Capturing(processes).run(patience_ns);
}

}  // namespace starling::symbolize
