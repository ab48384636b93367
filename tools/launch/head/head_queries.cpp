// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/head/head_queries.hpp"

#include <utility>

#include "observe/job/launcher_socket.hpp"

namespace starling::launch {

HeadQueries::HeadQueries(EventLoop& loop, const std::vector<HeadNode>& nodes, Branches& branches)
    : nodes_(nodes),
      queries_(loop, {[this] { return queried_nodes(); },
                      [&branches](std::int32_t node, std::uint64_t number, const Query& query) {
                        branches.send({FrameKind::kQuery, node, NumberedText{number, query.serialised()}.serialised()});
                      }}),
      server_(loop, queries_) {}

void HeadQueries::start() {
  // Refused in a sandbox: then nobody can ask.
  [[maybe_unused]] const bool started = server_.start(observe::head_socket_name());
}

void HeadQueries::take(std::int32_t node, const std::string& body) {
  Result<NumberedText> text = NumberedText::parse(body);
  if (!text.ok()) return;
  Result<NodeReply> reply = NodeReply::parse(text.value().text);
  queries_.on_reply(node, text.value().number,
                    reply.ok() ? std::move(reply).value() : NodeReply{"says what cannot be understood", {}});
}

std::vector<QueriedNode> HeadQueries::queried_nodes() const {
  std::vector<QueriedNode> found;
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    const HeadNode& node = nodes_[number];
    if (node.share.ranks.empty()) continue;
    QueriedNode queried;
    queried.number = static_cast<std::int32_t>(number);
    queried.host = node.host.name;
    for (const WorldRank rank : node.share.ranks) queried.ranks.push_back(rank.value);
    if (node.step < Step::kRunning) queried.problem = "has not started its ranks yet";
    if (node.step == Step::kGone) queried.problem = "has ended its ranks";
    found.push_back(std::move(queried));
  }
  return found;
}

}  // namespace starling::launch
