// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/operation/worker.hpp"

#include <pthread.h>
#include <signal.h>

#include <system_error>

#include "memory/doorbell.hpp"

namespace starling::io {
namespace {

/// While it lives, threads that are started leave the program's signals to the program's own threads. Those that tell
/// of a fault stay with the thread that made it.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Worker::~Worker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

bool Worker::start() {
  if (thread_.joinable()) return true;
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {  // the limit of threads is reached
    return false;
  }
  return true;
}

void Worker::post(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (start()) {
      jobs_.push_back(&job);
      posted_.notify_one();
      return;
    }
  }
  finish(job);
}

void Worker::finish(Job& job) {
  job.execute();
  // From here on the job may be gone.
  job.mark_done();
  memory::ring(segment_.rank(rank_).doorbell, segment_.header().sender_fences != 0);
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    posted_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job& job = *jobs_.front();
    jobs_.pop_front();
    lock.unlock();
    finish(job);
    lock.lock();
  }
}

}  // namespace starling::io
