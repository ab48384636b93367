// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The binary of the cases of virtual ranks whose processes are processes: at the same addresses, unless
// RANDOM_ADDRESSES is set.
#include <cstdlib>
#include <starling/array/virtual_ranks.hpp>

#include "support/mpi_cases.hpp"
#include "support/rank_threads.hpp"

namespace starling::tests {

std::function<void(const std::function<void()>&)> rank_adopter(RanksAre) {
  return [](const std::function<void()>& body) { body(); };
}

}  // namespace starling::tests

int main(int argc, char** argv) {
  if (std::getenv("RANDOM_ADDRESSES") == nullptr) starling::array::same_addresses(argv);
  const starling::tests::Options options = starling::tests::read_options(argc, argv);
  if (options.list) return starling::tests::list_cases();
  return starling::tests::run_rank(options, starling::tests::RanksAre::kProcesses);
}
