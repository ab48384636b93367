// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/silence.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "transport/tcp/socket_state.hpp"

namespace starling::transport::tcp {
namespace {

constexpr std::int64_t kMsPerSecond = 1000;

}  // namespace

void ask_while_idle(int socket, std::int64_t dead_after_ms) noexcept {
  // The first question after a quarter of the time, then one in each quarter; the system counts in seconds.
  const std::int64_t seconds = dead_after_ms / kMsPerSecond;
  const int quarter = static_cast<int>(std::max<std::int64_t>(seconds / 4, 1));
  const int questions = static_cast<int>(std::max<std::int64_t>(seconds / quarter - 1, 1));
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &quarter, sizeof quarter);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &quarter, sizeof quarter);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &questions, sizeof questions);
}

std::int64_t silent_ms(int socket) noexcept { return info_of(socket).tcpi_last_ack_recv; }

std::int64_t Silence::look(int socket, std::int64_t now_ns) noexcept {
  const tcp_info info = info_of(socket);
  const std::int64_t before_ns = looked_ns_;
  looked_ns_ = now_ns;
  const bool was_probed = std::exchange(is_probed_, info.tcpi_unacked == 0 && info.tcpi_probes != 0);
  if (info.tcpi_unacked == 0 && info.tcpi_probes == 0) {
    expects_ = unacknowledged_bytes(socket).value_or(0) != 0;  // the peer has no room for it
    since_ns_ = now_ns;
    has_given_time_ = false;
    return 0;
  }
  // The questions to one that does not read become rare. One that is under way in this moment is no silence; only one
  // that look after look finds without an answer.
  const bool has_looked_away = now_ns - before_ns > 2 * kLookNs;
  if (is_probed_ && (!was_probed || has_looked_away)) since_ns_ = now_ns;
  // This machine, or this process, may have been held up, and the answer with it: it has time until the next look,
  // once.
  if (!has_looked_away) has_given_time_ = false;
  if (has_looked_away && !std::exchange(has_given_time_, true)) return 0;
  return std::min<std::int64_t>(info.tcpi_last_ack_recv, (now_ns - since_ns_) / kMillisecond);
}

}  // namespace starling::transport::tcp
