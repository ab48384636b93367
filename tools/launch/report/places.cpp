// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/places.hpp"

#include <vector>

#include "base/format.hpp"
#include "launch/report/report.hpp"

namespace starling::launch {
namespace {

/// "0-3,6"
std::string cores_text(const std::vector<unsigned>& threads) {
  std::string text;
  for (std::size_t begin = 0; begin < threads.size();) {
    std::size_t end = begin + 1;
    while (end < threads.size() && threads[end] == threads[end - 1] + 1) ++end;
    text += formatted("{}{}", text.empty() ? "" : ",", threads[begin]);
    if (end - begin > 1) text += formatted("-{}", threads[end - 1]);
    begin = end;
  }
  return text;
}

std::string place_of(const topology::BindingPlan& plan, std::size_t local, bool one) {
  if (plan.empty()) return one ? "is not bound to cores" : "are not bound to cores";
  const char* const cores = plan[local].size() > 1 ? "cores" : "core";
  return formatted("{} on {} {}", one ? "runs" : "run", cores, cores_text(plan[local]));
}

}  // namespace

std::string describe_places(const JobSpec& spec, const NodeJob& job, const topology::BindingPlan& plan) {
  std::string lines;
  const auto program_of = [&](std::size_t local) -> const std::string& {
    return spec.applications[static_cast<std::size_t>(job.members.app_numbers[local])].command[0];
  };
  const auto goes_on = [&](std::size_t before, std::size_t local) {
    return job.world_rank(local).value == job.world_rank(before).value + 1 && program_of(local) == program_of(before) &&
           (plan.empty() || plan[local] == plan[before]);
  };
  for (std::size_t begin = 0; begin < job.ranks();) {
    std::size_t end = begin + 1;
    while (end < job.ranks() && goes_on(end - 1, end)) ++end;
    const std::int32_t first = job.world_rank(begin).value;
    const bool one = end == begin + 1;
    const std::string ranks =
        one ? formatted("rank {}", first) : formatted("ranks {} to {}", first, job.world_rank(end - 1).value);
    const std::string words = formatted("{} ({}) {}", ranks, program_of(begin), place_of(plan, begin, one));
    lines += launcher_words(job.host, words);
    begin = end;
  }
  return lines;
}

}  // namespace starling::launch
