// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/guardian.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launch/descendants.hpp"

namespace starling::launch {
namespace {

using bootstrap::Descriptor;

constexpr int kPassed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
constexpr int kPatienceMs = 10'000;

sigset_t waited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kPassed) sigaddset(&signals, signal);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

/// Blocks what the guardian waits for, and what would stop or end a launcher that writes or reads.
Inherited block_signals() {
  Inherited inherited;
  sigset_t blocked = waited_signals();
  for (const int signal : {SIGPIPE, SIGTTIN, SIGTTOU}) sigaddset(&blocked, signal);
  sigprocmask(SIG_BLOCK, &blocked, &inherited.signals);
  getrlimit(RLIMIT_NOFILE, &inherited.files);
  return inherited;
}

/// Whether one more of these means that the user's patience is over.
bool is_urgent(int signal, int* requests) {
  if (signal == SIGINT || signal == SIGTERM || signal == SIGQUIT) ++*requests;
  return *requests >= 2;
}

int killed_by_user(pid_t worker, int signal) {
  std::fprintf(stderr, "starling: asked twice to end; all ranks are killed\n");
  kill(worker, SIGKILL);
  kill_descendants(kPatienceMs);
  return 128 + signal;
}

int outcome(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::fprintf(stderr, "starling: the launcher's worker process was killed by signal %d (%s); all ranks are killed\n",
               WTERMSIG(status), strsignal(WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

void pass_on(int channel, const siginfo_t& info) {
  const PassedSignal message{info.si_signo, info.si_code == SI_KERNEL};
  [[maybe_unused]] const ssize_t sent = send(channel, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Serves signals until the worker has ended; returns the exit status.
int guard(pid_t worker, int channel) {
  const sigset_t signals = waited_signals();
  int requests = 0;
  for (;;) {
    siginfo_t info{};
    if (sigwaitinfo(&signals, &info) < 0) continue;
    if (info.si_signo == SIGCHLD) {
      int status = 0;
      pid_t pid = 0;
      while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == worker) return outcome(status);
      }
      continue;
    }
    if (is_urgent(info.si_signo, &requests)) return killed_by_user(worker, info.si_signo);
    pass_on(channel, info);
    if (info.si_signo == SIGTSTP) raise(SIGSTOP);
  }
}

}  // namespace

std::optional<PassedSignal> GuardianChannel::receive() const {
  PassedSignal message;
  ssize_t count = 0;
  do {
    count = recv(socket_.get(), &message, sizeof message, 0);
  } while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(sizeof message)) return std::nullopt;
  return message;
}

int run_guarded(const std::function<int(GuardianChannel&, const Inherited&)>& work) {
  const Inherited inherited = block_signals();
  become_reaper();
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
    std::fprintf(stderr, "starling: no socket pair for the launcher: %s\n", std::strerror(errno));
    return EXIT_FAILURE;
  }
  Descriptor ours(sockets[0]);
  Descriptor theirs(sockets[1]);
  const pid_t worker = fork();
  if (worker < 0) {
    std::fprintf(stderr, "starling: no process for the launcher: %s\n", std::strerror(errno));
    return EXIT_FAILURE;
  }
  if (worker == 0) {
    ours.reset();
    // A name of its own, so that killing "mpiexec" by name leaves one of the two to clean up.
    prctl(PR_SET_NAME, "starling-job");
    become_reaper();
    GuardianChannel channel(std::move(theirs));
    _exit(work(channel, inherited));
  }
  theirs.reset();
  const int status = guard(worker, ours.get());
  kill_descendants(kPatienceMs);
  return status;
}

}  // namespace starling::launch
