// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/analysis/sentences.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "observe/model/words.hpp"

namespace starling::observe {
namespace {

/// " on 'solver'", nothing for MPI_COMM_WORLD.
std::string on_communicator(const Snapshot& snapshot, std::uint32_t context, std::int32_t member) {
  if (context == kWorldContext || context == Awaited::kNoContext) return {};
  return " on " + communicator_text(snapshot, context, member);
}

/// Ranks that have the same text, in the order of their lowest ranks.
std::vector<std::pair<std::vector<std::int32_t>, std::string>> grouped(const std::vector<std::int32_t>& ranks,
                                                                       const std::vector<std::string>& texts) {
  std::vector<std::pair<std::vector<std::int32_t>, std::string>> groups;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(texts[i], groups.size());
    if (is_new) groups.emplace_back(std::vector<std::int32_t>(), texts[i]);
    groups[place->second].first.push_back(ranks[i]);
  }
  return groups;
}

const char* waits_word(const std::vector<std::int32_t>& ranks) { return ranks.size() == 1 ? "waits" : "wait"; }

/// The ranks of a circle, each before one that it waits for, as far as that goes.
std::vector<std::int32_t> in_order(const RankGraph& graph, const std::vector<std::int32_t>& ranks) {
  std::vector<std::int32_t> left = ranks;
  std::ranges::sort(left);
  std::vector<std::int32_t> order;
  while (!left.empty()) {
    auto next = left.begin();
    if (!order.empty()) {
      const std::vector<std::int32_t> awaited = graph.awaited_ranks(order.back());
      const auto is_awaited = [&](std::int32_t rank) { return std::ranges::binary_search(awaited, rank); };
      const auto found = std::ranges::find_if(left, is_awaited);
      if (found != left.end()) next = found;
    }
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

std::string targets_text(const RankGraph& graph, std::int32_t rank, const std::vector<std::int32_t>& among) {
  std::vector<std::int32_t> targets;
  for (const std::int32_t target : graph.awaited_ranks(rank)) {
    if (std::ranges::find(among, target) != among.end()) targets.push_back(target);
  }
  if (targets == std::vector{rank}) return "itself";
  return rank_numbers(targets, graph.waits_for_one(rank) ? "or" : "and");
}

}  // namespace

std::string communicator_text(const Snapshot& snapshot, std::uint32_t context, std::int32_t member) {
  if (context == kWorldContext) return "MPI_COMM_WORLD";
  const CommunicatorSnapshot* const found = find_communicator(snapshot, context, member);
  if (found == nullptr) return formatted("the communicator of context {}", context);
  if (!found->name.empty()) return formatted("'{}'", found->name);
  return formatted("the communicator of {}", rank_numbers(found->members));
}

std::string wait_text(const Snapshot& snapshot, std::int32_t rank) {
  const RankSnapshot& each = snapshot.rank(rank);
  const std::span<const Awaited> all = each.wait.awaited();
  if (const auto key = awaited_collective(snapshot, rank); key && all.size() <= 1) {
    // Members may have called it otherwise.
    const auto& own = each.collective;
    const bool is_own = own && own->call == each.call && own->sequence == key->sequence && own->context == key->context;
    const std::string call = is_own ? each.call : call_of(snapshot, *key);
    const std::string on = on_communicator(snapshot, key->context, rank);
    return call.empty() || call == each.call ? each.call + on : formatted("{} for {}{}", each.call, call, on);
  }
  if (all.empty()) return each.call;
  const Awaited& first = all.front();
  const auto is_alike = [&](const Awaited& other) {
    return other.tag == first.tag && other.context_id == first.context_id && other.as == first.as;
  };
  if (first.as == AwaitedAs::kCollective || !std::ranges::all_of(all, is_alike)) return each.call;
  const std::string tag = first.tag >= 0 ? formatted(" with tag {}", first.tag) : std::string();
  return each.call + tag + on_communicator(snapshot, first.context_id, rank);
}

std::string doing_text(const RankSnapshot& rank) {
  const std::string where = rank.position.empty() ? std::string() : ", at " + rank.position;
  const std::span<const Awaited> all = rank.wait.awaited();
  const bool knows_peer = all.size() == 1 && !all.front().peer.is_none();
  const std::string looked_for = knows_peer ? formatted(" for {}", all.front().peer.value) : std::string();
  switch (rank.activity) {
    case Activity::kStarting: return "has not reached MPI_Init" + where;
    case Activity::kOutside:
      if (rank.time_ns) return formatted("has been outside MPI for {}{}", duration_text(*rank.time_ns), where);
      return "is outside MPI" + where;
    case Activity::kActive: return "goes on" + where;
    case Activity::kElsewhere: return "is on a host that does not answer";
    case Activity::kInside: return formatted("is in {}{}", rank.call, where);
    case Activity::kTesting:
      // Of a program that sleeps between its tests the call may not have been seen.
      return formatted("is in a loop of {} that gets nowhere{}{}", rank.call.empty() ? "tests" : rank.call, looked_for,
                       where);
    case Activity::kWaiting: return formatted("waits in {}", rank.call);
    case Activity::kFinalized: return "has called MPI_Finalize";
    case Activity::kExited: return "has exited";
    case Activity::kStopped: return "is stopped, as by a debugger";
  }
  return {};
}

std::string plural(const std::string& doing) {
  for (const auto& [one, many] : {std::pair{"has ", "have "}, {"is ", "are "}, {"waits ", "wait "}, {"goes ", "go "}}) {
    if (doing.starts_with(one)) return many + doing.substr(std::string_view(one).size());
  }
  return doing;
}

std::string doing_of_text(const Snapshot& snapshot, const std::vector<std::int32_t>& ranks) {
  constexpr std::size_t kMostGroups = 6;
  std::vector<std::string> texts;
  for (const std::int32_t rank : ranks) texts.push_back(doing_text(snapshot.rank(rank)));
  const auto groups = grouped(ranks, texts);
  std::vector<std::string> parts;
  for (const auto& [members, text] : groups) {
    if (parts.size() == kMostGroups) break;
    parts.push_back(formatted("{} {}", rank_numbers(members), members.size() == 1 ? text : plural(text)));
  }
  if (groups.size() > kMostGroups) parts.push_back("the others are elsewhere");
  return join(parts);
}

std::string doing_of_named_text(const Snapshot& snapshot, const std::vector<std::int32_t>& ranks) {
  const std::string text = doing_text(snapshot.rank(ranks.front()));
  if (ranks.size() == 1) return "it " + text;
  const bool alike =
      std::ranges::all_of(ranks, [&](std::int32_t rank) { return doing_text(snapshot.rank(rank)) == text; });
  return alike ? "they " + plural(text) : doing_of_text(snapshot, ranks);
}

std::string circle_text(const Snapshot& snapshot, const RankGraph& graph, const std::vector<std::int32_t>& ranks) {
  constexpr std::size_t kMostNamed = 8;
  constexpr std::size_t kNamedOfMore = 3;
  const std::vector<std::int32_t> order = in_order(graph, ranks);
  const std::string first_call = wait_text(snapshot, order.front());
  const bool same_call =
      std::ranges::all_of(order, [&](std::int32_t rank) { return wait_text(snapshot, rank) == first_call; });
  std::string text;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.size() > kMostNamed && i >= kNamedOfMore && i + 1 < order.size()) continue;
    if (i > 0) text += order.size() > kMostNamed && i + 1 == order.size() ? ", and so on, " : ", ";
    text += formatted("{}{} {}", order[i], i == 0 ? " waits for" : " for", targets_text(graph, order[i], order));
    if (!same_call) text += " in " + wait_text(snapshot, order[i]);
  }
  if (!same_call) return text;
  const char* const scope = order.size() == 1 ? "" : order.size() == 2 ? ", both" : ", all";
  return formatted("{}{} in {}", text, scope, first_call);
}

std::string followers_text(const Snapshot& snapshot, const std::vector<std::int32_t>& ranks,
                           const std::vector<std::int32_t>& leaders) {
  constexpr std::size_t kMostGroups = 4;
  std::vector<std::string> texts;
  for (const std::int32_t rank : ranks) texts.push_back(wait_text(snapshot, rank));
  std::string text;
  std::size_t named = 0;
  std::size_t groups_named = 0;
  for (const auto& [members, call] : grouped(ranks, texts)) {
    if (groups_named == kMostGroups) break;
    text += formatted("{}{}", groups_named == 0 ? "" : ", ", rank_numbers(members));
    if (groups_named == 0)
      text += formatted(" {} for {}", waits_word(members), leaders.size() == 1 ? rank_numbers(leaders) : "them");
    text += " in " + call;
    named += members.size();
    ++groups_named;
  }
  if (named < ranks.size()) text += formatted(", {} more elsewhere", ranks.size() - named);
  return text;
}

std::string mismatch_text(const Snapshot& snapshot, const Mismatch& mismatch) {
  std::string text;
  for (const CallGroup& group : mismatch.groups) {
    const bool is_first = text.empty();
    text += is_first ? "" : ", ";
    text += rank_names(group.ranks);
    if (is_first) text += " called";
    if (is_first || mismatch.what == Mismatch::What::kCall) text += " " + group.call;
    if (mismatch.what == Mismatch::What::kRoot) text += formatted(" with root {}", group.root);
    if (mismatch.what == Mismatch::What::kBytes) text += formatted(" with {}{}", group.bytes, is_first ? " bytes" : "");
  }
  return text + on_communicator(snapshot, mismatch.key.context, mismatch.key.first_member);
}

std::string missing_text(const Snapshot& snapshot, const CollectiveKey& key, const std::vector<std::int32_t>& missing) {
  return formatted("{} {} missing in {} number {} on {}", rank_names(missing), missing.size() == 1 ? "is" : "are",
                   call_of(snapshot, key), key.sequence, communicator_text(snapshot, key.context, key.first_member));
}

std::string late_text(const Snapshot& snapshot, const std::vector<std::int32_t>& waiters, bool for_one,
                      const std::vector<std::int32_t>& late) {
  return formatted("{} {} for {} in {}", rank_numbers(waiters), waits_word(waiters),
                   for_one && late.size() > 1 ? "one of " + rank_numbers(late) : rank_numbers(late),
                   wait_text(snapshot, waiters.front()));
}

}  // namespace starling::observe
