// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/snapshot_responder.hpp"

#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "observe/job/job_reader.hpp"
#include "observe/model/snapshot_form.hpp"

namespace starling::launch {
namespace {

/// Owned by the timer for its next look.
struct SnapshotLooks {
  observe::JobReader reader;
  std::int64_t deadline_ns;
  Reply reply;
};

void look_again(EventLoop& loop, std::shared_ptr<SnapshotLooks> looks) {
  const bool quiet = looks->reader.look_again();
  if (!quiet && now_ns() + observe::JobReader::kBetweenLooksNs <= looks->deadline_ns) {
    loop.after(observe::JobReader::kBetweenLooksNs, [&loop, looks] { look_again(loop, looks); });
    return;
  }
  looks->reply({{}, observe::serialised(looks->reader.snapshot())});
}

}  // namespace

void respond_with_snapshot(EventLoop& loop, const NodeView& node, const Query& query, Reply reply) {
  const auto looks = std::make_shared<SnapshotLooks>(
      SnapshotLooks{observe::JobReader(*node.segment, node.worker), now_ns() + query.patience_ns, std::move(reply)});
  looks->reader.begin();
  loop.after(observe::JobReader::kBetweenLooksNs, [&loop, looks] { look_again(loop, looks); });
}

}  // namespace starling::launch
