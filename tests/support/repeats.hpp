// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How often a case repeats what it tests.
#pragma once

#include "support/cases.hpp"
#include "support/sanitized.hpp"

namespace starling::tests {

/// `many` on one node with up to four ranks. `few` where each round takes many times as long: under a sanitizer, with
/// more ranks, or over a network. The same on every rank of the job.
[[nodiscard]] inline int repeats(const Job& job, int many, int few) {
  return kUnderSanitizer || job.size > 4 || !job.nodes.empty() ? few : many;
}

}  // namespace starling::tests
