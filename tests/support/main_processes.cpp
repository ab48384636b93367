// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The binary whose ranks are processes: started by mpiexec, or alone as a singleton.
#include "support/mpi_cases.hpp"
#include "support/rank_threads.hpp"

namespace starling::tests {

std::function<void(const std::function<void()>&)> rank_adopter(RanksAre) {
  return [](const std::function<void()>& body) { body(); };
}

}  // namespace starling::tests

int main(int argc, char** argv) {
  const starling::tests::Options options = starling::tests::read_options(argc, argv);
  if (options.list) return starling::tests::list_cases();
  return starling::tests::run_rank(options, starling::tests::RanksAre::kProcesses);
}
