// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RootUpstream: the server, which is in the same process. Nothing goes up by message: the queues are the server's own.
//
// Thread safety: the relay's thread.
#pragma once

#include <set>

#include "server/server.hpp"
#include "upstream.hpp"

namespace starling::farm {

class RootUpstream final : public Upstream {
 public:
  /// So many spare threads begin in this process when no other one calculates any more.
  RootUpstream(const RelayContext& context, Server& server, int spare_threads)
      : context_(context), server_(server), spare_threads_(spare_threads) {}

  std::chrono::milliseconds look_period() const override;
  void tell_threads(bool joining) override;
  void take_tasks(int parent, const std::shared_ptr<const Buffer>& message) override;
  /// None go up; but the server's window is as wide as the longest way asks for.
  bool send_results() override;
  bool results_wait() const override { return false; }
  bool give_back(MessageKind, const Tasks&) override { return false; }
  void on_no_threads() override;
  bool runs_out() const override;
  void drain() override { server_.stop_input(); }
  /// The new process joins as a child of the root: of any other parent it would know no ancestors, and be lost with it.
  /// What goes wrong is said on standard error.
  void grow() override;
  void tell_loss(int rank) override;
  bool on_death(int) override { return false; }
  void on_stop(int) override {}
  bool released() const override { return true; }
  std::optional<bool> ended() const override;
  void say_bye(const std::vector<NodeReport>&) override {}

  int lost() const { return static_cast<int>(lost_.size()); }
  int grown() const { return grown_; }

 private:
  const RelayContext& context_;
  Server& server_;
  const int spare_threads_;
  std::set<int> lost_;  ///< The processes that died.
  std::uint64_t way_told_ns_ = 0;
  int grown_ = 0;
  int replaced_ = 0;
};

}  // namespace starling::farm
