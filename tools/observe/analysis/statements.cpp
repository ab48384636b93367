// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/analysis/statements.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "observe/analysis/sentences.hpp"

namespace starling::observe {
namespace {

using Ranks = std::vector<std::int32_t>;

class Collection {
 public:
  Collection(const Snapshot& snapshot, const RankGraph& graph, Blame blame)
      : snapshot_(snapshot), graph_(graph), blame_(blame), stuck_(graph.graph().stuck()) {
    for (std::size_t rank = 0; rank < snapshot.ranks.size(); ++rank) {
      if (snapshot.ranks[rank].activity == Activity::kWaiting) add(static_cast<std::int32_t>(rank));
    }
  }

  [[nodiscard]] std::vector<Statement> take() const {
    std::vector<Statement> found;
    for (const auto& [key, waiters] : missing_) {
      Ranks missing = missing_members(snapshot_, key);
      std::erase_if(missing, [this](std::int32_t rank) { return snapshot_.rank(rank).activity == Activity::kWaiting; });
      std::string doing = doing_of_named_text(snapshot_, missing);
      found.push_back({missing_text(snapshot_, key, missing), std::move(doing), waiters, culprits_among(missing)});
    }
    for (const auto& [key, waiters] : late_) {
      const auto& [culprits, text, for_one] = key;
      std::string doing =
          culprits.size() == 1 ? doing_of_text(snapshot_, culprits) : doing_of_named_text(snapshot_, culprits);
      found.push_back({late_text(snapshot_, waiters, for_one, culprits), std::move(doing), waiters, culprits});
    }
    std::ranges::stable_sort(found, std::ranges::greater(), [](const Statement& each) { return each.waiters.size(); });
    return found;
  }

 private:
  [[nodiscard]] bool is_culprit(std::int32_t rank) const {
    const Activity activity = snapshot_.rank(rank).activity;
    return blame_ == Blame::kGone ? has_gone(activity) : activity != Activity::kWaiting;
  }

  [[nodiscard]] Ranks culprits_among(const Ranks& ranks) const {
    Ranks culprits;
    std::ranges::copy_if(ranks, std::back_inserter(culprits), [this](std::int32_t rank) { return is_culprit(rank); });
    return culprits;
  }

  void add(std::int32_t rank) {
    if (blame_ == Blame::kGone && !stuck_[static_cast<std::size_t>(rank)]) return;
    const Ranks culprits = culprits_among(graph_.awaited_ranks(rank));
    if (culprits.empty()) return;
    const std::optional<CollectiveKey> key = awaited_collective(snapshot_, rank);
    if (key && !culprits_among(missing_members(snapshot_, *key)).empty())
      missing_[*key].push_back(rank);
    else
      late_[{culprits, wait_text(snapshot_, rank), graph_.waits_for_one(rank)}].push_back(rank);
  }

  const Snapshot& snapshot_;
  const RankGraph& graph_;
  Blame blame_;
  std::vector<bool> stuck_;
  std::map<CollectiveKey, Ranks> missing_;
  std::map<std::tuple<Ranks, std::string, bool>, Ranks> late_;
};

}  // namespace

std::vector<Statement> statements(const Snapshot& snapshot, const RankGraph& graph, Blame blame) {
  return Collection(snapshot, graph, blame).take();
}

}  // namespace starling::observe
