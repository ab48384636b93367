// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RootUpstream: the server, which is in the same process. Nothing goes up by message: the queues are the server's own.
//
// Thread safety: the relay's thread.
#pragma once

#include <set>
#include <string>
#include <utility>

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
  void tell_loss(int place, int deaths_before) override;
  std::vector<Replacement> replace_dead() override;
  void on_replaced(int) override {}
  bool on_death(int) override { return false; }
  void on_stop(int) override {}
  bool released() const override { return true; }
  bool after_deaths() const override { return !lost_.empty(); }
  std::optional<RunEnd> ended() const override;
  void say_bye(const std::vector<NodeReport>&) override {}

  /// The spares that nobody needed end.
  void release_spares();

  int lost() const { return static_cast<int>(lost_.size()); }
  int restarted() const { return restarted_; }
  const std::vector<std::string>& given_up() const { return given_up_; }
  int grown() const { return grown_; }

 private:
  bool may_restart(int place, int deaths);
  bool start_spare(const Replacement& replacement, const std::vector<Replacement>& just_now);
  void grow_for_loss();

  const RelayContext& context_;
  Server& server_;
  const int spare_threads_;
  std::set<std::pair<int, int>> lost_;  ///< The processes that died: place, and how many before in that place.
  std::vector<int> vacant_;             ///< Places whose processes died, which was not acted on yet.
  int called_ = 0;                      ///< Spares, from the first.
  int restarted_ = 0;
  std::vector<std::string> given_up_;
  std::uint64_t way_told_ns_ = 0;
  int grown_ = 0;
  int replaced_ = 0;
};

}  // namespace starling::farm
