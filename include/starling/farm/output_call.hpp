// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which Output is being called on this thread: what a LineFile must know before it cuts a file off.
//
// Thread safety: each thread has its own.
#pragma once

#include <utility>

namespace starling::farm::detail {

enum class OutputCall {
  kNone,              ///< No Output, or one whose run has no journal.
  kNoted,             ///< A journal notes its marks.
  kNotedWithoutMark,  ///< A journal notes its results, and it has no mark.
  kResumed,           ///< As kNoted; and an earlier run has written.
};

inline OutputCall& output_call() {
  thread_local OutputCall call = OutputCall::kNone;
  return call;
}

/// While it lives.
class InOutputCall {
 public:
  explicit InOutputCall(OutputCall call) : before_(std::exchange(output_call(), call)) {}
  ~InOutputCall() { output_call() = before_; }
  InOutputCall(const InOutputCall&) = delete;
  InOutputCall& operator=(const InOutputCall&) = delete;

 private:
  const OutputCall before_;
};

}  // namespace starling::farm::detail
