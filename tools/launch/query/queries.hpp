// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Queries: the queries of a job that mpiexec's worker has under way. Each goes to the nodes of its ranks, and their
// answers are put together. A node that does not answer in time, or is lost, has a problem in place of an answer.
//
// Who asks may be a command, through the socket of query_server.hpp, or mpiexec itself.
// Thread safety: none, for the event loop's thread. Invariants: each query that was asked gets its answers once, and
// not before ask() has returned.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "launch/events/event_loop.hpp"
#include "launch/query/query.hpp"

namespace starling::launch {

/// A node of the job, for those who ask it.
struct QueriedNode {
  std::int32_t number = 0;
  std::string host;
  std::vector<std::int32_t> ranks;
  std::string problem;  ///< why it cannot be asked now, as NodeReply has it; empty: it can
};

class Queries {
 public:
  /// More at once are answered with a problem.
  static constexpr std::size_t kMost = 64;

  struct Way {
    std::function<std::vector<QueriedNode>()> nodes;  ///< those that have ranks
    /// Brings a query to a node, which answers by on_reply with the same number.
    std::function<void(std::int32_t node, std::uint64_t number, const Query& query)> send;
  };
  using Done = std::function<void(Answers)>;

  Queries(EventLoop& loop, Way way) : loop_(loop), way_(std::move(way)) {}

  void ask(Query query, Done done);
  void on_reply(std::int32_t node, std::uint64_t number, NodeReply reply);
  void on_lost(std::int32_t node);

 private:
  struct Pending {
    std::uint64_t number = 0;
    Answers answers;
    std::vector<std::int32_t> missing;  ///< for each answer its node, -1: it is there
    std::size_t left = 0;
    EventLoop::TimerId timer = 0;
    Done done;
  };
  void answer(Pending& pending, std::int32_t node, NodeReply reply);
  /// Hands over the answers that are there.
  void finish(std::uint64_t number);

  EventLoop& loop_;
  Way way_;
  std::map<std::uint64_t, Pending> pending_;
  std::uint64_t next_ = 1;
};

}  // namespace starling::launch
