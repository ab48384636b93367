// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// All that belongs to one kind of call on one communicator: what is predicted, which way the next call goes, and what
// was seen.
//
// A kind is what MPI makes all ranks agree on: the operation, the bytes, the root. So all ranks find the same channel
// in the same order without talking, and all decide alike, for all feed their decision the same exchanged numbers. A
// decision holds for a number of calls (arrival::Choice), after which all exchange what they saw of them.
//
// Thread safety: one call at a time.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "arrival/drive/call_driver.hpp"
#include "arrival/drive/own_calls.hpp"
#include "arrival/predict/cost.hpp"
#include "arrival/record/lateness.hpp"
#include "exchange.hpp"
#include "measurements.hpp"
#include "mpi/owned_communicator.hpp"
#include "operation.hpp"
#include "reduce_run.hpp"

namespace starling::pap {

using PrivateCommunicator = any_mpi::BasicOwnedCommunicator<any_mpi::PmpiCalls>;

struct CallKind {
  Operation operation;
  std::int64_t bytes;
  int root;

  friend bool operator==(const CallKind&, const CallKind&) = default;
};

class Channel {
 public:
  /// Collective over `comm`, of which these are the measurements.
  Channel(MPI_Comm comm, const CallKind& kind, const void* site, Measurements& measurements);
  ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// At the entry of a call: which way it goes. After an exchange takes in what was said and decides anew. Collective.
  arrival::Choice::Way enter(ExchangeThread& exchange_thread);
  /// A call that went around late ranks ended by an error here: all further ones run plainly, on all ranks, as messages
  /// of that call may be left on the channel's communicator. Before leave().
  void note_failure();
  /// At its end: starts an exchange if the decision holds no longer.
  void leave(ExchangeThread& exchange_thread);
  /// Before the first call: all of them shall run plainly.
  void only_watch() noexcept;
  /// Before the first call, collective: all of them shall go around whoever is expected late, also where it does not
  /// pay.
  void always_go_around();
  void progress(double fraction);
  /// Collective: starts to tell of the calls that nobody has heard of yet.
  void begin_finish(ExchangeThread& exchange_thread);
  /// Collective, after begin_finish: nothing is under way afterwards.
  void finish(ExchangeThread& exchange_thread);
  /// Collective, after finish.
  void free() { comm_.reset(); }

  [[nodiscard]] const CallKind& kind() const noexcept { return kind_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_.get(); }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] Workspace& workspace() noexcept { return workspace_; }
  [[nodiscard]] const arrival::Slicing& slicing() const noexcept { return slicing_; }
  /// When each rank is expected, in nanoseconds from the first.
  [[nodiscard]] std::span<const arrival::Ticks> arrivals() const noexcept { return arrivals_; }
  /// For the table.
  [[nodiscard]] arrival::CallSummary summary() const;
  [[nodiscard]] const void* site() const noexcept { return site_; }

 private:
  void take_in(const ExchangedTimes& times);
  void learn(const ExchangedTimes& times, std::size_t call);
  void decide();
  void measure_messages();
  arrival::Choice::Answer choose();
  /// What a message as long as the vector takes, as far as that is known.
  [[nodiscard]] double transfer_s() const;
  void tell(ExchangeThread& exchange_thread, double wait_s);
  [[nodiscard]] double shared_clock_s() const { return clock_s() + clock_offset_s_; }

  Measurements& measurements_;
  PrivateCommunicator comm_;
  CallKind kind_;
  const void* site_;
  int rank_ = 0;
  int size_ = 0;
  double clock_offset_s_ = 0;  ///< from this process's clock to that of rank 0
  double vector_s_ = 0;        ///< once it was measured
  arrival::Slicing slicing_;
  std::mutex own_lock_;  // the exchange thread asks while the program tells
  arrival::OwnCalls own_;
  arrival::CallDriver driver_;
  arrival::Choice::Answer answer_;  ///< for all calls since the last exchange
  std::vector<arrival::Ticks> arrivals_;
  Workspace workspace_;
  std::vector<Stay> untold_;  ///< calls since the last exchange
  bool only_watched_ = false;
  bool always_around_ = false;
  bool has_progress_ = false;  ///< on this rank
  bool has_failed_ = false;    ///< on this rank
  bool is_live_ = false;       ///< on some rank, as all know
  bool is_predicted_ = false;  ///< arrivals_ is of the first call since the last exchange
  Exchange exchange_;
  std::uint64_t calls_ = 0;
  std::uint64_t scheduled_calls_ = 0;
  std::vector<arrival::Lateness> lateness_;  ///< of each rank
};

}  // namespace starling::pap
