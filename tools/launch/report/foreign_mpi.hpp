// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether a program runs on another MPI's library. Started by our launcher, each of its ranks is then rank 0
// of 1, because that library does not know us. Thread safety: none for the class; the functions read files. Source: the
// System V ABI, chapter 5 (dynamic section).
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "launch/options/job_spec.hpp"

namespace starling::launch {

/// Whether a job of which no rank has called our MPI runs on another one. Most such programs do not notice.
class ForeignMpi {
 public:
  /// Looks at the libraries of a running rank. Only the first looks do: they are for interpreters, which load their MPI
  /// when they come to that.
  void look_at(pid_t process);
  /// What the user should know at the end of the job; empty: nothing.
  [[nodiscard]] std::string note(const JobSpec& spec, std::span<const std::string> programs, const std::string& shown);

 private:
  std::string library_;
  int looks_ = 0;
};

/// The MPI library that an executable asks its loader for ("libmpi.so.40"); empty: none but ours, or not to be seen.
[[nodiscard]] std::string foreign_mpi_needed_by(const std::string& program);

/// The same of a running process, which may have loaded it later, as an interpreter does.
[[nodiscard]] std::string foreign_mpi_loaded_by(pid_t process);

}  // namespace starling::launch
