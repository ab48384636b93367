// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HeadWatch: the watch over a job on several hosts. Each agent tells when the state of its ranks has changed; where
// ranks wait that did not wait before, or one may be late, all nodes are asked.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "launch/head/head_queries.hpp"
#include "launch/watch/hang_watch.hpp"

namespace starling::launch {

class HeadWatch {
 public:
  using Tell = std::function<void(const std::string& lines)>;

  /// end: ends the job, with this report.
  HeadWatch(const WatchSettings& settings, HeadQueries& queries, Tell say, Tell end);

  /// What the ranks of a node do (NodeScan).
  void take(std::int32_t node, const std::string& body, std::int64_t now_ns);
  /// Nothing comes from this node any more.
  void forget(std::int32_t node) { told_.erase(node); }
  /// From time to time.
  void look(std::int64_t now_ns);

 private:
  struct Told {
    NodeScan scan;
    std::int64_t at_ns = 0;
  };

  HangWatch watch_;
  std::map<std::int32_t, Told> told_;  ///< by node
};

}  // namespace starling::launch
