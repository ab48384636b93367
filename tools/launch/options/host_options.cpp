// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options/host_options.hpp"

#include <algorithm>
#include <cctype>

#include "base/format.hpp"
#include "launch/hosts/host_file.hpp"
#include "launch/hosts/host_list.hpp"
#include "launch/hosts/host_merge.hpp"
#include "launch/hosts/host_name.hpp"

namespace starling::launch {
namespace {

using HostValues = std::span<const std::string>;

Status refused(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

/// Adds the hosts of a further --host or host file.
Status add_hosts(std::vector<Host>& hosts, const Result<std::vector<Host>>& more) {
  if (!more.ok()) return more.status().copy();
  HostMerge merge(hosts);
  for (const Host& host : more.value()) STARLING_TRY(merge.add(host));
  return {};
}

/// How many ranks a host gets may be said once, or twice the same: one word of two would change how many there are.
Status deal(Reading& reading, DealBy deal_by, std::uint32_t ranks_per_host, const std::string& option) {
  HostRequest& hosts = reading.spec.hosts;
  if (reading.dealt_by.empty()) {
    reading.dealt_by = option;
  } else if (hosts.deal_by != deal_by || hosts.ranks_per_host != ranks_per_host) {
    return refused(
        formatted("{} and {} deal the ranks to the hosts differently; take one of them", reading.dealt_by, option));
  }
  hosts.deal_by = deal_by;
  hosts.ranks_per_host = ranks_per_host;
  return {};
}

/// Whether ranks may exceed the slots; said twice, it must be the same.
Status set_exceeding(Reading& reading, bool allows, const std::string& option) {
  bool& may = reading.spec.hosts.may_exceed_slots;
  if (!reading.slots_by.empty() && may != allows) {
    return refused(formatted("{} and {} are contrary; take one of them", reading.slots_by, option));
  }
  may = allows;
  reading.slots_by = option;
  return {};
}

/// `name` for a number that is none, and `whole` as it was typed.
Status deal_by_number(Reading& reading, std::string_view name, std::string_view number, const std::string& whole) {
  Result<std::uint32_t> ranks = parse_slots(number);
  if (!ranks.ok()) {
    return refused(formatted("{} takes the number of ranks on each host, a whole number from 1 to {}, but got '{}'",
                             name, kMostSlots, shown_word(number)));
  }
  return deal(reading, DealBy::kByNumber, ranks.value(), whole);
}

std::vector<std::string> lower_case_parts(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return parts;
}

/// "ppr:2:node"
Status map_by_number(Reading& reading, const std::vector<std::string>& parts, const std::string& text) {
  if (parts.size() < 3) return refused(formatted("--map-by {} is not whole; it is written ppr:N:node", text));
  if (parts[2] != "node") {
    return refused(
        formatted("--map-by {}: so many ranks can be asked for on each node only, as in ppr:{}:node", text, parts[1]));
  }
  return deal_by_number(reading, "--map-by ppr", parts[1], "--map-by " + text);
}

Status map_by_word(Reading& reading, const std::string& word) {
  if (word == "node") return deal(reading, DealBy::kNode, 0, "--map-by node");
  Result<topology::MapBy> parsed = topology::parse_map_by(word);
  if (!parsed.ok()) return refused(parsed.status().message() + ", node, ppr:N:node");
  const auto& [known, is_new] = reading.given.try_emplace("map-by", std::vector{word});
  if (!is_new && known->second.front() != word) {
    return refused(
        formatted("--map-by {} and --map-by {} are contrary; take one of them", known->second.front(), word));
  }
  reading.spec.binding.map_by = parsed.value();
  return {};
}

}  // namespace

Status set_host_list(Reading& reading, HostValues values) {
  return add_hosts(reading.application.hosts, parse_host_list(values[0]));
}

/// Several applications may name the same file; its hosts count once.
Status set_host_file(Reading& reading, HostValues values) {
  std::vector<std::string>& known = reading.host_files;
  if (std::find(known.begin(), known.end(), values[0]) != known.end()) return {};
  known.push_back(values[0]);
  return add_hosts(reading.spec.hosts.hosts, read_host_file(values[0]));
}

Status set_ranks_per_host(Reading& reading, HostValues values) {
  return deal_by_number(reading, "-N", values[0], "-N " + values[0]);
}

Status set_map_by(Reading& reading, HostValues values) {
  const std::vector<std::string> parts = lower_case_parts(values[0]);
  std::size_t qualifiers = 1;
  if (parts[0] == "ppr") {
    STARLING_TRY(map_by_number(reading, parts, values[0]));
    qualifiers = 3;
  } else if (!parts[0].empty() || parts.size() == 1) {
    STARLING_TRY(map_by_word(reading, parts[0]));
  }
  for (std::size_t i = qualifiers; i < parts.size(); ++i) {
    const bool allows = parts[i] == "oversubscribe";
    if (allows || parts[i] == "nooversubscribe") {
      STARLING_TRY(set_exceeding(reading, allows, "--map-by " + values[0]));
      continue;
    }
    if (parts[i].starts_with("pe=")) {
      return refused(
          formatted("--map-by {}: cores are not counted out to ranks ('{}'). Without --bind-to, ranks that fit on the "
                    "cores get equal shares of them: leave it out, and ask for fewer ranks on each host with -N",
                    values[0], parts[i]));
    }
    return refused(
        formatted("--map-by {}: '{}' is not understood; behind a ':' it takes oversubscribe or nooversubscribe",
                  values[0], shown_word(parts[i])));
  }
  return {};
}

Status allow_more_than_slots(Reading& reading, HostValues) { return set_exceeding(reading, true, "--oversubscribe"); }

Status refuse_more_than_slots(Reading& reading, HostValues) {
  return set_exceeding(reading, false, "--nooversubscribe");
}

Status set_remote_shell(Reading& reading, HostValues values) {
  if (values[0].find_first_not_of(" \t") == std::string::npos) {
    return refused("--rsh-agent takes a command, which is called as CMD HOST COMMAND...");
  }
  reading.spec.hosts.remote_shell = values[0];
  return {};
}

Status set_launcher(Reading& reading, HostValues values) {
  ShellKind& kind = reading.spec.hosts.shell_kind;
  if (values[0] == "ssh") return kind = ShellKind::kSsh, Status();
  if (values[0] == "rsh") return kind = ShellKind::kRsh, Status();
  if (values[0] == "slurm") return kind = ShellKind::kSrun, Status();
  return refused(formatted(
      "-launcher takes ssh, rsh or slurm, but got '{}'; --rsh-agent takes the command of any other remote shell",
      shown_word(values[0])));
}

Status set_mca(Reading& reading, HostValues values) {
  if (values[0] == "plm_rsh_agent" || values[0] == "plm_ssh_agent") {
    // Open MPI takes several with ':' between them and uses the first that is there.
    const std::string first = values[1].substr(0, values[1].find(':'));
    return set_remote_shell(reading, HostValues(&first, 1));
  }
  if (values[0] == "rmaps_base_oversubscribe") {
    const bool allows = values[1] == "1" || values[1] == "true" || values[1] == "yes";
    return set_exceeding(reading, allows, formatted("--mca {} {}", values[0], values[1]));
  }
  constexpr std::string_view kPlaces[] = {"rmaps",
                                          "ras",
                                          "plm",
                                          "hwloc_base_bind",
                                          "hwloc_base_cpu",
                                          "hwloc_default",
                                          "orte_default_hostfile",
                                          "prte_default_hostfile",
                                          "orte_set_default_slots"};
  for (const std::string_view place : kPlaces) {
    if (!values[0].starts_with(place)) continue;
    return refused(
        formatted("--mca {} {} is a setting of Open MPI that says where ranks run, and Starling does not know it. Use "
                  "--host, --hostfile, -N, --map-by and --bind-to",
                  values[0], values[1]));
  }
  reading.spec.without_effect.push_back(formatted("--mca {}", values[0]));
  return {};
}

}  // namespace starling::launch
