// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/profile/rankings.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace starling::trace {

HostLoad load_of(const Profile& profile, std::int32_t host) {
  HostLoad load;
  for (std::size_t rank = 0; rank < profile.ranks().size(); ++rank) {
    if (profile.facts().host_of[rank] != host) continue;
    ++load.ranks;
    load.threads += static_cast<double>(profile.ranks()[rank].usage.running_thousandths) / 1000;
  }
  return load;
}

std::vector<LateRank> late_ranks(const Profile& profile) {
  std::vector<LateRank> ranks;
  for (const auto& [where, lateness] : profile.late()) {  // in the order of ranks
    if (ranks.empty() || ranks.back().rank != where.first) ranks.push_back({where.first, {}, {}});
    LateRank& late = ranks.back();
    late.in.push_back({where.second, lateness});
    late.all.waits += lateness.waits;
    late.all.ns += lateness.ns;
    if (lateness.longest_ns <= late.all.longest_ns) continue;
    late.all.longest_ns = lateness.longest_ns;
    late.all.longest_for = lateness.longest_for;
  }
  for (LateRank& late : ranks)
    std::stable_sort(late.in.begin(), late.in.end(), [](const LateRank::In& one, const LateRank::In& other) {
      return one.lateness.ns > other.lateness.ns;
    });
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const LateRank& one, const LateRank& other) { return one.all.ns > other.all.ns; });
  return ranks;
}

std::vector<PairTraffic> biggest_pairs(const Profile& profile) {
  std::vector<PairTraffic> pairs;
  for (const auto& [pair, traffic] : profile.traffic()) pairs.push_back({pair, traffic});
  std::stable_sort(pairs.begin(), pairs.end(), [](const PairTraffic& one, const PairTraffic& other) {
    return one.traffic.bytes > other.traffic.bytes;
  });
  return pairs;
}

std::string call_site_text(const Profile& profile, const Profile::CallAt& at) {
  return formatted("{} in {}", profile.name_of(at.first), profile.name_of_site(at.second));
}

std::vector<Profile::CallAt> longest_call_sites(const Profile& profile) {
  std::vector<Profile::CallAt> sites;
  for (const auto& [site, time] : profile.call_sites()) sites.push_back(site);
  const auto& times = profile.call_sites();
  std::sort(sites.begin(), sites.end(), [&](const Profile::CallAt& one, const Profile::CallAt& other) {
    const std::int64_t mine = times.at(one).ns, its = times.at(other).ns;
    return mine != its ? mine > its : call_site_text(profile, one) < call_site_text(profile, other);
  });
  return sites;
}

std::vector<std::uint32_t> longest_functions(const Profile& profile) {
  std::vector<std::uint32_t> functions;
  for (const auto& [function, time] : profile.functions()) functions.push_back(function);
  const auto& times = profile.functions();
  std::stable_sort(functions.begin(), functions.end(), [&](std::uint32_t one, std::uint32_t other) {
    const MpiTime &mine = times.at(one), &its = times.at(other);
    return mine.ns != its.ns ? mine.ns > its.ns : mine.all_calls > its.all_calls;
  });
  return functions;
}

}  // namespace starling::trace
