// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Query: what somebody who looks at a running job asks of all its nodes, and what they answer. `starling why` and its
// like ask mpiexec's worker, which asks the agent of each node; a job on one node is looked at directly (ask.hpp).
//
// A query has a kind, and each kind has a responder on the node (responder.hpp), which knows what the text of the query
// and the bytes of the answer mean.
//
// Thread safety: values. What is parsed may come from anybody: a damaged message is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace starling::launch {

/// What is asked. The number crosses hosts.
enum class QueryKind : std::uint8_t {
  kSnapshot,   ///< what the ranks do (observe/model/snapshot_form.hpp); with patience, once all that wait were quiet
  kPositions,  ///< where ranks are in their programs
  kStacks,     ///< the stacks of ranks (stacks.hpp)
  kEvidence,   ///< what the ranks do and use, watched for as long as there is patience
  kKinds
};

struct Query {
  QueryKind kind = QueryKind::kSnapshot;
  std::string text;                 ///< what the responder has to know besides
  std::vector<std::int32_t> ranks;  ///< the world ranks that it is about; only their nodes are asked. Empty: all
  std::int64_t patience_ns = 0;     ///< how long a node may work on its answer

  /// Of a query on its way: what a node and the way there may take beyond the patience.
  static constexpr std::int64_t kWayNs = 2'000'000'000;

  [[nodiscard]] std::string serialised() const;
  [[nodiscard]] static Result<Query> parse(std::string_view bytes);
};

/// What a node says: either a problem, or bytes that its kind explains.
struct NodeReply {
  std::string
      problem;  ///< the rest of a sentence that begins with the host, as "does not answer"; empty: there is none
  std::string bytes;

  /// A longer answer is a problem: it would hold up the news of the job.
  static constexpr std::size_t kLongest = 4 * 1024 * 1024;

  [[nodiscard]] std::string serialised() const;
  [[nodiscard]] static Result<NodeReply> parse(std::string_view bytes);
};

struct NodeAnswer {
  std::string host;                 ///< as the job calls it; empty: the whole job is on one node
  std::vector<std::int32_t> ranks;  ///< the world ranks of this node
  NodeReply reply;
};

/// What the nodes that were asked answer.
struct Answers {
  std::int32_t ranks = 0;  ///< of the job
  std::vector<NodeAnswer> nodes;

  [[nodiscard]] std::string serialised() const;
  [[nodiscard]] static Result<Answers> parse(std::string_view bytes);
};

}  // namespace starling::launch
