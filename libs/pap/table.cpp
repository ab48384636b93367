// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <mpi.h>

#include <cstdio>
#include <vector>

#include "arrival/record/table.hpp"
#include "mpi/gather.hpp"

namespace starling::pap {

void print_from_all(const std::string& lines) {
  std::vector<std::string> of_all;
  any_mpi::gather_texts<any_mpi::PmpiCalls>(MPI_COMM_WORLD, 0, lines, of_all);
  std::string table;
  for (const std::string& each : of_all) table += each;
  if (table.empty()) return;
  std::fprintf(stderr, "pap: %s%s", arrival::table_head().c_str(), table.c_str());
}

}  // namespace starling::pap
