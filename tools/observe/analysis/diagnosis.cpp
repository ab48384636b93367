// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/analysis/diagnosis.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "observe/analysis/collective_check.hpp"
#include "observe/analysis/rank_graph.hpp"
#include "observe/analysis/sentences.hpp"
#include "observe/analysis/statements.hpp"
#include "observe/model/words.hpp"

namespace starling::observe {
namespace {

using Ranks = std::vector<std::int32_t>;

void append(Ranks& ranks, const Ranks& more) { ranks.insert(ranks.end(), more.begin(), more.end()); }

/// The waiting ranks, but for these, of which each waits for one of them, or for a rank that does, and so on.
Ranks followers_of(const RankGraph& graph, const Ranks& leaders) {
  const WaitGraph& nodes = graph.graph();
  std::vector<WaitGraph::Nodes> waiters(nodes.size());
  for (WaitGraph::Node node = 0; node < nodes.size(); ++node) {
    for (const WaitGraph::Node target : nodes[node].targets) waiters[target].push_back(node);
  }
  std::vector<bool> seen(nodes.size(), false);
  WaitGraph::Nodes left(leaders.begin(), leaders.end());
  for (const WaitGraph::Node node : left) seen[node] = true;
  Ranks followers;
  while (!left.empty()) {
    const WaitGraph::Node node = left.back();
    left.pop_back();
    for (const WaitGraph::Node waiter : waiters[node]) {
      if (seen[waiter]) continue;
      seen[waiter] = true;
      left.push_back(waiter);
      if (graph.is_rank(waiter)) followers.push_back(static_cast<std::int32_t>(waiter));
    }
  }
  std::ranges::sort(followers);
  return followers;
}

/// "; 3 and 4 wait for them in MPI_Barrier", where there are any.
std::string with_followers(const Snapshot& snapshot, const RankGraph& graph, const Ranks& leaders) {
  const Ranks followers = followers_of(graph, leaders);
  return followers.empty() ? std::string() : "; " + followers_text(snapshot, followers, leaders);
}

class Examination {
 public:
  explicit Examination(const Snapshot& snapshot)
      : snapshot_(snapshot),
        mismatches_(find_mismatches(snapshot)),
        proven_(snapshot, ranks_that([](const RankSnapshot& rank) { return rank.quiet; }), mismatched()),
        apparent_(snapshot, ranks_that([](const RankSnapshot&) { return true; }), mismatched()) {}

  [[nodiscard]] Diagnosis outcome() const {
    if (!mismatches_.empty()) return mismatch();
    if (std::optional<Diagnosis> found = deadlock()) return std::move(*found);
    if (std::optional<Diagnosis> found = waits(Blame::kGone, Verdict::kGone)) return std::move(*found);
    if (std::optional<Diagnosis> found = waits(Blame::kNotWaiting, Verdict::kWaits)) return std::move(*found);
    return whatever_they_do();
  }

 private:
  static constexpr std::size_t kMostParts = 3;

  template <typename Holds>
  [[nodiscard]] std::vector<bool> ranks_that(Holds holds) const {
    std::vector<bool> found;
    for (const RankSnapshot& rank : snapshot_.ranks) found.push_back(holds(rank));
    return found;
  }

  [[nodiscard]] std::vector<bool> mismatched() const {
    std::vector<bool> found(snapshot_.ranks.size(), false);
    for (std::size_t rank = 0; rank < found.size() && !mismatches_.empty(); ++rank) {
      if (snapshot_.ranks[rank].activity != Activity::kWaiting) continue;
      const auto key = awaited_collective(snapshot_, static_cast<std::int32_t>(rank));
      found[rank] = std::ranges::any_of(mismatches_, [&](const Mismatch& each) { return each.key == key; });
    }
    return found;
  }

  [[nodiscard]] Diagnosis mismatch() const {
    Diagnosis found{Verdict::kMismatch, {}, {}};
    std::vector<std::string> texts;
    Ranks leaders;
    for (const Mismatch& each : mismatches_) {
      if (texts.size() < kMostParts) texts.push_back(mismatch_text(snapshot_, each));
      // The smallest group is the likeliest to be wrong.
      append(found.culprits,
             std::ranges::min(each.groups, {}, [](const auto& group) { return group.ranks.size(); }).ranks);
      Ranks first_of_each;
      for (const CallGroup& group : each.groups) {
        append(leaders, group.ranks);
        first_of_each.push_back(longest_waiter(group.ranks));
      }
      found.stuck.push_back(std::move(first_of_each));
    }
    found.sentence = join(texts, "and") + with_followers(snapshot_, apparent_, leaders);
    return found;
  }

  [[nodiscard]] std::int32_t longest_waiter(const Ranks& ranks) const {
    return std::ranges::max(ranks, {}, [this](std::int32_t rank) {
      const RankSnapshot& each = snapshot_.rank(rank);
      return each.activity == Activity::kWaiting ? each.time_ns.value_or(0) : -1;
    });
  }

  /// The smallest sets of ranks that would be stuck if all others went on, those that have ended among them.
  [[nodiscard]] std::vector<Ranks> circles(const RankGraph& graph) const {
    std::vector<bool> waiting(graph.graph().size());
    for (WaitGraph::Node node = 0; node < waiting.size(); ++node) {
      waiting[node] = graph.graph()[node].kind != NodeKind::kStuck;
    }
    std::vector<Ranks> found;
    for (const WaitGraph::Nodes& knot : graph.graph().knots(graph.graph().stuck_within(waiting))) {
      Ranks ranks;
      for (const WaitGraph::Node node : graph.graph().smallest_part(knot)) {
        if (graph.is_rank(node)) ranks.push_back(static_cast<std::int32_t>(node));
      }
      if (!ranks.empty()) found.push_back(std::move(ranks));
    }
    return found;
  }

  [[nodiscard]] bool is_certain(const std::vector<Ranks>& circles) const {
    const auto has_ended = [](const RankSnapshot& rank) { return rank.activity == Activity::kExited; };
    // The news of a death reach the nodes one after another.
    const bool news_under_way = !snapshot_.one_node && std::ranges::any_of(snapshot_.ranks, has_ended);
    if (snapshot_.connected_jobs || news_under_way) return false;
    return std::ranges::all_of(circles, [this](const Ranks& ranks) {
      return std::ranges::all_of(ranks, [this](std::int32_t rank) { return lasts_for_certain(rank); });
    });
  }

  [[nodiscard]] bool lasts_for_certain(std::int32_t rank) const {
    const RankSnapshot& each = snapshot_.rank(rank);
    const bool nothing_under_way = snapshot_.one_node || each.all_arrived;
    return nothing_under_way && !each.threaded && !proven_.is_uncertain(rank);
  }

  [[nodiscard]] Diagnosis circles_said(Verdict verdict, const char* prefix, const RankGraph& graph,
                                       const std::vector<Ranks>& circles) const {
    Diagnosis found{verdict, prefix, {}};
    for (std::size_t i = 0; i < circles.size(); ++i) {
      if (i < kMostParts) found.sentence += (i == 0 ? "" : "; and ") + circle_text(snapshot_, graph, circles[i]);
      append(found.culprits, circles[i]);
    }
    if (circles.size() > kMostParts)
      found.sentence += formatted("; and {} more such circles", circles.size() - kMostParts);
    found.sentence += with_followers(snapshot_, graph, found.culprits);
    found.stuck = circles;
    return found;
  }

  [[nodiscard]] std::optional<Diagnosis> deadlock() const {
    const std::vector<Ranks> found = circles(proven_);
    if (found.empty()) return std::nullopt;
    if (is_certain(found)) return circles_said(Verdict::kDeadlock, "deadlock: ", proven_, found);
    return circles_said(Verdict::kProbableDeadlock, "probably deadlock: ", proven_, found);
  }

  [[nodiscard]] std::optional<Diagnosis> waits(Blame blame, Verdict verdict) const {
    const std::vector<Statement> found = statements(snapshot_, apparent_, blame);
    if (found.empty()) return std::nullopt;
    Diagnosis diagnosis{verdict, {}, {}};
    Ranks leaders;
    for (std::size_t i = 0; i < found.size() && i < kMostParts; ++i) {
      diagnosis.sentence += (i == 0 ? "" : "; ") + found[i].wait;
      const auto is_named = [&](std::int32_t rank) {
        return std::ranges::find(diagnosis.culprits, rank) != diagnosis.culprits.end();
      };
      if (!std::ranges::all_of(found[i].culprits, is_named)) diagnosis.sentence += "; " + found[i].doing;
      append(leaders, found[i].waiters);
      append(diagnosis.culprits, found[i].culprits);
    }
    for (const Statement& each : found) {
      if (verdict != Verdict::kGone) break;
      diagnosis.stuck.push_back(each.culprits);
      diagnosis.stuck.back().push_back(longest_waiter(each.waiters));
    }
    if (found.size() > kMostParts) {
      diagnosis.sentence += formatted("; and {} more such waits", found.size() - kMostParts);
      for (std::size_t i = kMostParts; i < found.size(); ++i) append(leaders, found[i].waiters);
    }
    std::ranges::sort(diagnosis.culprits);
    std::vector<int>& culprits = diagnosis.culprits;
    culprits.erase(std::unique(culprits.begin(), culprits.end()), culprits.end());
    diagnosis.sentence += with_followers(snapshot_, apparent_, leaders);
    return diagnosis;
  }

  /// Where nobody is known to be waited for.
  [[nodiscard]] Diagnosis whatever_they_do() const {
    if (const std::vector<Ranks> found = circles(apparent_); !found.empty())
      return circles_said(Verdict::kWaits, "", apparent_, found);
    const Ranks waiting = ranks_in(Activity::kWaiting);
    Ranks testing = ranks_in(Activity::kTesting);
    return {waiting.empty() && testing.empty() ? Verdict::kRuns : Verdict::kWaits,
            doing_of_text(snapshot_, members_of({snapshot_.ranks, {}}, kWorldContext, 0)),
            waiting.empty() ? std::move(testing) : Ranks()};
  }

  [[nodiscard]] Ranks ranks_in(Activity activity) const {
    Ranks found;
    for (std::size_t rank = 0; rank < snapshot_.ranks.size(); ++rank) {
      if (snapshot_.ranks[rank].activity == activity) found.push_back(static_cast<std::int32_t>(rank));
    }
    return found;
  }

  const Snapshot& snapshot_;
  std::vector<Mismatch> mismatches_;
  RankGraph proven_;    ///< of waits that certainly last
  RankGraph apparent_;  ///< of all waits
};

}  // namespace

Diagnosis diagnose(const Snapshot& snapshot) { return Examination(snapshot).outcome(); }

const char* verdict_words(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kRuns: return "running";
    case Verdict::kWaits: return "waiting";
    case Verdict::kMismatch: return "mismatch";
    case Verdict::kGone: return "stuck";
    case Verdict::kProbableDeadlock: return "deadlock?";
    case Verdict::kDeadlock: return "deadlock";
  }
  return "";
}

}  // namespace starling::observe
