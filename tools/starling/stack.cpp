// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling stack: the stacks of all ranks of a running job, merged into one tree.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "job_choice.hpp"
#include "job_look.hpp"
#include "launch/query/ask.hpp"
#include "launch/query/snapshot_answers.hpp"
#include "launch/query/stacks.hpp"
#include "observe/job/process_facts.hpp"
#include "observe/stack/stack_report.hpp"

namespace starling::tools {
namespace {

Status no_such_ranks(std::string why) { return Status::error(ErrorClass::kOther, std::move(why)); }

/// A number, with what follows it left in the text; -1: there is none.
std::int32_t take_number(std::string_view& text) {
  std::int32_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.starts_with('-')) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The ranks of "0-3,7"; all of count where the text is empty.
Result<std::vector<std::int32_t>> read_ranks(const std::string& list, std::int32_t count) {
  std::vector<std::int32_t> ranks;
  std::string_view text = list;
  while (!text.empty()) {
    const std::int32_t first = take_number(text);
    std::int32_t last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    const bool ends = text.empty() || (text.starts_with(',') && text.size() > 1);
    if (first < 0 || last < first || !ends)
      return no_such_ranks(formatted("'{}' is no list of ranks: write it as 0-3,7", list));
    if (last >= count) return no_such_ranks(formatted("there is no rank {}: the job has {}, from 0 on", last, count));
    for (std::int32_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
    text.remove_prefix(text.empty() ? 0 : 1);
  }
  if (ranks.empty()) {
    ranks.resize(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

int refuse_stacks(const std::string& message) {
  std::fprintf(stderr, "starling stack: %s\n", message.c_str());
  return 1;
}

int show(const observe::FoundJob& job, const std::string& list, observe::StackDetail detail) {
  constexpr std::int64_t kLookNs = 50'000'000;
  constexpr std::int64_t kPatienceNs = 10'000'000'000;
  const Result<JobLook> look = look_at(job, kLookNs);
  if (!look.ok()) return refuse_stacks(look.status().message());
  const observe::Snapshot& snapshot = look.value().snapshot;
  const auto ranks = read_ranks(list, static_cast<std::int32_t>(snapshot.ranks.size()));
  if (!ranks.ok()) return refuse_stacks(ranks.status().message());
  const auto asked = list.empty() ? std::vector<std::int32_t>() : ranks.value();
  const Result<launch::Answers> answers = launch::ask(job, launch::stacks_query(asked, detail, kPatienceNs));
  if (!answers.ok()) return refuse_stacks(answers.status().message());
  if (!observe::process_runs(job.worker)) return refuse_stacks(formatted("job {} has ended meanwhile", job.id));
  const std::vector<observe::RankStacks> stacks = launch::stacks_of(answers.value());
  std::fputs(observe::stack_report(snapshot, stacks, ranks.value(), detail).c_str(), stdout);
  for (const std::string& problem : launch::problems_of(answers.value())) std::puts(problem.c_str());
  return std::ranges::any_of(stacks, [](const auto& each) { return !each.threads.empty(); }) ? 0 : 1;
}

}  // namespace

int stack_command(Arguments arguments) {
  CLI::App app(
      "Shows the stacks of all ranks of a running job as one tree: what ranks have in common is there once, with their "
      "numbers. Python's functions are shown where a rank is Python. Each rank is stopped for some milliseconds.",
      "starling stack");
  std::string name;
  std::string ranks;
  bool all = false;
  app.add_option("job", name,
                 "the process number of mpiexec, as 'starling ps' lists it; may be left out where one job runs")
      ->type_name("JOB");
  app.add_option("-r,--ranks", ranks, "only these ranks, as 0-3,7")->type_name("RANKS");
  app.add_flag("--all", all, "also the functions inside MPI, the system's libraries and Python, and all threads");
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  const Result<observe::FoundJob> job = choose_job(name);
  if (!job.ok()) return refuse_stacks(job.status().message());
  return show(job.value(), ranks, all ? observe::StackDetail::kAll : observe::StackDetail::kUsers);
}

}  // namespace starling::tools
