// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Silence: finds out that the machine of a peer, or the network to it, has gone without a word. While a connection is
// idle the system asks the other machine (keepalive); while it is not, the system repeats what is not acknowledged, and
// Silence asks the system since when nothing has come. A peer that computes, is stopped, or does not read is not
// silent: its machine answers for it.
//
// TCP_USER_TIMEOUT is not set: the system would end connections to a peer whose window is full, however alive it is.
// Thread safety: the world's lock.
#pragma once

#include <cstdint>

namespace starling::transport::tcp {

/// The system ends the connection (ETIMEDOUT) when it is idle and the other machine answers nothing for so long.
void ask_while_idle(int socket, std::int64_t dead_after_ms) noexcept;

/// Since when nothing has come from the other machine.
[[nodiscard]] std::int64_t silent_ms(int socket) noexcept;

/// Of one connection.
class Silence {
 public:
  /// Between two looks at a connection that expects answers.
  static constexpr std::int64_t kLookNs = 1'000'000'000;

  /// Something has been written, which the other machine has to acknowledge.
  void expect(std::int64_t now_ns) noexcept {
    expects_ = true;
    since_ns_ = now_ns;
  }
  /// All that was written may not be acknowledged.
  [[nodiscard]] bool expects() const noexcept { return expects_; }

  /// Asks the system. Milliseconds for which the other machine has owed an answer; 0: it owes none.
  [[nodiscard]] std::int64_t look(int socket, std::int64_t now_ns) noexcept;

 private:
  bool expects_ = false;
  bool is_probed_ = false;  ///< it does not read, and the last look found that the system had asked whether it does
  bool has_given_time_ = false;  ///< the last look came late, and asked for another one
  std::int64_t since_ns_ = 0;    ///< when an answer was expected first, or a question seen
  std::int64_t looked_ns_ = 0;   ///< the last look
};

}  // namespace starling::transport::tcp
