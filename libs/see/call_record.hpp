// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallRecord: what a call of a traced job tells the recorder; of another job it does nothing.
//
// **Thread safety**: one thread.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "api/functions.hpp"
#include "observed.hpp"
#include "recorder.hpp"

namespace starling::see {

class CallRecord {
 public:
  /// site: where the program goes on after the call.
  void begin(Recorder& recorder, mpi::Function function, const void* site);
  void end();
  [[nodiscard]] bool exists() const noexcept { return call_.has_value(); }

  void waits(const observe::Wait& wait);
  void begins_collective(std::uint32_t context, std::uint32_t sequence, const BegunCollective& collective) noexcept;
  void frees(const Communicator* communicator) {
    if (call_) recorder_->forget(communicator);
  }

  // Messages that the call sends, and receives that it begins, goes on with after its end, or gives up.
  void sends(const Operation& operation);
  void expects(const Operation& operation, const Communicator* communicator);
  void keeps(MPI_Request request);
  void gives_up(MPI_Request request);

  // A probe has matched a message, which a receive takes.
  void matches(const Operation& operation, const Communicator& communicator, MPI_Message message);
  void takes(const MPI_Message* message);

  /// The receive that the call has begun has ended with it.
  void received(int code);
  /// Which requests may be complete after the call.
  void watches(int count, const MPI_Request* requests);
  /// Which are: so many, those of these indices; null: the first.
  void completed(int found, const int* which);

  // Where the call shall write: the program's own statuses, or some of ours where it wants none and the recorder does.
  [[nodiscard]] MPI_Status* status(MPI_Status* wanted);
  [[nodiscard]] MPI_Status* statuses(MPI_Status* wanted);

 private:
  /// The receive is complete. status: null: the program wants none.
  void complete(const BegunReceive& receive, const MPI_Status* status);

  Recorder* recorder_ = nullptr;
  std::optional<RecordedCall> call_;
  MPI_Status* statuses_ = MPI_STATUS_IGNORE;
  MPI_Status status_;  ///< ours
};

}  // namespace starling::see
