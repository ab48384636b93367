// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tune_network.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>

#include "base/format.hpp"
#include "launch/hosts/host_list.hpp"
#include "launch/options/command_line.hpp"
#include "launch/start/job_settings.hpp"
#include "tune_job.hpp"
#include "tuning/network.hpp"
#include "tuning/words.hpp"

namespace starling::tools {
namespace {

Status no_network(const std::string& what) { return Status::error(ErrorClass::kArg, what); }

/// In a list a host that is there twice has more slots, which means nothing here; more likely it is a slip.
Status check_once(std::string_view list) {
  std::set<std::string> names;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    const Result<std::vector<launch::Host>> host = launch::parse_host_list(word);
    if (!host.ok()) return host.status().copy();
    for (const launch::Host& each : host.value()) {
      if (!names.insert(each.name).second) {
        return no_network(formatted(
            "host {} is named twice, and what is measured is between different ones; name it once", each.name));
      }
    }
  }
  return {};
}

std::vector<tuning::PairCosts> pairs_in(std::string_view text) {
  std::vector<tuning::PairCosts> pairs;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (const std::optional<tuning::PairCosts> pair = tuning::pair_in(line)) pairs.push_back(*pair);
  }
  return pairs;
}

}  // namespace

Result<std::vector<std::string>> hosts_to_tune(const std::vector<std::string>& host_options) {
  for (std::size_t i = 0; i + 1 < host_options.size(); i += 2) {
    if (host_options[i] == "--host") STARLING_TRY(check_once(host_options[i + 1]));
  }
  std::vector<const char*> words;
  for (const std::string& word : host_options) words.push_back(word.c_str());
  words.insert(words.end(), {"-N", "1", "starling"});
  const Result<launch::JobSpec> spec = launch::parse_command_line(words);
  if (!spec.ok()) return spec.status().copy();
  std::vector<std::string> names = launch::tuning_names(spec.value().hosts);
  if (names.size() < 2) {
    return no_network(
        "a network is between two hosts or more, and this is one; without --host the machine itself is measured");
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) return no_network(formatted("two of the hosts are {}; name it once", name));
  }
  return names;
}

Status measure_network(const std::vector<std::string>& host_options, const std::vector<std::string>& hosts,
                       double seconds, tuning::File& file) {
  constexpr int kStartS = 60;
  constexpr int kSlowPairS = 10;  // of which some figures take longer than they should
  std::vector<std::string> options = host_options;
  options.insert(options.end(), {"-N", "1"});
  std::fprintf(stderr, "starling tune: measuring between %zu hosts ...\n", hosts.size());
  const int limit_s = kStartS + static_cast<int>(2 * seconds) + kSlowPairS * static_cast<int>(hosts.size());
  const Result<std::string> output = run_tune_job(options, limit_s, {"network", formatted("{}", seconds)});
  if (!output.ok()) return output.status().copy();
  const std::vector<tuning::PairCosts> pairs = pairs_in(output.value());
  const auto is_known = [&](const tuning::PairCosts& pair) {
    const auto count = static_cast<std::int32_t>(hosts.size());
    return pair.pair.one >= 0 && pair.pair.one < count && pair.pair.other >= 0 && pair.pair.other < count;
  };
  if (pairs.empty() || !std::ranges::all_of(pairs, is_known)) {
    return Status::error(ErrorClass::kOther, "the job that measures has brought no figures");
  }
  for (const tuning::PairCosts& pair : pairs) {
    std::fprintf(stderr, "starling tune: %s\n", tuning::words_of(pair, hosts).c_str());
  }
  const auto by_time = [](const tuning::PairCosts& pair) { return tuning::usual_message_ns(pair.costs); };
  file.hosts.names = hosts;
  file.hosts.slowest = tuning::words_of(*std::ranges::max_element(pairs, {}, by_time), hosts);
  file.hosts.fastest = tuning::words_of(*std::ranges::min_element(pairs, {}, by_time), hosts);
  file.constants = tuning::joined({file.of_node(), tuning::network_text(tuning::slowest(pairs))});
  return {};
}

}  // namespace starling::tools
