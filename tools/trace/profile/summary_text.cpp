// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/profile/summary_text.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/format.hpp"
#include "trace/profile/quantities.hpp"
#include "trace/profile/rankings.hpp"

namespace starling::trace {
namespace {

constexpr std::size_t kMostRanks = 32;
constexpr std::size_t kMostLate = 10;
constexpr std::size_t kMostPairs = 10;
constexpr std::size_t kMostFunctions = 15;

std::string time_row(const std::string& name, const MpiTime& time, std::int64_t whole) {
  return formatted("  {:<16} {:>8} {:>6} {:>12} {:>13} {:>11} {:>11} {:>8}\n", name, time_text(time.ns),
                   share_text(time.ns, whole), time_text(time.of(Cause::kLateSender)),
                   time_text(time.of(Cause::kLateReceiver)), time_text(time.of(Cause::kCollective)),
                   time_text(time.of(Cause::kOther)), time_text(time.of(Cause::kLibrary)));
}

std::string more(std::size_t all, std::size_t shown, const char* of_what) {
  return all > shown ? formatted("  and {} more {}\n", all - shown, of_what) : std::string();
}

std::string head(const Profile& profile) {
  const MpiTime sum = profile.sum();
  const std::size_t hosts = profile.facts().hosts.size();
  std::string text =
      formatted("{} rank{} on {} host{}, {}", profile.ranks().size(), profile.ranks().size() == 1 ? "" : "s", hosts,
                hosts == 1 ? "" : "s", time_text(profile.job_ns()));
  if (sum.all_calls > 0)
    text += formatted("; {} MPI calls, {} of them on the timeline\n", count_text(std::max(sum.all_calls, sum.calls)),
                      count_text(sum.calls));
  else
    text += formatted("; {} MPI calls on the timeline\n", count_text(sum.calls));
  return text;
}

/// The ranks in their order, or of many those that spend the most time in MPI.
std::string ranks(const Profile& profile) {
  std::vector<std::size_t> order(profile.ranks().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() > kMostRanks)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
      return profile.ranks()[one].mpi.ns > profile.ranks()[other].mpi.ns;
    });
  std::string text =
      formatted("\nTime in MPI, by cause\n  {:<16} {:>8} {:>6} {:>12} {:>13} {:>11} {:>11} {:>8}\n", "", "in MPI",
                "share", "late sender", "late receiver", "collective", "other wait", "library");
  for (std::size_t at = 0; at < std::min(order.size(), kMostRanks); ++at) {
    const RankProfile& rank = profile.ranks()[order[at]];
    text += time_row(formatted("rank {}", order[at]), rank.mpi, rank.age_ns());
  }
  text += more(order.size(), kMostRanks, "ranks");
  std::int64_t whole = 0;
  for (const RankProfile& rank : profile.ranks()) whole += rank.age_ns();
  return text + time_row("all", profile.sum(), whole);
}

std::string late(const Profile& profile) {
  const std::vector<LateRank> ranks = late_ranks(profile);
  std::string text = "\nWho made others wait\n";
  if (ranks.empty()) return text + "  nobody, as far as is recorded\n";
  for (std::size_t at = 0; at < std::min(ranks.size(), kMostLate); ++at) {
    const LateRank& each = ranks[at];
    text += formatted("  {:<16} {:>8} in all; the longest wait {}, of rank {}\n", formatted("rank {}", each.rank),
                      time_text(each.all.ns), time_text(each.all.longest_ns), each.all.longest_for);
    for (std::size_t in = 0; in < std::min<std::size_t>(each.in.size(), 3); ++in) {
      const LateRank::In& where = each.in[in];
      text += formatted("  {:<16} {:>8} in {} wait{} of {}\n", "", time_text(where.lateness.ns),
                        count_text(where.lateness.waits), where.lateness.waits == 1 ? "" : "s",
                        profile.name_of(where.function));
    }
  }
  return text + more(ranks.size(), kMostLate, "ranks");
}

std::string functions(const Profile& profile) {
  const std::vector<std::uint32_t> order = longest_functions(profile);
  std::string text =
      formatted("\nFunctions\n  {:<28} {:>14} {:>14} {:>9} {:>9}\n", "", "calls", "on timeline", "time", "waited");
  for (std::size_t at = 0; at < std::min(order.size(), kMostFunctions); ++at) {
    const MpiTime& time = profile.functions().at(order[at]);
    text += formatted("  {:<28} {:>14} {:>14} {:>9} {:>9}\n", profile.name_of(order[at]),
                      time.all_calls == 0 ? "-" : count_text(time.all_calls), count_text(time.calls),
                      time_text(time.ns), time_text(time.waited_ns()));
  }
  return text + more(order.size(), kMostFunctions, "functions");
}

std::string call_sites(const Profile& profile) {
  const std::vector<Profile::CallAt> order = longest_call_sites(profile);
  std::string text = formatted("\nCall sites\n  {:<60} {:>9} {:>9}\n", "", "time", "waited");
  for (std::size_t at = 0; at < std::min(order.size(), kMostFunctions); ++at) {
    const MpiTime& time = profile.call_sites().at(order[at]);
    text += formatted("  {:<60} {:>9} {:>9}\n", call_site_text(profile, order[at]), time_text(time.ns),
                      time_text(time.waited_ns()));
  }
  return text + more(order.size(), kMostFunctions, "call sites");
}

std::string pairs(const Profile& profile) {
  const std::vector<PairTraffic> order = biggest_pairs(profile);
  if (order.empty()) return "";
  const bool all = std::all_of(order.begin(), order.end(), [&](const PairTraffic& each) {
    return profile.ranks()[static_cast<std::size_t>(each.pair.first)].totals_known;
  });
  std::string text = all ? "\nBiggest pairs of ranks\n" : "\nBiggest pairs of ranks, of the messages on the timeline\n";
  for (std::size_t at = 0; at < std::min(order.size(), kMostPairs); ++at) {
    const PairTraffic& each = order[at];
    text += formatted("  {:<24} {:>14} messages {:>10}\n",
                      formatted("rank {} to rank {}", each.pair.first, each.pair.second),
                      count_text(each.traffic.messages), bytes_text(each.traffic.bytes));
  }
  return text + more(order.size(), kMostPairs, "pairs");
}

std::string gaps(const Profile& profile) {
  const MpiTime sum = profile.sum();
  std::string text;
  if (sum.all_calls > sum.calls)
    text += formatted("  {} calls were only counted: they neither waited nor moved more than 1 KiB\n",
                      count_text(sum.all_calls - sum.calls));
  for (const std::string& note : profile.notes()) text += "  " + note + "\n";
  return text.empty() ? text : "\nWhat is not on the timeline\n" + text;
}

}  // namespace

std::string summary_text(const Profile& profile) {
  return head(profile) + ranks(profile) + late(profile) + call_sites(profile) + functions(profile) + pairs(profile) +
         gaps(profile);
}

}  // namespace starling::trace
