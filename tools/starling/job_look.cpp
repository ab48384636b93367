// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "job_look.hpp"

#include <utility>

#include "base/format.hpp"
#include "launch/query/ask.hpp"
#include "launch/query/positions.hpp"
#include "launch/query/snapshot_answers.hpp"
#include "observe/model/rounds.hpp"

namespace starling::tools {
namespace {

bool runs_own_code(observe::Activity activity) {
  using observe::Activity;
  switch (activity) {
    case Activity::kOutside:
    case Activity::kTesting:
    case Activity::kInside:
    case Activity::kActive: return true;
    default: return false;
  }
}

}  // namespace

Result<JobLook> look_at(const observe::FoundJob& job, std::int64_t patience_ns) {
  observe::Snapshot earlier;
  const bool over_hosts = job.kind == observe::JobKind::kHead;
  if (over_hosts) {
    const Result<launch::Answers> first = launch::ask(job, launch::snapshot_query(0));
    if (!first.ok()) return first.status().copy();
    earlier = launch::snapshot_of(first.value());
  }
  const Result<launch::Answers> answers = launch::ask(job, launch::snapshot_query(patience_ns));
  if (!answers.ok()) return answers.status().copy();
  JobLook look{launch::snapshot_of(answers.value()), launch::problems_of(answers.value())};
  if (over_hosts) look.snapshot = observe::between_rounds(earlier, std::move(look.snapshot));
  return look;
}

std::string add_positions(const observe::FoundJob& job, observe::Snapshot& snapshot,
                          const std::vector<std::int32_t>& ranks) {
  constexpr std::int64_t kPatienceNs = 900'000'000;
  std::vector<std::int32_t> wanted;
  for (const std::int32_t rank : ranks) {
    if (runs_own_code(snapshot.rank(rank).activity)) wanted.push_back(rank);
  }
  if (wanted.empty()) return {};
  const std::int32_t first = wanted.front();
  const Result<launch::Answers> answers = launch::ask(job, launch::positions_query(std::move(wanted), kPatienceNs));
  const auto not_known = [](std::int32_t rank, const std::string& why) {
    return formatted("where rank {} is in its program is not known: {}", rank, why);
  };
  if (!answers.ok()) return not_known(first, answers.status().message());
  std::string problem;
  for (const launch::NodeAnswer& node : answers.value().nodes) {
    if (!node.reply.problem.empty() && problem.empty())
      problem = not_known(first, formatted("its host {} {}", node.host, node.reply.problem));
  }
  for (launch::RankPosition& each : launch::positions_of(answers.value())) {
    if (each.rank < 0 || static_cast<std::size_t>(each.rank) >= snapshot.ranks.size()) continue;
    if (each.position.empty() && problem.empty()) problem = not_known(each.rank, each.problem);
    snapshot.ranks[static_cast<std::size_t>(each.rank)].position = std::move(each.position);
  }
  return problem;
}

}  // namespace starling::tools
