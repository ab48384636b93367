// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "root_upstream.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "base/format.hpp"
#include "dispatcher.hpp"

namespace starling::farm {

std::chrono::milliseconds RootUpstream::look_period() const { return kStraggles; }

void RootUpstream::tell_threads(bool) { server_.set_threads(context_.threads()); }

bool RootUpstream::send_results() {
  std::uint64_t longest_ns = 0;
  for (const auto& [rank, child] : context_.children) longest_ns = std::max(longest_ns, child.window.way_ns());
  if (longest_ns > way_told_ns_) server_.set_way(way_told_ns_ = longest_ns);
  return false;
}

void RootUpstream::take_tasks(int, const std::shared_ptr<const Buffer>&) {
  throw std::runtime_error("farm: a process sent tasks to the root of the tree");
}

void RootUpstream::on_no_threads() {
  if (spare_threads_ > 0) {
    context_.workers.start(spare_threads_);
    return tell_threads(false);
  }
  if (lost_.empty()) {
    return server_.trouble("farm: no process has a Calculate thread: --farm-threads or the tree file say 0 for each");
  }
  server_.trouble(formatted(
      "farm: nobody is left to calculate: {} processes died, and the others have no Calculate threads; with a "
      "journal, --resume goes on from there",
      lost_.size()));
}

bool RootUpstream::runs_out() const { return server_.input_ended() && context_.ready.size() == 0; }

/// Two may notice a death, the parent and, should that die as well, the grandparent: it counts once.
void RootUpstream::tell_loss(int place, int deaths_before) {
  if (!lost_.insert({place, deaths_before}).second) return;
  vacant_.push_back(place);
  if (!context_.results_stay) return;
  Task death;  // results that were with it must be calculated again
  death.state = TaskState::kHolderDied;
  death.value = Value(slice_of({place, deaths_before, 0}));
  context_.done.put(std::move(death));
}

std::vector<Replacement> RootUpstream::replace_dead() {
  std::vector<Replacement> all;
  for (const int place : std::exchange(vacant_, {})) {
    if (context_.children.stopping()) break;
    const int deaths = context_.neighbors.deaths(place) + 1;
    // A new process would not know how far an Input or Output had come.
    const bool has_port = context_.tree.input_place(place) || context_.tree.output_place(place);
    if (context_.tree.spares == 0 || !context_.tree.has(place) || has_port) {
      grow_for_loss();
      continue;
    }
    if (!may_restart(place, deaths)) continue;
    Replacement replacement{place, 0, deaths};
    bool started = false;
    while (!started && called_ < context_.tree.spares) {
      replacement.rank = static_cast<int>(context_.tree.nodes.size()) + called_++;
      started = start_spare(replacement, all);
    }
    if (!started) {
      std::fprintf(stderr, "farm: no spare is left for node '%s', whose process died; the farm goes on without it\n",
                   context_.tree.nodes[static_cast<std::size_t>(place)].name.c_str());
      grow_for_loss();
      continue;
    }
    ++restarted_;
    all.push_back(replacement);
  }
  return all;
}

bool RootUpstream::may_restart(int place, int deaths) {
  if (deaths <= context_.tree.restarts) return true;
  const std::string& name = context_.tree.nodes[static_cast<std::size_t>(place)].name;
  given_up_.push_back(name);
  std::fprintf(stderr, "farm: %d processes died as node '%s', which gets no other; the farm goes on without it\n",
               deaths, name.c_str());
  return false;
}

/// It knows of all that were called before it, those of just now too.
bool RootUpstream::start_spare(const Replacement& replacement, const std::vector<Replacement>& just_now) {
  Assignment assignment{replacement.place, context_.neighbors.replaced(), part_of(context_.tree, replacement.place)};
  assignment.replaced.insert(assignment.replaced.end(), just_now.begin(), just_now.end());
  assignment.replaced.push_back(replacement);
  return context_.neighbors.link().call(replacement.rank, text_of(assignment));
}

void RootUpstream::release_spares() {
  while (called_ < context_.tree.spares) {
    const int rank = static_cast<int>(context_.tree.nodes.size()) + called_++;
    context_.neighbors.link().call(rank, server_.failed()       ? kEndOfFailed
                                         : server_.share_lost() ? kEndOfShareLost
                                                                : kEndOfSpares);
  }
}

void RootUpstream::grow_for_loss() {
  if (replaced_ >= context_.options.replace) return;
  ++replaced_;
  grow();
}

void RootUpstream::grow() {
  if (context_.children.stopping()) return;
  ++grown_;
  try {
    const int peer = context_.neighbors.link().grow();
    if (peer >= 0) context_.children.add(peer);
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "%s; the farm goes on without one more process\n", error.what());
  }
}

std::optional<RunEnd> RootUpstream::ended() const {
  if (!server_.finished()) return std::nullopt;
  return server_.failed() ? RunEnd::kFailed : server_.share_lost() ? RunEnd::kShareLost : RunEnd::kComplete;
}

}  // namespace starling::farm
