// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The last words of a crashing rank: handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT that write signal,
// address, stack and the text of an uncaught exception into the rank's CrashRecord, wait a moment for the launcher to
// read the process, and then let the signal take its default course (core dump included). A singleton prints the report
// itself.
//
// Thread safety: install and remove from the thread that initialises and finalises MPI. The handlers run on any thread
// and use async-signal-safe calls only; of several threads that crash at once the first one reports.
// Invariants: at most one CrashHandlers of a process is active, because signal dispositions belong to the process; that
// is the one mutable global of the engine. A signal that the program handles or ignores itself is left alone, and so is
// a process forked from the rank.
#pragma once

#include "bootstrap/job.hpp"

namespace starling::bootstrap {

class CrashHandlers {
 public:
  /// Installs the handlers; does nothing where another instance is active. The job must outlive the object.
  explicit CrashHandlers(const Job& job);
  ~CrashHandlers();
  CrashHandlers(const CrashHandlers&) = delete;
  CrashHandlers& operator=(const CrashHandlers&) = delete;

 private:
  void* alternate_stack_ = nullptr;
  bool active_ = false;
};

}  // namespace starling::bootstrap
