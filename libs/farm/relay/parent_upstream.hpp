// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ParentUpstream: a parent process. Results are gathered and go up together; tasks that come back, deaths and wishes go
// up at once. When the parent dies its own parent takes its place.
//
// Thread safety: the relay's thread.
#pragma once

#include <unordered_set>

#include "upstream.hpp"

namespace starling::farm {

class ParentUpstream final : public Upstream {
 public:
  explicit ParentUpstream(const RelayContext& context);

  std::chrono::milliseconds look_period() const override { return std::chrono::milliseconds(100); }
  /// The tree's reduction: first when all below have told theirs, then whenever something changes.
  void tell_threads(bool joining) override;
  void take_tasks(const std::shared_ptr<const Buffer>& message) override;
  bool send_results() override;
  bool results_wait() const override { return gathered_.count() > 0; }
  /// The parent still has the inputs of these tasks.
  bool give_back(MessageKind kind, const Tasks& tasks) override;
  void on_no_threads() override;
  bool runs_out() const override { return false; }
  void drain() override;
  void grow() override;
  void tell_loss(int rank) override;
  bool on_death(int peer) override;
  std::optional<bool> ended() const override { return std::nullopt; }
  void say_bye(const std::vector<NodeReport>& reports) override;

 private:
  void send(std::shared_ptr<const Buffer> message);
  void flush();

  const RelayContext& context_;
  std::vector<int> ancestors_;  ///< Those alive; the parent first. Empty when the run ends after the last one's death.
  std::unordered_set<std::uint64_t> unanswered_;  ///< Tasks from the parent whose results have not gone up.
  Message gathered_{MessageKind::kResults};
  Clock::time_point gathered_since_;
  std::uint64_t threads_told_ = 0;
};

}  // namespace starling::farm
