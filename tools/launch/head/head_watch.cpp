// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/head/head_watch.hpp"

#include <utility>

namespace starling::launch {

HeadWatch::HeadWatch(const WatchSettings& settings, HeadQueries& queries, Tell say, Tell end)
    : watch_(settings, {{},
                        [&queries](Query query, Queries::Done done) { queries.ask(std::move(query), std::move(done)); },
                        std::move(say),
                        std::move(end)}) {}

void HeadWatch::take(std::int32_t node, const std::string& body, std::int64_t now_ns) {
  const Result<NodeScan> scan = NodeScan::parse(body);
  if (!scan.ok()) return;
  told_[node] = {scan.value(), now_ns};
  look(now_ns);
}

void HeadWatch::look(std::int64_t now_ns) {
  if (told_.empty()) return;
  NodeScan all;
  for (const auto& [node, told] : told_) all = all.with(told.scan.after(now_ns - told.at_ns));
  watch_.take(all, now_ns);
}

}  // namespace starling::launch
