// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/queries.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"

namespace starling::launch {
namespace {

bool has_one_of(const std::vector<std::int32_t>& ranks, const std::vector<std::int32_t>& wanted) {
  return wanted.empty() ||
         std::ranges::any_of(ranks, [&](std::int32_t rank) { return std::ranges::find(wanted, rank) != wanted.end(); });
}

}  // namespace

void Queries::ask(Query query, Done done) {
  const std::uint64_t number = next_++;
  const bool too_many = pending_.size() >= kMost;
  Pending& pending = pending_[number];
  pending.number = number;
  pending.done = std::move(done);
  std::vector<std::int32_t> asked;
  for (QueriedNode& node : way_.nodes()) {
    pending.answers.ranks += static_cast<std::int32_t>(node.ranks.size());
    if (!has_one_of(node.ranks, query.ranks)) continue;
    if (too_many) node.problem = "is not asked, for mpiexec has too many questions under way";
    const bool can_be_asked = node.problem.empty();
    pending.missing.push_back(can_be_asked ? node.number : -1);
    pending.answers.nodes.push_back({std::move(node.host), std::move(node.ranks), {std::move(node.problem), {}}});
    if (can_be_asked) asked.push_back(node.number);
  }
  pending.left = asked.size();
  pending.timer =
      loop_.after(asked.empty() ? 0 : query.patience_ns + Query::kWayNs, [this, number] { finish(number); });
  for (const std::int32_t node : asked) way_.send(node, number, query);
}

void Queries::on_reply(std::int32_t node, std::uint64_t number, NodeReply reply) {
  const auto found = pending_.find(number);
  if (found == pending_.end()) return;  // too late
  if (reply.bytes.size() > NodeReply::kLongest) {
    reply = {formatted("has an answer of more than {} MiB", NodeReply::kLongest >> 20), {}};
  }
  answer(found->second, node, std::move(reply));
}

void Queries::on_lost(std::int32_t node) {
  for (auto& [number, pending] : pending_) answer(pending, node, {"is lost", {}});
}

void Queries::answer(Pending& pending, std::int32_t node, NodeReply reply) {
  const auto place = std::ranges::find(pending.missing, node);
  if (node < 0 || place == pending.missing.end()) return;
  *place = -1;
  pending.answers.nodes[static_cast<std::size_t>(place - pending.missing.begin())].reply = std::move(reply);
  if (--pending.left > 0) return;
  // Not from here: the answer may come while ask() is still sending.
  const std::uint64_t number = pending.number;
  loop_.cancel(pending.timer);
  pending.timer = loop_.after(0, [this, number] { finish(number); });
}

void Queries::finish(std::uint64_t number) {
  const auto found = pending_.find(number);
  if (found == pending_.end()) return;
  Pending pending = std::move(found->second);
  pending_.erase(found);
  for (std::size_t i = 0; i < pending.missing.size(); ++i) {
    if (pending.missing[i] >= 0) pending.answers.nodes[i].reply.problem = "does not answer";
  }
  pending.done(std::move(pending.answers));
}

}  // namespace starling::launch
