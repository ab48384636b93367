// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LocalWatch: the watch over a job whose ranks are all on this node: it reads their shared memory itself.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "launch/events/event_loop.hpp"
#include "launch/query/responder.hpp"
#include "launch/watch/hang_watch.hpp"
#include "observe/job/job_reader.hpp"

namespace starling::launch {

class LocalWatch {
 public:
  using Tell = std::function<void(const std::string& lines)>;

  /// say: whole lines for the user; end: the job shall end, and these are its report.
  LocalWatch(EventLoop& loop, const NodeView& node, const WatchSettings& settings, Tell say, Tell end);

  void take(const NodeScan& scan);

 private:
  using Looked = std::function<void(observe::Snapshot)>;

  void look(std::int64_t patience_ns, Looked looked);
  void look_again(std::int64_t deadline_ns, Looked looked);
  void find_positions(const std::vector<std::int32_t>& ranks, std::function<void(HangWatch::Positions)> found);

  EventLoop& loop_;
  NodeView node_;
  observe::JobReader reader_;
  HangWatch watch_;
};

}  // namespace starling::launch
