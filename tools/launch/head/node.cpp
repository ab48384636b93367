// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/head/node.hpp"

#include "base/format.hpp"

namespace starling::launch {
namespace {

/// "2-3, 7" of a rising row.
std::string text_of(const std::vector<WorldRank>& ranks) {
  std::string text;
  for (std::size_t first = 0, next = 0; first < ranks.size(); first = next) {
    for (next = first + 1; next < ranks.size() && ranks[next].value == ranks[next - 1].value + 1;) ++next;
    text += formatted("{}{}", text.empty() ? "" : ", ", ranks[first].value);
    if (next - first > 1) text += formatted("-{}", ranks[next - 1].value);
  }
  return text;
}

}  // namespace

bool HeadNode::hears(std::int64_t now_ns, std::int64_t limit_ns, std::int64_t mute_limit_ns) {
  if (silence.is_suspect(now_ns, limit_ns)) {
    silence.answered(pulse.feel(now_ns));
  } else {
    pulse.rest();
  }
  return !silence.too_long(now_ns, limit_ns, mute_limit_ns);
}

bool HeadNode::was_reachable(std::span<const HeadNode> nodes, std::int64_t then_ns) const {
  if (starter < 0) return true;
  const HeadNode& by = nodes[static_cast<std::size_t>(starter)];
  return by.step == Step::kGone || by.silence.heard_ns() > then_ns;
}

std::string HeadNode::what_is_there() const {
  std::string interfaces;
  for (const transport::tcp::NamedInterface& each : transport::tcp::interfaces_of(offered)) {
    interfaces += (interfaces.empty() ? ", at " : ", ") + each.text();
  }
  return formatted("It has rank{} {}{}", share.ranks.size() == 1 ? "" : "s", text_of(share.ranks), interfaces);
}

}  // namespace starling::launch
