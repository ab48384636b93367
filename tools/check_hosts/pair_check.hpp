// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PairCheck: messages between this rank and one other, each kind within a deadline.
// Thread safety: one thread.
#pragma once

#include <mpi.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "connection_view.hpp"

namespace starling::check_hosts {

struct Message {
  int bytes;
  int rounds;
  const char* name;
};

class PairCheck {
 public:
  /// The caller speaks first, so the connection is its call to the other rank.
  PairCheck(int partner, bool calls) : partner_(partner), calls_(calls), before_(tcp_connections()) {}

  /// Sends messages of a kind to and fro. False when one has not arrived in time, or fails.
  bool exchange(const Message& message);

  /// What became of the message that did not arrive.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  /// Half a round trip of the fastest message so far, in microseconds, and the time of the first one.
  [[nodiscard]] double fastest_us() const noexcept { return fastest_us_; }
  [[nodiscard]] double first_us() const noexcept { return first_us_; }
  [[nodiscard]] std::optional<ConnectionView> connection() const { return busiest_but(before_); }

 private:
  bool send_and_wait(const Message& message);
  bool receive(const Message& message);
  bool wait_for(MPI_Request request);
  bool fails(int code);

  int partner_;
  bool calls_;
  std::set<int> before_;
  std::vector<char> buffer_;
  std::string problem_;
  double fastest_us_ = 0;
  double first_us_ = 0;
};

}  // namespace starling::check_hosts
