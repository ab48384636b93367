// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/stacks.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "launch/query/helper_run.hpp"
#include "launch/start/self.hpp"
#include "observe/job/rank_processes.hpp"
#include "observe/stack/shortened.hpp"

namespace starling::launch {
namespace {

constexpr const char* kAllFrames = "all";

/// What users do not see need not cross the network.
std::string without_what_is_not_shown(const std::string& text) {
  std::vector<observe::RankStacks> stacks = observe::stacks_from_text(text);
  for (observe::RankStacks& rank : stacks) {
    for (observe::ThreadStack& thread : rank.threads) {
      if (!observe::sleeps_outside_the_program(thread)) thread.frames = observe::shortened(thread.frames);
    }
  }
  return observe::to_text(stacks);
}

NodeReply reply_of(const HelperOutput& output, bool all) {
  if (!output.in_time) return {"has not read the stacks in time: its debug information takes too long to read", {}};
  if (output.output.empty()) {
    const std::string why = output.errors.substr(0, output.errors.find('\n'));
    return {formatted("cannot read the stacks: {}", why.empty() ? "starling-symbolize failed" : why), {}};
  }
  return {{}, all ? output.output : without_what_is_not_shown(output.output)};
}

}  // namespace

Query stacks_query(std::vector<std::int32_t> ranks, observe::StackDetail detail, std::int64_t patience_ns) {
  const char* const text = detail == observe::StackDetail::kAll ? kAllFrames : "";
  return {QueryKind::kStacks, text, std::move(ranks), patience_ns};
}

std::vector<observe::RankStacks> stacks_of(const Answers& answers) {
  std::vector<observe::RankStacks> all;
  for (const NodeAnswer& node : answers.nodes) {
    if (node.reply.problem.empty())
      std::ranges::move(observe::stacks_from_text(node.reply.bytes), std::back_inserter(all));
  }
  return all;
}

void respond_with_stacks(EventLoop& loop, const NodeView& node, const Query& query, Reply reply) {
  constexpr std::size_t kMostBytes = 64 * 1024 * 1024;
  std::vector<std::string> words{find_helper("starling-symbolize"), "--stacks"};
  if (words.front().empty()) return reply({"has no starling-symbolize beside its mpiexec", {}});
  for (const auto& [rank, process] : observe::rank_processes(*node.segment, node.worker, query.ranks)) {
    words.push_back(formatted("{}:{}", rank, process));
  }
  constexpr std::size_t kNoRanks = 2;
  if (words.size() == kNoRanks) return reply({});
  run_helper(loop, node.inherited, std::move(words), query.patience_ns, kMostBytes,
             [reply = std::move(reply), all = query.text == kAllFrames](const HelperOutput& output) {
               reply(reply_of(output, all));
             });
}

}  // namespace starling::launch
