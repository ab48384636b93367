// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/spawn.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace starling::launch {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

struct Request {
  const ChildPlan* plan;
  const cpu_set_t* mask;
  std::size_t mask_bytes;
  pid_t parent;
  char* const* shell_arguments;  ///< for a script without "#!"
  int error = 0;
  int unbound = 0;
  const char* step = "";
};

// Everything from here to child_main runs in the child, on the parent's memory and a stack of its own: system calls
// only, and nothing that a sanitizer adds.
#define STARLING_PLAIN __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined")))

STARLING_PLAIN int failed(Request& request, const char* step) {
  request.error = errno;
  request.step = step;
  _exit(127);
}

STARLING_PLAIN void place_standard_descriptors(Request& request) {
  int source[3];
  for (int i = 0; i < 3; ++i) {
    // Above 2 first, so that no dup2 overwrites the source of a later one.
    source[i] = fcntl(request.plan->standard[i], F_DUPFD_CLOEXEC, 3);
    if (source[i] < 0) failed(request, "dup");
  }
  for (int i = 0; i < 3; ++i) {
    if (dup2(source[i], i) < 0) failed(request, "dup2");
  }
  for (const int descriptor : request.plan->passed) fcntl(descriptor, F_SETFD, 0);
}

/// A program for another processor or system is no script. errno is as before.
STARLING_PLAIN bool is_elf(const char* path) {
  const int before = errno;
  unsigned char magic[4] = {};
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const bool is_whole = file >= 0 && read(file, magic, sizeof magic) == sizeof magic;
  errno = before;
  return is_whole && magic[0] == 0x7f && magic[1] == 'E' && magic[2] == 'L' && magic[3] == 'F';
}

STARLING_PLAIN int child_main(void* argument) {
  Request& request = *static_cast<Request*>(argument);
  const ChildPlan& plan = *request.plan;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != request.parent) _exit(127);  // it died before we asked to be told
  if (plan.own_session) {
    setsid();
  } else {
    setpgid(0, plan.group);
  }
  if (request.mask && sched_setaffinity(0, request.mask_bytes, request.mask) != 0) {
    if (errno != EPERM && errno != ENOSYS) failed(request, "sched_setaffinity");
    request.unbound = errno;
  }
  if (plan.folder && chdir(plan.folder) != 0) failed(request, "chdir");
  place_standard_descriptors(request);
  setrlimit(RLIMIT_NOFILE, &plan.inherited.files);
  sigprocmask(SIG_SETMASK, &plan.inherited.signals, nullptr);
  execve(plan.path, plan.arguments, plan.environment);
  if (errno == ENOEXEC && !is_elf(plan.path)) execve("/bin/sh", request.shell_arguments, plan.environment);
  return failed(request, "execve");
}

std::vector<cpu_set_t> mask_of(const std::vector<unsigned>& threads) {
  if (threads.empty()) return {};
  const unsigned highest = *std::max_element(threads.begin(), threads.end());
  std::vector<cpu_set_t> mask(highest / CPU_SETSIZE + 1);
  for (cpu_set_t& part : mask) CPU_ZERO(&part);
  for (const unsigned thread : threads) CPU_SET_S(thread, mask.size() * sizeof(cpu_set_t), mask.data());
  return mask;
}

/// The stack on which children run until they execute; mapped once.
class ChildStack {
 public:
  ChildStack()
      : memory_(mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {}
  ~ChildStack() {
    if (memory_ != MAP_FAILED) munmap(memory_, kStackBytes);
  }
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;
  [[nodiscard]] void* top() const {
    return memory_ == MAP_FAILED ? nullptr : static_cast<char*>(memory_) + kStackBytes;
  }

 private:
  void* memory_;
};

std::vector<char*> shell_arguments(const ChildPlan& plan) {
  std::vector<char*> arguments{const_cast<char*>("sh"), const_cast<char*>(plan.path)};
  for (char* const* argument = plan.arguments + 1; *argument; ++argument) arguments.push_back(*argument);
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace

Child spawn(const ChildPlan& plan) {
  const std::vector<cpu_set_t> mask = mask_of(plan.threads);
  const std::vector<char*> shell = shell_arguments(plan);
  Request request{&plan, mask.empty() ? nullptr : mask.data(), mask.size() * sizeof(cpu_set_t), getpid(), shell.data()};
  Child child;
  const ChildStack stack;
  if (!stack.top()) {
    child.error = errno;
    child.step = "mmap";
    return child;
  }
  child.pid = clone(child_main, stack.top(), CLONE_VM | CLONE_VFORK | SIGCHLD, &request);
  if (child.pid < 0) {
    child.error = errno;
    child.step = "clone";
    return child;
  }
  child.error = request.error;
  child.unbound = request.unbound;
  child.step = request.step;
  if (child.error != 0) {
    waitpid(child.pid, nullptr, 0);
    child.pid = -1;
  }
  return child;
}

}  // namespace starling::launch
