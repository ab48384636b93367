// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HeadFailure: the report of a failure in a job on several hosts, put together: what the host says on which a rank has
// failed, and where the ranks of the others were when they heard that the job ends.
// Thread safety: none, for the event loop's thread. Invariants: it is said once, and a host that does not answer holds
// it up for half a second at most.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "launch/events/event_loop.hpp"
#include "launch/report/failure_report.hpp"

namespace starling::launch {

class HeadFailure {
 public:
  HeadFailure(EventLoop& loop, std::function<void(const std::string& lines)> say) : loop_(loop), say_(std::move(say)) {}

  /// The job ends because of a node; these others are told so and answer.
  void begin(std::int32_t node, std::set<std::int32_t> others);
  void on_report(std::int32_t node, const std::string& body);
  void on_places(std::int32_t node, const std::string& body);
  /// Nothing comes from this node any more.
  void on_gone(std::int32_t node);
  /// Says what there is.
  void finish();

 private:
  EventLoop& loop_;
  std::function<void(const std::string& lines)> say_;
  std::int32_t node_ = -1;
  std::set<std::int32_t> awaited_;
  RankPlaces places_;  ///< of the others
  std::optional<FailureReport> report_;
};

}  // namespace starling::launch
