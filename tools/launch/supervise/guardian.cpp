// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/supervise/guardian.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "launch/events/descendants.hpp"
#include "launch/events/signal_source.hpp"
#include "launch/start/limits.hpp"
#include "launch/supervise/terminal_input.hpp"

namespace starling::launch {
namespace {

constexpr int kPassed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

/// What we were started to ignore, as under nohup, we ignore. (A blocked signal would reach us all the same.)
bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t taken_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kPassed) {
    if (!is_ignored(signal)) sigaddset(&signals, signal);
  }
  sigaddset(&signals, SIGCHLD);
  return signals;
}

/// Blocks what the guardian takes, and what would stop or end a launcher that writes or reads.
Inherited block_signals() {
  // With SIGCHLD ignored the kernel would drop the exit status of every rank.
  std::signal(SIGCHLD, SIG_DFL);
  Inherited inherited;
  sigset_t blocked = taken_signals();
  for (const int signal : {SIGPIPE, SIGTTIN, SIGTTOU}) sigaddset(&blocked, signal);
  sigprocmask(SIG_BLOCK, &blocked, &inherited.signals);
  getrlimit(RLIMIT_NOFILE, &inherited.files);
  return inherited;
}

int outcome(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::fprintf(stderr, "starling: the launcher's worker process was killed by signal %d (%s); all ranks are killed\n",
               WTERMSIG(status), strsignal(WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

/// Counts how often somebody has asked the job to end.
///
/// One wish may arrive as several signals: `timeout` and shells signal a process and its group, and who gets Ctrl-C
/// from the terminal may pass it on as well. So within a second only a terminal, which speaks once for each key, asks
/// twice.
class RequestsToEnd {
 public:
  /// Whether the signal is for the ranks; twice() tells whether it is the second request.
  bool take(const SignalEvent& event, std::int64_t now_ns) {
    if (event.signal != SIGINT && event.signal != SIGTERM && event.signal != SIGQUIT) return true;
    const bool typed_again = event.from_kernel && typed_;
    typed_ = typed_ || event.from_kernel;
    if (first_signal_ != 0 && !typed_again && now_ns - first_ns_ < kOneWishNs) return event.signal != first_signal_;
    if (first_signal_ != 0) twice_ = true;
    if (first_signal_ == 0) first_ns_ = now_ns;
    first_signal_ = event.signal;
    return true;
  }
  [[nodiscard]] bool twice() const noexcept { return twice_; }

 private:
  static constexpr std::int64_t kOneWishNs = 1'000'000'000;
  int first_signal_ = 0;
  std::int64_t first_ns_ = 0;
  bool typed_ = false;
  bool twice_ = false;
};

class Guardian {
 public:
  Guardian(pid_t worker, Descriptor channel, Descriptor typed)
      : worker_(worker),
        channel_(std::move(channel)),
        typed_(loop_, std::move(typed)),
        signals_(loop_, [this](const SignalEvent& event) { take(event); }) {}

  /// Serves signals until the worker has ended; returns the exit status.
  int run() {
    signals_.start(taken_signals());
    if (!loop_.run()) {
      std::fprintf(stderr, "starling: the launcher cannot wait for anything (%s); the job is killed\n",
                   std::strerror(errno));
      kill(worker_, SIGKILL);
    }
    return exit_code_;
  }

 private:
  void take(const SignalEvent& event) {
    const int signal = event.signal;
    if (signal == SIGCHLD) return reap();
    if (!requests_to_end_.take(event, now_ns())) return;
    if (requests_to_end_.twice()) return kill_all(signal);
    const PassedSignal message{signal, event.from_kernel};
    [[maybe_unused]] const ssize_t sent = send(channel_.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (signal == SIGTSTP) raise(SIGSTOP);
    if (signal == SIGCONT) typed_.resume();
  }

  void reap() {
    int status = 0;
    pid_t process = 0;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
      if (process == worker_) end(outcome(status));
    }
  }

  void kill_all(int signal) {
    std::fprintf(stderr, "starling: asked twice to end; all ranks are killed\n");
    kill(worker_, SIGKILL);
    kill_descendants();
    end(128 + signal);
  }

  void end(int exit_code) {
    exit_code_ = exit_code;
    loop_.stop();
  }

  pid_t worker_;
  Descriptor channel_;
  EventLoop loop_;
  TerminalInput typed_;
  SignalSource signals_;
  RequestsToEnd requests_to_end_;
  int exit_code_ = EXIT_FAILURE;
};

int complain(const char* what) {
  std::fprintf(stderr, "starling: the launcher gets no %s: %s\n", what, explain_error(errno).c_str());
  return EXIT_FAILURE;
}

/// In the worker's process; does not return.
[[noreturn]] void be_worker(const Work& work, GuardianChannel channel, const Inherited& inherited) {
  setpgid(0, 0);
  prctl(PR_SET_NAME, "starling-job");
  become_reaper();
  _exit(work(channel, inherited));
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

void GuardianChannel::serve(EventLoop& loop, std::function<void(const PassedSignal&)> pass_on) const {
  loop.on_readable(socket_.get(), [this, pass_on = std::move(pass_on)] {
    const std::optional<PassedSignal> passed = receive();
    if (!passed) {
      kill_descendants();
      _exit(128 + SIGKILL);
    }
    pass_on(*passed);
  });
}

int run_guarded(Typing typing, const Work& work, std::initializer_list<Descriptor*> works_own) {
  const Inherited inherited = block_signals();
  become_reaper();
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return complain("socket pair");
  Descriptor ours(sockets[0]);
  Descriptor theirs(sockets[1]);
  int typed[2] = {-1, -1};
  if (typing == Typing::kForward && isatty(STDIN_FILENO) && pipe2(typed, O_CLOEXEC) != 0) return complain("pipe");
  Descriptor typed_out(typed[0]);
  Descriptor typed_in(typed[1]);

  const pid_t group = getpgrp();
  const pid_t worker = fork();
  if (worker < 0) return complain("process");
  if (worker == 0) {
    ours.reset();
    typed_in.reset();
    be_worker(work, GuardianChannel(std::move(theirs), std::move(typed_out), group), inherited);
  }
  theirs.reset();
  typed_out.reset();
  for (Descriptor* descriptor : works_own) descriptor->reset();
  const int status = Guardian(worker, std::move(ours), std::move(typed_in)).run();
  kill_descendants();
  return status;
}

}  // namespace starling::launch
