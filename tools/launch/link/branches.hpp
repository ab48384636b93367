// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Branches: the agents that a process has started, each with the agents below it: the head of a job has branches, and
// beyond kWidth hosts agents have some as well, so that nobody starts or serves more than a few remote shells. A frame
// for a node goes into the branch that the node is on.
// Thread safety: for single-threaded processes; everything runs in the event loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launch/link/link.hpp"
#include "launch/link/shell_process.hpp"

namespace starling::launch {

/// How to start an agent, and those that it starts.
struct AgentStart {
  std::int32_t node = 0;
  std::vector<std::string> command;
  std::vector<AgentStart> below;
};

/// A list of them as bytes, for FrameKind::kBranches.
[[nodiscard]] std::string serialised(const std::vector<AgentStart>& starts);
[[nodiscard]] Result<std::vector<AgentStart>> parse_agent_starts(std::string_view bytes);

/// Makes a tree of agents out of a row, so that nobody starts more than `width`.
[[nodiscard]] std::vector<AgentStart> as_tree(std::vector<AgentStart> row, std::size_t width);

class Branches {
 public:
  static constexpr std::size_t kWidth = 32;

  struct Handlers {
    std::function<void(Frame)> on_frame;
    /// The agent of a node, and with it those below, cannot be reached any more. why: the rest of a sentence that
    /// begins with the host.
    std::function<void(std::int32_t node, const std::string& why)> on_lost;
    /// The same where the remote shell has ended before the agent was heard.
    std::function<void(std::int32_t node, const std::string& why)> on_unreached;
    /// A line that a remote shell has written to its standard error.
    std::function<void(std::int32_t node, const std::string& line)> on_shell_says;
    /// The last agent and its remote shell have ended; a shell may stay on after its agent is lost.
    std::function<void()> on_all_gone;
  };

  Branches(EventLoop& loop, Greeting own, const Inherited& inherited, Handlers handlers);

  void start(const std::vector<AgentStart>& starts);
  /// To the node that the frame names. Nothing happens where that is lost.
  void send(const Frame& frame);
  /// Each agent has said that its part of the job is over, or is lost.
  [[nodiscard]] bool all_over() const;
  /// No agent is left, nor any remote shell.
  [[nodiscard]] bool all_gone() const;
  /// Closes the links; what is below each ends everything of the job.
  void close();
  /// Ends the agent of a node that does not answer. on_lost is called for those below it at once, and for the node
  /// itself once its remote shell has ended. If another agent has started it, that one is told.
  void cut(std::int32_t node);

 private:
  struct Branch {
    explicit Branch(EventLoop& loop, const Inherited& inherited) : shell(loop, inherited) {}
    std::int32_t node = 0;
    std::vector<AgentStart> below;
    ShellProcess shell;
    std::unique_ptr<Link> link;
    std::string link_problem;
    bool over = false;
    bool lost = false;
    bool waits_for_rest = false;
  };

  void start_one(const AgentStart& start);
  void connect(Branch& branch, Descriptor reading, Descriptor writing);
  void take(Branch& branch, Frame frame);
  void look_for_end(Branch& branch);
  void lose(Branch& branch);
  void tell_if_all_gone();
  void lose_below(const Branch& branch);
  [[nodiscard]] static std::string why_lost(const Branch& branch);

  EventLoop& loop_;
  Greeting own_;
  Inherited inherited_;
  Handlers handlers_;
  std::vector<std::unique_ptr<Branch>> branches_;
  std::map<std::int32_t, Branch*> branch_of_;  ///< for each node, also those below others
};

}  // namespace starling::launch
