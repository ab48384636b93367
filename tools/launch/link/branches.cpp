// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/link/branches.hpp"

#include <algorithm>

#include "base/byte_stream.hpp"
#include "base/format.hpp"
#include "launch/hosts/host_name.hpp"
#include "launch/hosts/remote_shell.hpp"

namespace starling::launch {
namespace {

void put_start(ByteWriter& writer, const AgentStart& start) {
  writer.put(start.node);
  writer.put_list(start.command, [](ByteWriter& to, const std::string& word) { to.put_text(word); });
  writer.put_list(start.below, put_start);
}

AgentStart get_start(ByteReader& reader) {
  AgentStart start;
  start.node = reader.get<std::int32_t>();
  start.command = reader.get_list<std::string>([](ByteReader& from) { return from.get_text(); });
  start.below = reader.get_list<AgentStart>(get_start);
  return start;
}

template <typename Function>
void for_each_node(const AgentStart& start, const Function& function) {
  function(start.node);
  for (const AgentStart& below : start.below) for_each_node(below, function);
}

}  // namespace

std::string serialised(const std::vector<AgentStart>& starts) {
  return ByteWriter().put_list(starts, put_start).take();
}

Result<std::vector<AgentStart>> parse_agent_starts(std::string_view bytes) {
  ByteReader reader(bytes);
  std::vector<AgentStart> starts = reader.get_list<AgentStart>(get_start);
  if (reader.ok_and_at_end()) return starts;
  return Status::error(ErrorClass::kOther, "a damaged message between mpiexec and an agent");
}

std::vector<AgentStart> as_tree(std::vector<AgentStart> row, std::size_t width) {
  if (row.size() <= width) return row;
  std::vector<AgentStart> first(std::make_move_iterator(row.begin()),
                                std::make_move_iterator(row.begin() + static_cast<std::ptrdiff_t>(width)));
  for (std::size_t i = width; i < row.size(); ++i) first[i % width].below.push_back(std::move(row[i]));
  for (AgentStart& start : first) start.below = as_tree(std::move(start.below), width);
  return first;
}

Branches::Branches(EventLoop& loop, Greeting own, const Inherited& inherited, Handlers handlers)
    : loop_(loop), own_(std::move(own)), inherited_(inherited), handlers_(std::move(handlers)) {}

void Branches::start(const std::vector<AgentStart>& starts) {
  for (const AgentStart& start : starts) start_one(start);
}

void Branches::start_one(const AgentStart& start) {
  branches_.push_back(std::make_unique<Branch>(loop_, inherited_));
  Branch& branch = *branches_.back();
  branch.node = start.node;
  branch.below = start.below;
  for_each_node(start, [&](std::int32_t node) { branch_of_[node] = &branch; });
  const Status started = branch.shell.start(
      start.command,
      [this, &branch](const std::string& line) {
        if (!says_nothing(line)) handlers_.on_shell_says(branch.node, line);
      },
      [this, &branch] { look_for_end(branch); });
  if (started.ok()) return connect(branch, branch.shell.take_output(), branch.shell.take_input());
  branch.link_problem =
      formatted("{}; it is to start the agent there, and --rsh-agent names another", started.message());
  loop_.after(0, [this, &branch] { lose(branch); });
}

void Branches::connect(Branch& branch, Descriptor reading, Descriptor writing) {
  branch.link = std::make_unique<Link>(loop_, std::move(reading), std::move(writing), own_,
                                       Link::Handlers{[this, &branch](Frame frame) { take(branch, std::move(frame)); },
                                                      [this, &branch](const std::string& why) {
                                                        branch.link_problem = why;
                                                        look_for_end(branch);
                                                      }});
}

void Branches::take(Branch& branch, Frame frame) {
  if (frame.node < 0) frame.node = branch.node;  // the agent does not know its number yet
  if (frame.kind == FrameKind::kHello && frame.node == branch.node && !branch.below.empty()) {
    branch.link->send({FrameKind::kBranches, branch.node, serialised(branch.below)});
  }
  // An agent says so after those below it.
  if (frame.kind == FrameKind::kOver && frame.node == branch.node) branch.over = true;
  handlers_.on_frame(std::move(frame));
}

/// Of the shell and the link one ends first, and the other tells why.
void Branches::look_for_end(Branch& branch) {
  if (branch.lost) {
    // One that was cut.
    if (!branch.shell.running()) handlers_.on_lost(branch.node, "its agent did not answer");
    return tell_if_all_gone();
  }
  const bool both = branch.link->ended() && !branch.shell.running();
  if (both || !branch.link_problem.empty()) return lose(branch);
  if (branch.waits_for_rest) return;
  branch.waits_for_rest = true;
  constexpr std::int64_t kPatienceNs = 200'000'000;
  loop_.after(kPatienceNs, [this, &branch] { lose(branch); });
}

void Branches::lose(Branch& branch) {
  if (branch.lost) return;
  branch.lost = true;
  if (branch.link) branch.link->close();
  const bool unreached = branch.link_problem.empty() && !branch.link->greeted();
  (unreached ? handlers_.on_unreached : handlers_.on_lost)(branch.node, why_lost(branch));
  lose_below(branch);
  tell_if_all_gone();
}

void Branches::tell_if_all_gone() {
  if (all_gone()) handlers_.on_all_gone();
}

void Branches::lose_below(const Branch& branch) {
  for (const AgentStart& start : branch.below) {
    for_each_node(start, [this](std::int32_t node) {
      handlers_.on_lost(node, "it is reached through another host, whose agent has ended");
    });
  }
}

std::string Branches::why_lost(const Branch& branch) {
  if (!branch.link_problem.empty()) return branch.link_problem;
  const std::string shell = branch.shell.running() ? std::string() : "its remote shell " + branch.shell.outcome();
  if (branch.link && branch.link->greeted()) {
    return shell.empty() ? "the connection to its agent has ended" : "the connection to its agent has ended: " + shell;
  }
  std::string why = shell.empty() ? "its remote shell has closed its output" : shell;
  if (branch.link && !branch.link->banner().empty()) {
    why += formatted(", having written '{}'", shown_word(branch.link->banner()));
  }
  return why;
}

void Branches::send(const Frame& frame) {
  const auto found = branch_of_.find(frame.node);
  if (found == branch_of_.end() || found->second->lost) return;
  found->second->link->send(frame);
}

bool Branches::all_over() const {
  return std::ranges::all_of(branches_, [](const auto& branch) { return branch->over || branch->lost; });
}

bool Branches::all_gone() const {
  return std::ranges::all_of(branches_, [](const auto& branch) { return branch->lost && !branch->shell.running(); });
}

void Branches::close() {
  for (const auto& branch : branches_) {
    branch->lost = true;
    if (branch->link) branch->link->close();
  }
}

void Branches::cut(std::int32_t node) {
  const auto found = branch_of_.find(node);
  if (found == branch_of_.end()) return;
  Branch& branch = *found->second;
  if (branch.node != node) return send({FrameKind::kCut, node, {}});
  branch.lost = true;
  if (branch.link) branch.link->close();
  branch.shell.kill();
  lose_below(branch);
}

}  // namespace starling::launch
