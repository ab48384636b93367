// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/report/advice.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "trace/profile/quantities.hpp"
#include "trace/profile/rankings.hpp"

namespace starling::trace::report {
namespace {

/// Of all the time of all ranks, in percent.
double share_of(std::int64_t ns, std::int64_t whole) {
  return whole <= 0 ? 0 : 100.0 * static_cast<double>(ns) / static_cast<double>(whole);
}

std::int64_t time_of_all(const Profile& profile) {
  std::int64_t whole = 0;
  for (const RankProfile& rank : profile.ranks()) whole += rank.age_ns();
  return whole;
}

/// " on host b", where there are several.
std::string on_host(const Profile& profile, std::int32_t host) {
  const std::vector<std::string>& names = profile.facts().hosts;
  return names.size() > 1 ? " on host " + names[static_cast<std::size_t>(host)] : std::string();
}

/// Ranks or threads that find no core.
std::string on_cores(const Profile& profile) {
  constexpr double kTooMany = 1.25;
  for (const auto& [host, had] : profile.hosts()) {
    const HostLoad load = load_of(profile, host);
    const std::string cores = formatted("{} core{}", had.cores, had.cores == 1 ? "" : "s");
    if (load.ranks > had.cores)
      return formatted(
          "{} ranks share {}{}, so a rank that is waited for may only be waiting for its turn. Try at most {} rank{} "
          "there, and compare.",
          load.ranks, cores, on_host(profile, host), had.cores, had.cores == 1 ? "" : "s");
    if (load.threads > kTooMany * static_cast<double>(had.cores))
      return formatted("The {} ranks{} run {:.1f} threads at once on {}. Set OMP_NUM_THREADS={}, or start fewer ranks.",
                       load.ranks, on_host(profile, host), load.threads, cores,
                       std::max<std::uint64_t>(1, had.cores / std::max<std::uint64_t>(1, load.ranks)));
  }
  return "";
}

/// Control groups that stop their processes.
std::string on_throttling(const Profile& profile) {
  constexpr double kOften = 5;  // percent
  for (const auto& [host, had] : profile.hosts()) {
    const auto throttled = static_cast<std::int64_t>(had.throttled), periods = static_cast<std::int64_t>(had.periods);
    if (share_of(throttled, periods) < kOften) continue;
    return formatted(
        "The control group of the ranks{}{} stopped them in {} of its periods. A stopped rank delays all that wait for "
        "it: ask for more cores, or start no more ranks and threads than the group allows.",
        on_host(profile, host),
        had.quota_thousandths == 0
            ? ""
            : formatted(", which allows {:.2f} cores,", static_cast<double>(had.quota_thousandths) / 1000),
        share_text(throttled, periods));
  }
  return "";
}

std::string on_swap(const Profile& profile) {
  constexpr std::uint64_t kMuch = 16 << 20;
  const auto swapped = [](const RankProfile& rank) { return rank.usage.swapped_bytes; };
  const auto most = std::ranges::max_element(profile.ranks(), {}, swapped);
  if (most == profile.ranks().end() || swapped(*most) < kMuch) return "";
  return formatted(
      "{} of the memory of rank {} was in swap. The machine has too little memory for the job: start fewer ranks on "
      "it, "
      "or use more hosts.",
      bytes_text(swapped(*most)), most - profile.ranks().begin());
}

/// Ranks that have lost their cores to others often.
std::string on_taken_cores(const Profile& profile) {
  constexpr double kOften = 100;  // a second
  double most = 0;
  std::size_t worst = 0;
  for (std::size_t rank = 0; rank < profile.ranks().size(); ++rank) {
    const RankProfile& each = profile.ranks()[rank];
    if (each.age_ns() < 100'000'000) continue;
    const double rate = static_cast<double>(each.usage.taken_off) * 1e9 / static_cast<double>(each.age_ns());
    if (rate > most) worst = rank;
    most = std::max(most, rate);
  }
  if (most < kOften) return "";
  return formatted(
      "Rank {} lost its core to others {:.0f} times a second. Other programs, threads of the ranks or too many "
      "ranks share the cores: see 'starling doctor', and set OMP_NUM_THREADS where the ranks use OpenMP.",
      worst, most);
}

std::string on_late_ranks(const Profile& profile, std::int64_t whole) {
  const std::vector<LateRank> late = late_ranks(profile);
  std::int64_t all = 0;
  for (const LateRank& each : late) all += each.all.ns;
  if (late.empty() || share_of(all, whole) < 2) return "";
  const LateRank& first = late.front();
  const std::string cost =
      formatted("{} ({} of the time of all ranks)", time_text(first.all.ns), share_text(first.all.ns, whole));
  const std::string where = profile.name_of(first.in.front().function);
  if (2 * first.all.ns > all && profile.ranks().size() > 2)
    return formatted(
        "Rank {} is late more than all others together: they waited for it {}, most of that in {}. Look at what "
        "it does before that: it has more work, reads or writes alone, or has a slower core.",
        first.rank, cost, where);
  return formatted(
      "Lateness is spread over {} ranks (the worst, rank {}, cost {}), so no single rank is to blame. Work that "
      "differs "
      "from step to step is balanced by smaller pieces (starling's farm or object arrays), or hidden by "
      "nonblocking calls.",
      late.size(), first.rank, cost);
}

std::string on_causes(const MpiTime& sum, std::int64_t whole) {
  const auto is_much = [&](Cause cause) { return share_of(sum.of(cause), whole) >= 5; };
  if (is_much(Cause::kLateReceiver))
    return formatted(
        "Senders waited {} for receivers. Post the receives earlier (MPI_Irecv before the computation), or send "
        "with MPI_Isend and compute meanwhile.",
        time_text(sum.of(Cause::kLateReceiver)));
  if (is_much(Cause::kLateSender))
    return formatted(
        "Receivers waited {} for messages that were not yet sent. Send as soon as the data are there, and "
        "compute what does not need the message before the receive.",
        time_text(sum.of(Cause::kLateSender)));
  if (is_much(Cause::kLibrary))
    return formatted(
        "The library itself took {}: it moved data or handled calls. Fewer and larger messages, or computing while "
        "they move (MPI_Isend, MPI_Iallreduce), would help.",
        time_text(sum.of(Cause::kLibrary)));
  return "";
}

std::string on_small_messages(const Profile& profile) {
  Traffic all;
  for (const auto& [pair, traffic] : profile.traffic()) {
    all.messages += traffic.messages;
    all.bytes += traffic.bytes;
  }
  constexpr std::uint64_t kMany = 100'000, kSmall = 512;
  if (all.messages < kMany || all.bytes / all.messages >= kSmall) return "";
  return formatted(
      "{} messages have {} on the average. Messages that go to the same rank in one step can be sent as one.",
      count_text(all.messages), bytes_text(all.bytes / all.messages));
}

}  // namespace

std::vector<std::string> advice(const Profile& profile) {
  const MpiTime sum = profile.sum();
  const std::int64_t whole = time_of_all(profile);
  std::vector<std::string> said;
  for (std::string& each :
       std::vector<std::string>{on_cores(profile), on_throttling(profile), on_swap(profile), on_taken_cores(profile),
                                on_late_ranks(profile, whole), on_causes(sum, whole), on_small_messages(profile)})
    if (!each.empty()) said.push_back(std::move(each));
  if (share_of(sum.ns, whole) < 10)
    said.push_back(formatted("MPI takes {} of the time only: what is to be gained is in the program's own computation.",
                             share_text(sum.ns, whole)));
  if (said.empty()) said.emplace_back("Nothing stands out: no rank is late often, and the messages are not small.");
  return said;
}

}  // namespace starling::trace::report
