// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/one_node.hpp"

#include "base/format.hpp"

namespace starling::comm {

Status check_shared_domain(const Communicator& comm, std::string_view what, ErrorClass error_class) {
  if (comm.shared_domain() != nullptr) return {};
  return Status::error(error_class,
                       formatted("the ranks of the communicator are on several nodes, and {} yet; use the communicator "
                                 "of one node, which MPI_Comm_split_type with MPI_COMM_TYPE_SHARED makes",
                                 what));
}

}  // namespace starling::comm
