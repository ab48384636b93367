// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the cases of virtual ranks share: a session, and the way from a rank's function to the job of its process.
//
// **Thread safety**: one for each process of the job, used by its thread.
#pragma once

#include <starling/array/core.hpp>
#include <starling/array/virtual_ranks.hpp>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests {

/// Of the process where the rank is now; to be asked anew after it has moved.
Job& job_here();
/// Whether processes have the same addresses: they do as threads, and where main has seen to it.
bool addresses_are_same();

class VirtualJob {
 public:
  explicit VirtualJob(Job& world);
  ~VirtualJob();
  VirtualJob(const VirtualJob&) = delete;
  VirtualJob& operator=(const VirtualJob&) = delete;

  /// Fails where ranks could move, and cannot.
  void expect_moves(const array::VirtualRanks& ranks);
  /// The text of the error by which a run ends; empty where it ends well.
  std::string error_of(array::VirtualRanks& ranks);

  array::Session session;

 private:
  Job& world_;
};

}  // namespace starling::tests
