// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the farm sees of a user's program: values whose types it does not know. <starling/farm.hpp> makes one of three
// functions.
//
// Thread safety: said with each function.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "starling/farm/buffer.hpp"
#include "starling/farm/options.hpp"
#include "starling/farm/value.hpp"

namespace starling::farm {

/// What a task is called.
struct TaskInfo {
  std::uint64_t number;  ///< Of its piece, counted from 0 in the order of its Input.
  int input = 0;         ///< Which Input gave the piece.
};

/// Where an Input or an Output runs, and which of how many it is.
struct Place {
  int rank;
  int index;  ///< Counted from 0 in the order in which they were listed.
  int count;
};

/// Where a Calculate runs.
struct Worker {
  int rank;
  int thread;  ///< Counted from 0 in the process.
};

/// One Calculate thread's own.
class Calculator {
 public:
  virtual ~Calculator() = default;
  virtual Value calculate(Value& in) = 0;
};

class Program {
 public:
  virtual ~Program() = default;

  /// The Input thread of a process that has one, before it begins and then for each piece. False at the end.
  virtual void start_input(Place place) = 0;
  virtual bool next(Value& in) = 0;
  /// A process that has an Output: before the run, then on the Output thread. `out` is a result, or a Slice of packed
  /// bytes.
  virtual void start_output(Place place) = 0;
  virtual void take(Value& out, TaskInfo task) = 0;
  /// Where Output stands, to be noted in the journal; and back to there. The Output thread; before the run.
  virtual bool has_mark() const = 0;
  virtual std::uint64_t mark() = 0;
  virtual void resume(std::uint64_t mark) = 0;

  /// Whether a result may be pieces for a next stage instead of something for Output.
  virtual bool has_stages() const = 0;
  /// Moves those pieces out of a result (or a Slice of one); false if it is for Output. One thread of the server.
  virtual bool expand(Value& out, std::vector<Value>& pieces) const = 0;

  /// Called on each Calculate thread.
  virtual std::unique_ptr<Calculator> calculator(Worker worker) = 0;
  /// Whether an input outlives a Calculate that throws.
  virtual bool can_retry() const = 0;
  /// Any thread.
  virtual void pack_in(const Value& in, Buffer& to) const = 0;
  virtual void pack_out(const Value& out, Buffer& to) const = 0;
  virtual Value unpack_in(const Slice& bytes) const = 0;
};

/// Runs it: collective over MPI_COMM_WORLD, on the thread that may call MPI. Starts MPI if nobody did; it ends with the
/// program then. Throws what Input or Output threw, after the run was stopped; std::runtime_error for a tree file or
/// journal that cannot be used.
Summary run(const Options& options, Program& program);

}  // namespace starling::farm
