// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Parts of different lengths, one of each process: where each begins, and texts brought together.
//
// **Thread safety**: as the MPI calls inside. **Source**: MPI-5.0, 6.5 and 6.7.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "calls.hpp"
#include "communicator.hpp"

namespace starling::any_mpi {

/// Where parts of these lengths begin that lie one behind the other, and behind the last one where they end.
inline std::vector<int> starts_of(const std::vector<int>& lengths) {
  std::vector<int> starts(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), starts.begin() + 1);
  return starts;
}

/// Sets `all` to the text of each process at the root; elsewhere to nothing. Collective. Gives back the code of MPI;
/// after an error `all` is as before.
template <class Calls = MpiCalls>
int gather_texts(MPI_Comm comm, int root, std::string_view mine, std::vector<std::string>& all) {
  const auto length = static_cast<int>(mine.size());
  std::vector<int> lengths(root == rank_of(comm) ? static_cast<std::size_t>(size_of(comm)) : 0);
  int code = Calls::gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, root, comm);
  if (code != MPI_SUCCESS) return code;
  const std::vector<int> starts = starts_of(lengths);
  std::string joined(static_cast<std::size_t>(starts.back()), '\0');
  code =
      Calls::gatherv(mine.data(), length, MPI_CHAR, joined.data(), lengths.data(), starts.data(), MPI_CHAR, root, comm);
  if (code != MPI_SUCCESS) return code;
  all.clear();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    all.push_back(joined.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])));
  }
  return code;
}

}  // namespace starling::any_mpi
