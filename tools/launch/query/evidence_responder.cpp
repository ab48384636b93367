// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/evidence_responder.hpp"

#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "observe/figures/evidence_form.hpp"
#include "observe/job/job_examiner.hpp"

namespace starling::launch {
namespace {

/// Owned by the timer for its next look.
struct Watch {
  observe::JobExaminer examiner;
  std::int64_t deadline_ns;
  Reply reply;
};

void look_on(EventLoop& loop, const std::shared_ptr<Watch>& watch) {
  watch->examiner.look();
  if (now_ns() >= watch->deadline_ns) return watch->reply({{}, serialised(watch->examiner.evidence())});
  loop.after(watch->examiner.pause_ns(), [&loop, watch] { look_on(loop, watch); });
}

}  // namespace

void respond_with_evidence(EventLoop& loop, const NodeView& node, const Query& query, Reply reply) {
  const auto watch = std::make_shared<Watch>(
      Watch{observe::JobExaminer(*node.segment, node.worker), now_ns() + query.patience_ns, std::move(reply)});
  loop.after(watch->examiner.pause_ns(), [&loop, watch] { look_on(loop, watch); });
}

Query evidence_query(std::int64_t watched_ns) { return {QueryKind::kEvidence, {}, {}, watched_ns}; }

observe::JobEvidence evidence_of(const Answers& answers) {
  observe::JobEvidence whole;
  for (const NodeAnswer& node : answers.nodes) {
    if (!node.reply.problem.empty()) continue;
    Result<observe::JobEvidence> part =
        observe::parse_evidence(node.reply.bytes, static_cast<std::size_t>(answers.ranks));
    if (!part.ok()) continue;
    for (observe::HostEvidence& host : part.value().hosts) {
      if (!node.host.empty()) host.name = node.host;
    }
    observe::add_part(whole, std::move(part).value());
  }
  return whole;
}

}  // namespace starling::launch
