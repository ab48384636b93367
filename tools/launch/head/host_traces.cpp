// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/head/host_traces.hpp"

#include <cstring>

#include "base/clock.hpp"
#include "launch/link/messages.hpp"

namespace starling::launch {

Status HostTraces::begin(const JobSpec& spec, std::size_t hosts) {
  if (!spec.trace.wanted()) return {};
  return trace_.begin(spec.trace, {spec.ranks(), static_cast<std::uint32_t>(hosts)});
}

void HostTraces::on_clock(std::int32_t host, std::string_view answer) {
  const std::int64_t now = now_ns();
  const ClockAnswer clock = ClockAnswer::parse(answer);
  if (!are_wanted() || clock.asked_ns > now) return;
  const std::int64_t half = (now - clock.asked_ns) / 2;
  const std::int64_t middle = clock.asked_ns + half;
  trace_.log().put_value(observe::RecordKind::kOffset, host,
                         observe::ClockOffset{middle, clock.node_ns - middle, half + 1});
}

bool HostTraces::on_piece(std::int32_t host, std::string_view piece) {
  constexpr std::uint64_t kLongest = 64 * 1024 * 1024;
  if (!are_wanted()) return true;
  std::string& bytes = pieces_[host];
  bytes += piece;
  std::size_t whole = 0;
  while (bytes.size() - whole >= sizeof(observe::RecordHead)) {
    observe::RecordHead head;
    std::memcpy(&head, bytes.data() + whole, sizeof head);
    if (head.bytes > kLongest) return false;
    const std::size_t length = sizeof head + (head.bytes + 7) / 8 * 8;
    if (bytes.size() - whole < length) break;
    whole += length;
  }
  trace_.log().put_records(std::string_view(bytes).substr(0, whole));
  bytes.erase(0, whole);
  return true;
}

}  // namespace starling::launch
