// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/death_watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace starling::bootstrap {
namespace {

Descriptor open_process(std::int32_t process) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

}  // namespace

std::unique_ptr<DeathWatch> DeathWatch::start(memory::JobSegment& segment, LocalRank own, OnDeath on_death) {
  Descriptor stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (segment.ranks() < 2 || !stop.valid() || !open_process(getpid()).valid()) return nullptr;
  return std::unique_ptr<DeathWatch>(new DeathWatch(segment, own, std::move(on_death), std::move(stop)));
}

DeathWatch::DeathWatch(memory::JobSegment& segment, LocalRank own, OnDeath on_death, Descriptor stop)
    : segment_(segment), on_death_(std::move(on_death)), stop_(std::move(stop)) {
  // Signals are for the program's own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, own] { run(own); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "starling-deaths");
}

DeathWatch::~DeathWatch() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_.get(), &one, sizeof one);
  thread_.join();
}

void DeathWatch::run(LocalRank own) {
  const auto ranks = static_cast<std::size_t>(segment_.ranks());
  for (std::size_t step = 1; step < ranks; ++step) {
    const LocalRank watched((own.index() + step) % ranks);
    memory::RankBlock& block = segment_.rank(watched);
    if (!wait_for_end(block.pid.load(std::memory_order_acquire))) return;
    // Acquire: the rank has written it before it ended.
    if (block.state.load(std::memory_order_acquire) != memory::RankState::kFinalized) return on_death_(watched);
  }
}

bool DeathWatch::wait_for_end(std::int32_t process) const {
  const Descriptor watched = open_process(process);
  if (!watched.valid()) return errno == ESRCH;  // it has ended already
  pollfd ends[] = {{watched.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
  while (poll(ends, 2, -1) < 0) {
    if (errno != EINTR) return false;
  }
  return ends[1].revents == 0;
}

}  // namespace starling::bootstrap
