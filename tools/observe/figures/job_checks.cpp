// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/job_checks.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "observe/figures/rank_table.hpp"
#include "observe/model/words.hpp"

namespace starling::observe {
namespace {

using Found = std::vector<JobFinding>;

std::string percent(double share) { return formatted("{:.0f} %", share * 100); }

/// " on host b", where there are several.
std::string on_host(const JobEvidence& job, std::size_t host) {
  return job.hosts.size() > 1 ? " on host " + job.hosts[host].name : std::string();
}

template <typename Holds>
std::vector<const RankEvidence*> ranks_that(const JobEvidence& job, Holds holds) {
  std::vector<const RankEvidence*> found;
  for (const RankEvidence& rank : job.ranks) {
    if (holds(rank)) found.push_back(&rank);
  }
  return found;
}

std::string names_of(const std::vector<const RankEvidence*>& ranks) {
  std::vector<std::int32_t> numbers;
  for (const RankEvidence* rank : ranks) numbers.push_back(rank->rank);
  return rank_names(std::move(numbers));
}

const char* verb(const std::vector<const RankEvidence*>& ranks, const char* one, const char* many) {
  return ranks.size() == 1 ? one : many;
}

template <typename Value>
double largest(const std::vector<const RankEvidence*>& ranks, Value value) {
  double most = 0;
  for (const RankEvidence* rank : ranks) most = std::max(most, static_cast<double>(value(*rank)));
  return most;
}

/// Threads that run and find no core.
void check_threads(const JobEvidence& job, Found& found) {
  constexpr double kTooMany = 1.25;
  constexpr double kSeveral = 1.5;
  for (std::size_t host = 0; host < job.hosts.size(); ++host) {
    const double cores = job.hosts[host].cores;
    const auto here = ranks_that(job, [&](const RankEvidence& rank) { return rank.host == host; });
    double running = 0;
    for (const RankEvidence* rank : here) running += rank->running_threads;
    if (here.empty() || running <= cores * kTooMany) continue;
    const double each = running / static_cast<double>(here.size());
    const std::string text = formatted("the {} ranks{} run {:.1f} threads at once, {:.1f} each, on {:.0f} core{}",
                                       here.size(), on_host(job, host), running, each, cores, cores == 1 ? "" : "s");
    const auto fitting = static_cast<std::size_t>(cores / static_cast<double>(here.size()));
    if (each < kSeveral) {
      found.push_back({"threads", text, formatted("Start at most {:.0f} ranks there.", cores)});
    } else if (fitting >= 1) {
      found.push_back({"threads", text, formatted("Set OMP_NUM_THREADS={}, or start fewer ranks.", fitting)});
    } else {
      found.push_back({"threads", text, "Set OMP_NUM_THREADS=1 and start fewer ranks."});
    }
  }
}

void check_throttling(const JobEvidence& job, Found& found) {
  constexpr double kOften = 0.05;
  for (std::size_t host = 0; host < job.hosts.size(); ++host) {
    for (const GroupEvidence& group : job.hosts[host].groups) {
      const double share =
          group.periods > 0 ? static_cast<double>(group.throttled) / static_cast<double>(group.periods) : 0;
      if (share < kOften) continue;
      const std::string limit = group.cores ? formatted(", which allows {:.2f} cores,", *group.cores) : std::string();
      found.push_back({"throttling",
                       formatted("the control group {}{}{} has stopped its processes in {} of its periods",
                                 group.folder, on_host(job, host), limit, percent(share)),
                       "A stopped rank delays all that wait for it. Ask for more cores, or start no more ranks and "
                       "threads than the group allows."});
    }
  }
}

void check_swap(const JobEvidence& job, Found& found) {
  constexpr std::uint64_t kMuch = 16 << 20;
  constexpr double kManyPages = 50;
  const auto swapped = ranks_that(job, [](const RankEvidence& rank) { return rank.swapped_bytes >= kMuch; });
  const bool reads =
      std::ranges::any_of(job.hosts, [](const HostEvidence& host) { return host.swap_ins_per_s >= kManyPages; });
  if (swapped.empty()) return;
  const double most = largest(swapped, [](const RankEvidence& rank) { return rank.swapped_bytes; });
  found.push_back(
      {"swap",
       formatted("{} {} memory in swap, up to {} bytes each{}", names_of(swapped), verb(swapped, "has", "have"),
                 short_number(most), reads ? ", and pages are being read back" : ""),
       "The machine has too little memory for the job: start fewer ranks on it, or use more machines."});
}

void check_sockets(const JobEvidence& job, Found& found) {
  const auto wandering = ranks_that(
      job, [&](const RankEvidence& rank) { return job.hosts[rank.host].sockets > 1 && rank.sockets_seen > 1; });
  if (wandering.empty()) return;
  found.push_back(
      {"binding",
       formatted("{} {} moved from one socket to another", names_of(wandering), verb(wandering, "has", "have")),
       "Its memory stays behind on the other socket. Bind the ranks: mpiexec --bind-to core."});
}

/// Ranks that may run anywhere and do, though each could have a core of its own. Whoever seldom moves loses nothing,
/// and whoever has several threads needs several cores.
void check_unbound(const JobEvidence& job, Found& found) {
  constexpr double kOften = 1;
  constexpr double kSeveral = 1.5;
  for (std::size_t host = 0; host < job.hosts.size(); ++host) {
    const double cores = job.hosts[host].cores;
    const auto here = ranks_that(job, [&](const RankEvidence& rank) { return rank.host == host; });
    if (static_cast<double>(here.size()) > cores) continue;
    const auto moving = ranks_that(job, [&](const RankEvidence& rank) {
      return rank.host == host && rank.allowed > 1 && static_cast<double>(rank.allowed) >= cores &&
             rank.sockets_seen == 1 && rank.moves_per_s >= kOften && rank.running_threads < kSeveral;
    });
    if (moving.empty()) continue;
    const double most = largest(moving, [](const RankEvidence& rank) { return rank.moves_per_s; });
    found.push_back(
        {"binding",
         formatted("{}{} {} not bound, and {} from core to core up to {:.0f} times a second, though there "
                   "is a core for each",
                   names_of(moving), on_host(job, host), verb(moving, "is", "are"), verb(moving, "moves", "move"),
                   most),
         "With each move it leaves behind what a core's caches hold, and two may share a core while another "
         "one is idle. 'mpiexec --bind-to core' gives each a core of its own, where no other job has it."});
  }
}

void check_binding(const JobEvidence& job, Found& found) {
  check_sockets(job, found);
  check_unbound(job, found);
}

void check_late_rank(const JobEvidence& job, Found& found) {
  constexpr std::size_t kLeastSnapshots = 5;
  constexpr double kNearlyAlways = 0.8;
  if (job.snapshots_with_waits < kLeastSnapshots) return;
  const double waits = static_cast<double>(job.snapshots_with_waits);
  const auto late = ranks_that(
      job, [&](const RankEvidence& rank) { return static_cast<double>(rank.awaited_alone) >= waits * kNearlyAlways; });
  if (late.size() != 1) return;
  const double share = late.front()->figures.mpi_share.value_or(0);
  found.push_back({"late rank",
                   formatted("rank {} is the one that others wait for, in {} of {} looks; it is in MPI for {} of its "
                             "time",
                             late.front()->rank, late.front()->awaited_alone, job.snapshots_with_waits, percent(share)),
                   formatted("It has more work than the others, or a slower core. 'starling stack -r {}' shows what it "
                             "does.",
                             late.front()->rank)});
}

void check_hosts(const JobEvidence& job, Found& found) {
  constexpr double kLittle = 0.5;
  constexpr double kMuch = 0.2;
  if (job.hosts.size() < 2) return;
  std::vector<double> sums(job.hosts.size(), 0);
  std::vector<double> counts(job.hosts.size(), 0);
  for (const RankEvidence& rank : job.ranks) {
    if (!rank.figures.mpi_share) continue;
    sums[rank.host] += *rank.figures.mpi_share;
    counts[rank.host] += 1;
  }
  std::size_t slowest = job.hosts.size();
  double least = 2;
  double next = 2;  // the least of the other hosts
  for (std::size_t host = 0; host < job.hosts.size(); ++host) {
    if (counts[host] == 0) continue;
    const double mean = sums[host] / counts[host];
    if (mean < least) {
      next = least;
      least = mean;
      slowest = host;
    } else {
      next = std::min(next, mean);
    }
  }
  if (next > 1 || next < kMuch || least > next * kLittle) return;
  found.push_back(
      {"slow host",
       formatted("the ranks on host {} are in MPI for {} of their time, those on every other host for {} or "
                 "more: they wait for that host",
                 job.hosts[slowest].name, percent(least), percent(next)),
       "It has more work or slower processors, or something else runs there. Give it fewer ranks."});
}

void check_test_loops(const JobEvidence& job, Found& found) {
  constexpr double kMostly = 0.5;
  const auto testing = ranks_that(job, [](const RankEvidence& rank) { return rank.test_share >= kMostly; });
  if (testing.empty()) return;
  const std::string& call = testing.front()->tests_with;
  found.push_back(
      {"test loops",
       formatted("{} {} {} again and again, and {} nothing", names_of(testing), verb(testing, "calls", "call"),
                 call.empty() ? "MPI_Test" : call, verb(testing, "finds", "find")),
       "MPI_Wait gives the core to others meanwhile. Where there is work to do, do more of it between two "
       "tests."});
}

void check_small_messages(const JobEvidence& job, Found& found) {
  constexpr double kMany = 50'000;
  constexpr double kLeast = 1000;
  constexpr double kSmall = 256;
  constexpr double kMuchTime = 0.3;
  const auto sending = ranks_that(job, [](const RankEvidence& rank) {
    const RankFigures& figures = rank.figures;
    // Where ranks share cores it counts what a second of processor time is used for.
    const double cores = std::clamp(figures.cores.value_or(1), 0.01, 1.0);
    return figures.messages_per_s >= kLeast && figures.messages_per_s / cores >= kMany &&
           figures.bytes_per_s <= figures.messages_per_s * kSmall && figures.mpi_share.value_or(0) >= kMuchTime;
  });
  if (sending.empty()) return;
  const double most = largest(sending, [](const RankEvidence& rank) { return rank.figures.messages_per_s; });
  const double mean =
      largest(sending, [](const RankEvidence& rank) { return rank.figures.bytes_per_s / rank.figures.messages_per_s; });
  found.push_back({"small messages",
                   formatted("{} {} up to {} messages a second, of {:.0f} bytes or less on the average",
                             names_of(sending), verb(sending, "sends", "send"), short_number(most), std::ceil(mean)),
                   "Each costs the same time as one of 1,000 bytes. Send many together in one, or use a collective."});
}

void check_huge_pages(const JobEvidence& job, Found& found) {
  constexpr double kOften = 10;
  for (std::size_t host = 0; host < job.hosts.size(); ++host) {
    const HostEvidence& each = job.hosts[host];
    if (each.compaction_stalls_per_s < kOften) continue;
    found.push_back(
        {"huge pages",
         formatted("processes{} have been stopped {:.0f} times a second until memory for huge pages was made "
                   "(transparent huge pages: {})",
                   on_host(job, host), each.compaction_stalls_per_s,
                   each.huge_pages.empty() ? "unknown" : each.huge_pages),
         "Write 'madvise' or 'defer' into /sys/kernel/mm/transparent_hugepage/defrag, as root."});
  }
}

struct Check {
  const char* name;
  void (*run)(const JobEvidence& job, Found& found);
};
constexpr Check kChecks[] = {
    {"throttling", check_throttling}, {"swap", check_swap},
    {"threads", check_threads},       {"late rank", check_late_rank},
    {"slow host", check_hosts},       {"binding", check_binding},
    {"test loops", check_test_loops}, {"small messages", check_small_messages},
    {"huge pages", check_huge_pages},
};

}  // namespace

std::vector<JobFinding> check_job(const JobEvidence& evidence) {
  Found found;
  for (const Check& check : kChecks) check.run(evidence, found);
  return found;
}

std::vector<const char*> names_of_checks() {
  std::vector<const char*> names;
  for (const Check& check : kChecks) names.push_back(check.name);
  return names;
}

}  // namespace starling::observe
