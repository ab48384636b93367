// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/snapshot_answers.hpp"

#include <utility>

#include "base/format.hpp"
#include "observe/model/snapshot_form.hpp"
#include "observe/model/words.hpp"

namespace starling::launch {

Query snapshot_query(std::int64_t patience_ns) { return {QueryKind::kSnapshot, {}, {}, patience_ns}; }

observe::Snapshot snapshot_of(const Answers& answers) {
  const auto ranks = static_cast<std::size_t>(answers.ranks);
  std::vector<observe::Snapshot> parts;
  for (const NodeAnswer& node : answers.nodes) {
    if (!node.reply.problem.empty()) continue;
    Result<observe::Snapshot> part = observe::parse_snapshot(node.reply.bytes, ranks);
    if (part.ok()) parts.push_back(std::move(part).value());
  }
  observe::Snapshot whole = observe::merged(ranks, parts);
  if (answers.nodes.size() > 1) whole.one_node = false;
  return whole;
}

std::vector<std::string> problems_of(const Answers& answers) {
  std::vector<std::string> problems;
  for (const NodeAnswer& node : answers.nodes) {
    if (node.reply.problem.empty()) continue;
    const std::string subject = node.host.empty() ? "the job" : formatted("host {}", node.host);
    problems.push_back(
        formatted("{} {}: nothing is known of {}", subject, node.reply.problem, observe::rank_names(node.ranks)));
  }
  return problems;
}

}  // namespace starling::launch
