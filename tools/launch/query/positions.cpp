// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/positions.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/byte_stream.hpp"
#include "base/format.hpp"
#include "launch/query/helper_run.hpp"
#include "launch/start/self.hpp"
#include "observe/job/rank_processes.hpp"

namespace starling::launch {
namespace {

std::string written(const std::vector<RankPosition>& positions) {
  return ByteWriter()
      .put_list(positions,
                [](ByteWriter& writer, const RankPosition& each) {
                  writer.put(each.rank).put_text(each.position).put_text(each.problem);
                })
      .take();
}

std::vector<RankPosition> read_positions(std::string_view bytes) {
  ByteReader reader(bytes);
  std::vector<RankPosition> positions = reader.get_list<RankPosition>([](ByteReader& from) {
    RankPosition each;
    each.rank = from.get<std::int32_t>();
    each.position = from.get_text();
    each.problem = from.get_text();
    return each;
  });
  if (!reader.ok_and_at_end()) positions.clear();
  return positions;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

RankPosition position_in(std::int32_t rank, const HelperOutput& output) {
  if (!output.in_time) return {rank, {}, "its debug information takes too long to read"};
  if (!output.output.empty()) return {rank, first_line(output.output), {}};
  return {rank, {}, output.errors.empty() ? "starling-symbolize failed" : first_line(output.errors)};
}

/// Owned by the helpers that run for it.
struct PositionSearch {
  std::vector<RankPosition> found;
  std::size_t running = 0;
  Reply reply;
};

}  // namespace

Query positions_query(std::vector<std::int32_t> ranks, std::int64_t patience_ns) {
  ranks.resize(std::min(ranks.size(), kMostPositions));
  return {QueryKind::kPositions, {}, std::move(ranks), patience_ns};
}

std::vector<RankPosition> positions_of(const Answers& answers) {
  std::vector<RankPosition> all;
  for (const NodeAnswer& node : answers.nodes) {
    if (node.reply.problem.empty()) std::ranges::move(read_positions(node.reply.bytes), std::back_inserter(all));
  }
  return all;
}

void respond_with_positions(EventLoop& loop, const NodeView& node, const Query& query, Reply reply) {
  constexpr std::size_t kLongestLine = 4096;
  const std::string helper = find_helper("starling-symbolize");
  if (helper.empty()) return reply({"has no starling-symbolize beside its mpiexec", {}});
  const auto search = std::make_shared<PositionSearch>();
  search->reply = std::move(reply);
  for (const auto& [number, process] : observe::rank_processes(*node.segment, node.worker, query.ranks)) {
    if (search->running == kMostPositions) break;
    const std::int32_t rank = number;
    ++search->running;
    run_helper(loop, node.inherited, {helper, "--position", formatted("{}", process)}, query.patience_ns, kLongestLine,
               [search, rank](const HelperOutput& output) {
                 search->found.push_back(position_in(rank, output));
                 if (--search->running == 0) search->reply({{}, written(search->found)});
               });
  }
  if (search->running == 0) search->reply({{}, written({})});
}

}  // namespace starling::launch
