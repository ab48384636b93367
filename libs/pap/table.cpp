// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <mpi.h>

#include <cstdio>
#include <vector>

#include "arrival/record/table.hpp"

namespace starling::pap {

void print_from_all(const std::string& lines) {
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const int length = static_cast<int>(lines.size());
  std::vector<int> lengths(static_cast<std::size_t>(size));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> starts(lengths.size());
  int total = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    starts[i] = total;
    total += lengths[i];
  }
  std::string all(static_cast<std::size_t>(total), ' ');
  PMPI_Gatherv(lines.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0 || all.empty()) return;
  std::fprintf(stderr, "pap: %s%s", arrival::table_head().c_str(), all.c_str());
}

}  // namespace starling::pap
