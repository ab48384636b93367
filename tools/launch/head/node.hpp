// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HeadNode: a host of the job as its head sees it. Thread safety: a value, which moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "launch/hosts/host.hpp"
#include "launch/link/messages.hpp"
#include "launch/link/pulse.hpp"
#include "launch/link/silence.hpp"

namespace starling::launch {

/// How far a host has come.
enum class Step : std::uint8_t {
  kGreeting,   ///< its agent is being started
  kWaiting,    ///< ... and has said hello
  kPreparing,  ///< it has got its part of the job
  kListening,  ///< ... and its ranks can be called
  kRunning,    ///< its ranks have been started
  kGone        ///< nothing of the job is left there
};

struct HeadNode {
  Host host;
  bool is_here = false;  ///< mpiexec's own machine
  Step step = Step::kGreeting;
  bool is_lost = false;       ///< ... before its ranks had ended
  std::int32_t starter = -1;  ///< the node whose agent starts this one's; -1: the head does
  Hello hello;
  HostShare share;                                        ///< no ranks: the job does without this host
  std::vector<transport::tcp::InterfaceAddress> offered;  ///< where its ranks shall listen
  std::uint32_t sharers = 1;                              ///< hosts of the job that have the cores of this one
  Listening listening;
  Silence silence;
  Pulse pulse;
  bool mute_is_told = false;  ///< that nothing comes from its agent though the machine answers
  Over over;

  /// Whether the agent, or its machine, is still there; see Silence::too_long.
  [[nodiscard]] bool hears(std::int64_t now_ns, std::int64_t limit_ns, std::int64_t mute_limit_ns);
  /// Whether the one by which it is reached was heard after that moment: else a silence may be that one's.
  [[nodiscard]] bool was_reachable(std::span<const HeadNode> nodes, std::int64_t then_ns) const;
  /// For a sentence about its loss: "It has ranks 2-3, at eth0 (10.0.0.2)".
  [[nodiscard]] std::string what_is_there() const;
  /// By the ranks here: a machine's cores are shared among its names, and among its containers.
  [[nodiscard]] std::uint32_t usable_cores() const noexcept { return std::max(1U, hello.usable_cores / sharers); }
};

}  // namespace starling::launch
