// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/analysis/note_rules.hpp"

#include <algorithm>
#include <limits>

namespace starling::observe {
namespace {

bool may_end_from_outside(const Snapshot& snapshot, const RankSnapshot& rank) {
  if (rank.activity != Activity::kWaiting && rank.activity != Activity::kTesting) return false;
  const WaitKind kind = rank.wait.kind();
  if (kind == WaitKind::kConnection || kind == WaitKind::kFile || kind == WaitKind::kOther) return true;
  return std::ranges::any_of(rank.wait.awaited(), [&](const Awaited& awaited) {
    const bool of_another_job = !awaited.peer.is_none() && awaited.peer.index() >= snapshot.ranks.size();
    return of_another_job || awaited.as == AwaitedAs::kOther || awaited.under_way;
  });
}

/// Whether a rank is where only another one, or nobody, helps it on.
bool is_idle(const RankSnapshot& rank) {
  return has_gone(rank.activity) || rank.activity == Activity::kWaiting || rank.activity == Activity::kTesting;
}

bool has_been_stopped(const RankSnapshot& rank) { return rank.activity == Activity::kStopped; }

/// How long the rank that has waited longest has done so.
std::int64_t longest_wait_ns(const Snapshot& snapshot) {
  std::int64_t longest = 0;
  for (const RankSnapshot& rank : snapshot.ranks) {
    if (rank.activity == Activity::kWaiting) longest = std::max(longest, rank.time_ns.value_or(0));
  }
  return longest;
}

/// What a rank does that others may wait for in vain.
bool is_away(const RankSnapshot& rank) {
  switch (rank.activity) {
    case Activity::kStarting:
    case Activity::kOutside:
    case Activity::kInside:
    case Activity::kTesting: return true;
    default: return false;
  }
}

}  // namespace

Judgement NoteRules::judge(const Snapshot& snapshot, const Diagnosis& diagnosis, std::int64_t now_ns,
                           std::int64_t still_since_ns) {
  if (diagnosis.verdict == Verdict::kDeadlock) {
    told_of_still_since_ns_ = still_since_ns;
    return {are_new(snapshot, diagnosis.culprits) ? Occasion::kDeadlock : Occasion::kNone, {}};
  }
  if (std::ranges::any_of(snapshot.ranks, has_been_stopped)) return {};  // somebody sees to it
  switch (diagnosis.verdict) {
    case Verdict::kMismatch:
    case Verdict::kGone:
    case Verdict::kProbableDeadlock: return seems_for_ever(snapshot, diagnosis, now_ns, still_since_ns);
    default: break;
  }
  const auto from_outside = [&](const RankSnapshot& rank) { return may_end_from_outside(snapshot, rank); };
  const bool all_idle = still_since_ns != 0 && std::ranges::all_of(snapshot.ranks, is_idle);
  if (all_idle && std::ranges::none_of(snapshot.ranks, from_outside)) return still(now_ns, still_since_ns);
  return late(snapshot, diagnosis);
}

bool NoteRules::are_new(const Snapshot& snapshot, const std::vector<std::int32_t>& ranks) {
  bool some = false;
  for (const std::int32_t rank : ranks) some |= told_.emplace(rank, snapshot.rank(rank).steps).second;
  return some;
}

std::int64_t NoteRules::lasted_ns(const Snapshot& snapshot, const Diagnosis& diagnosis, std::int64_t now_ns) {
  std::map<State, std::int64_t> seen;
  std::int64_t youngest = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<std::int32_t>& ranks : diagnosis.stuck) {
    std::optional<State> waiter;
    for (const std::int32_t rank : ranks) {
      const RankSnapshot& each = snapshot.rank(rank);
      if (each.activity != Activity::kWaiting) continue;
      waiter = {rank, each.steps};
      youngest = std::min(youngest, each.time_ns.value_or(0));
    }
    const auto waits = [&](std::int32_t rank) { return snapshot.rank(rank).activity == Activity::kWaiting; };
    if (!waiter || std::ranges::all_of(ranks, waits)) continue;
    const auto before = seen_since_ns_.find(*waiter);
    const std::int64_t since_ns = before == seen_since_ns_.end() ? now_ns : before->second;
    seen.emplace(*waiter, since_ns);
    youngest = std::min(youngest, now_ns - since_ns);
  }
  seen_since_ns_ = std::move(seen);
  return youngest;
}

Judgement NoteRules::seems_for_ever(const Snapshot& snapshot, const Diagnosis& diagnosis, std::int64_t now_ns,
                                    std::int64_t still_since_ns) {
  const std::int64_t lasted = lasted_ns(snapshot, diagnosis, now_ns);
  if (lasted < times_.still_ns) return {Occasion::kNone, times_.still_ns - lasted};
  told_of_still_since_ns_ = still_since_ns;
  return {are_new(snapshot, diagnosis.culprits) ? Occasion::kStill : Occasion::kNone, {}};
}

Judgement NoteRules::still(std::int64_t now_ns, std::int64_t still_since_ns) {
  if (told_of_still_since_ns_ == still_since_ns) return {};
  const std::int64_t still_for_ns = now_ns - still_since_ns;
  if (still_for_ns < next_still_ns_) return {Occasion::kNone, next_still_ns_ - still_for_ns};
  told_of_still_since_ns_ = still_since_ns;
  next_still_ns_ = 2 * still_for_ns;
  return {Occasion::kStill, {}};
}

Judgement NoteRules::late(const Snapshot& snapshot, const Diagnosis& diagnosis) {
  if (times_.late_ns == 0) return {};
  Judgement judgement;
  const std::int64_t waited_ns = longest_wait_ns(snapshot);
  if (waited_ns == 0) return {};
  for (const std::int32_t rank : diagnosis.culprits) {
    const RankSnapshot& each = snapshot.rank(rank);
    if (!is_away(each) || !each.time_ns) continue;
    if (const auto told = late_told_.find(rank); told != late_told_.end() && told->second == each.steps) continue;
    const std::int64_t limit_ns = next_late_ns_.try_emplace(rank, times_.late_ns).first->second;
    const std::int64_t lasted_ns = std::min(*each.time_ns, waited_ns);
    if (lasted_ns < limit_ns) {
      judgement.again_ns = std::min(judgement.again_ns.value_or(limit_ns), limit_ns - lasted_ns);
      continue;
    }
    late_told_[rank] = each.steps;
    next_late_ns_[rank] = 2 * lasted_ns;
    judgement.occasion = Occasion::kLate;
  }
  return judgement;
}

}  // namespace starling::observe
