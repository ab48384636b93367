// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HeadQueries: how mpiexec's worker asks the agents of a job about their ranks, for commands that look at the job and
// for itself.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/head/node.hpp"
#include "launch/link/branches.hpp"
#include "launch/query/queries.hpp"
#include "launch/query/query_server.hpp"

namespace starling::launch {

class HeadQueries {
 public:
  HeadQueries(EventLoop& loop, const std::vector<HeadNode>& nodes, Branches& branches);

  /// Lets commands ask from now on.
  void start();
  void ask(Query query, Queries::Done done) { queries_.ask(std::move(query), std::move(done)); }

  /// What an agent has answered.
  void take(std::int32_t node, const std::string& body);
  void on_lost(std::int32_t node) { queries_.on_lost(node); }

 private:
  [[nodiscard]] std::vector<QueriedNode> queried_nodes() const;

  const std::vector<HeadNode>& nodes_;
  Queries queries_;
  QueryServer server_;
};

}  // namespace starling::launch
