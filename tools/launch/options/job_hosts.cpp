// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options/job_hosts.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/format.hpp"
#include "launch/hosts/allocation.hpp"
#include "launch/hosts/host_merge.hpp"

namespace starling::launch {
namespace {

using Hosts = std::vector<Host>;

/// The hosts of a file that a list chooses, in the order of the list; a number in the list counts, not the file's.
Result<Hosts> choose_hosts(const Hosts& file, const Hosts& list) {
  std::unordered_map<std::string_view, const Host*> by_name;
  if (!list.empty()) {
    for (const Host& host : file) by_name.emplace(host.name, &host);
  }
  Hosts chosen;
  for (const Host& wanted : list) {
    const auto known = by_name.find(wanted.name);
    if (known == by_name.end()) {
      return Status::error(
          ErrorClass::kArg,
          formatted("--host names '{}', which the host file does not; with both the hosts of the job are those of the "
                    "file, and --host chooses from them",
                    wanted.name));
    }
    chosen.push_back(*known->second);
    if (wanted.slots) chosen.back().slots = wanted.slots;
    if (!wanted.user.empty()) chosen.back().user = wanted.user;
  }
  return chosen;
}

/// Without a host file: the sum of all lists, with a slot for each name that has no number.
Status add_lists(JobSpec& spec) {
  HostMerge merge(spec.hosts.hosts);
  for (Application& application : spec.applications) {
    for (Host& host : application.hosts) {
      host.slots = host.slots.value_or(1);
      STARLING_TRY(merge.add(host));
    }
  }
  return {};
}

/// -N on this machine, with more ranks than it says: they run, as they would in turn on several hosts, and it is said.
void note_ranks_beyond(JobSpec& spec) {
  if (spec.hosts.deal_by != DealBy::kByNumber) return;
  const std::uint32_t most = spec.hosts.ranks_per_host;
  for (const Application& application : spec.applications) {
    if (application.ranks <= most) continue;
    spec.notes.push_back(formatted("{} ranks are more than {} a host, and all are on this machine: no other is named",
                                   application.ranks, most));
  }
}

}  // namespace

std::vector<RankRequest> JobSpec::rank_requests() const {
  std::vector<RankRequest> requests;
  for (const Application& application : applications) requests.push_back({application.ranks, application.hosts});
  return requests;
}

void JobSpec::take(const Allocation& allocation) {
  for (std::size_t i = 0; i < applications.size(); ++i) applications[i].ranks = allocation.ranks.at(i);
}

Status join_hosts(JobSpec& spec) {
  std::vector<Application>& applications = spec.applications;
  const auto has_list = [](const Application& application) { return !application.hosts.empty(); };
  if (std::none_of(applications.begin(), applications.end(), has_list)) return {};
  const bool is_everybodys = std::none_of(applications.begin() + 1, applications.end(), has_list);
  if (spec.hosts.hosts.empty()) {
    STARLING_TRY(add_lists(spec));
  } else {
    for (Application& application : applications) {
      Result<Hosts> chosen = choose_hosts(spec.hosts.hosts, application.hosts);
      if (!chosen.ok()) return std::move(chosen).status();
      if (is_everybodys && has_list(application)) spec.hosts.hosts = std::move(chosen).value();
    }
  }
  if (is_everybodys) applications.front().hosts.clear();
  return {};
}

Status settle_here(JobSpec& spec, const ThisMachine& machine, std::uint32_t usable_cores) {
  const Hosts& hosts = spec.hosts.hosts;
  if (hosts.empty()) {
    const std::uint32_t by_itself = spec.hosts.deal_by == DealBy::kByNumber ? spec.hosts.ranks_per_host : 1;
    for (Application& application : spec.applications) {
      if (application.ranks == 0) application.ranks = by_itself;
    }
    note_ranks_beyond(spec);
    if (spec.hosts.may_exceed_slots || spec.ranks() <= usable_cores) return {};
    return Status::error(
        ErrorClass::kArg,
        formatted(
            "{} ranks are more than the {} cores that are usable here, which --nooversubscribe does not allow. Ask "
            "for fewer ranks, or leave the option out",
            spec.ranks(), usable_cores));
  }
  if (!std::all_of(hosts.begin(), hosts.end(), [&](const Host& host) { return machine.is(host); })) return {};
  const std::vector<std::uint32_t> cores(hosts.size(), usable_cores);
  Result<Allocation> allocation = allocate(spec.rank_requests(), spec.hosts, cores);
  if (!allocation.ok()) return std::move(allocation).status();
  spec.take(allocation.value());
  note_ranks_beyond(spec);
  spec.hosts.hosts.clear();
  for (Application& application : spec.applications) application.hosts.clear();
  return {};
}

}  // namespace starling::launch
