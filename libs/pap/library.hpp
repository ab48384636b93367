// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The library behind the preloaded MPI calls: which calls it takes, the channels of each communicator, the table at the
// end.
//
// Thread safety: calls on different communicators may come from different threads; the state is under one lock, the
// collectives themselves run outside it.
#pragma once

#include <mpi.h>

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "arrival/record/recorder.hpp"
#include "channel.hpp"
#include "measurements.hpp"
#include "settings.hpp"

namespace starling::pap {

class Library {
 public:
  Library();

  /// Before MPI starts: ends the process, with a sentence, where the program runs on another MPI than this library.
  static void must_fit();
  /// The level of threads to ask MPI for.
  [[nodiscard]] int threads_needed(int required) const { return settings_.on ? MPI_THREAD_MULTIPLE : required; }
  /// After MPI is up. `threads` is what MPI granted.
  void begin(int threads);
  /// After a Fortran program has started MPI, where its calls do not come here.
  void tell_fortran() const;
  /// Before MPI ends. Collective.
  void end();
  /// Before a communicator is freed. Collective over it.
  void forget(MPI_Comm comm);

  /// The channel for a call, or nullptr if it shall run plainly and unseen.
  Channel* channel(MPI_Comm comm, Operation operation, int count, MPI_Datatype type, int root, const void* site);
  Channel* channel_of_reduction(MPI_Comm comm, Operation operation, int count, MPI_Datatype type, MPI_Op op, int root,
                                const void* site);
  void progress(double fraction);

  [[nodiscard]] ExchangeThread& exchange_thread() { return exchange_thread_; }
  [[nodiscard]] arrival::Recorder& recorder() { return recorder_; }

 private:
  static constexpr std::size_t kMostKinds = 32;

  /// A communicator's channels, and what they share.
  struct CommunicatorCalls {
    explicit CommunicatorCalls(LatestLink& latest_link) : measurements(latest_link) {}
    Measurements measurements;
    std::list<Channel> channels;
  };

  void say_on_rank_0(const std::string& text) const;
  void print_table();
  [[nodiscard]] std::string own_lines() const;

  Settings settings_;
  bool running_ = false;
  double begin_s_ = 0;
  std::uint64_t begin_cycles_ = 0;
  std::mutex lock_;
  ExchangeThread exchange_thread_;
  arrival::Recorder recorder_;
  LatestLink latest_link_;
  std::map<MPI_Comm, CommunicatorCalls> communicators_;
  std::list<Channel> closed_;  // of communicators that are gone, for the table
};

Library& library();

}  // namespace starling::pap
