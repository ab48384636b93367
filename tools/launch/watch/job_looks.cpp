// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/watch/job_looks.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "launch/query/positions.hpp"
#include "launch/query/respond.hpp"
#include "launch/query/snapshot_answers.hpp"
#include "launch/watch/hang_words.hpp"
#include "observe/model/rounds.hpp"

namespace starling::launch {
namespace {

using observe::Activity;
using observe::Snapshot;

bool runs_own_code(Activity activity) {
  return activity == Activity::kOutside || activity == Activity::kTesting || activity == Activity::kInside;
}

std::vector<std::int32_t> ranks_to_find(const Snapshot& snapshot, const observe::Diagnosis& diagnosis) {
  std::vector<std::int32_t> ranks;
  for (const std::int32_t rank : diagnosis.culprits) {
    if (ranks.size() < kMostPositions && runs_own_code(snapshot.rank(rank).activity)) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<std::int32_t> all_ranks(const memory::JobSegment& segment) {
  std::vector<std::int32_t> ranks(segment.ranks());
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

Ask ask_here(EventLoop& loop, const NodeView& node) {
  return [&loop, node](const Query& query, Queries::Done done) {
    std::vector<std::int32_t> ranks = query.ranks.empty() ? all_ranks(*node.segment) : query.ranks;
    const auto job_ranks = static_cast<std::int32_t>(node.segment->ranks());
    respond(loop, node, query, [ranks = std::move(ranks), job_ranks, done = std::move(done)](NodeReply reply) {
      Answers answers;
      answers.ranks = job_ranks;
      answers.nodes.push_back({{}, ranks, std::move(reply)});
      done(std::move(answers));
    });
  };
}

void look_at_job(const Ask& ask, std::int64_t patience_ns, std::function<void(Snapshot)> done) {
  ask(snapshot_query(patience_ns), [ask, patience_ns, done = std::move(done)](const Answers& answers) {
    if (answers.nodes.size() <= 1) return done(snapshot_of(answers));
    ask(snapshot_query(patience_ns), [earlier = snapshot_of(answers), done](const Answers& later) {
      done(observe::between_rounds(earlier, snapshot_of(later)));
    });
  });
}

void add_positions(const Ask& ask, Snapshot snapshot, const observe::Diagnosis& diagnosis, std::int64_t patience_ns,
                   std::function<void(Snapshot)> done) {
  const std::vector<std::int32_t> ranks = ranks_to_find(snapshot, diagnosis);
  if (ranks.empty()) return done(std::move(snapshot));
  const auto kept = std::make_shared<Snapshot>(std::move(snapshot));
  ask(positions_query(ranks, patience_ns), [kept, done = std::move(done)](const Answers& answers) {
    for (const RankPosition& each : positions_of(answers)) {
      if (static_cast<std::size_t>(each.rank) < kept->ranks.size())
        kept->ranks[static_cast<std::size_t>(each.rank)].position = each.position;
    }
    done(std::move(*kept));
  });
}

void explain_job(const Ask& ask, std::function<void(std::string)> done) {
  constexpr std::int64_t kToLookNs = 150'000'000;
  constexpr std::int64_t kToFindNs = 5'000'000'000;
  look_at_job(ask, kToLookNs, [ask, done = std::move(done)](Snapshot snapshot) {
    const observe::Diagnosis diagnosis = observe::diagnose(snapshot);
    add_positions(ask, std::move(snapshot), diagnosis, kToFindNs,
                  [done](const Snapshot& whole) { done(state_words(whole)); });
  });
}

}  // namespace starling::launch
