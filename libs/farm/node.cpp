// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "node.hpp"

#include <algorithm>
#include <optional>

#include "progress.hpp"
#include "relay.hpp"

namespace starling::farm {
namespace {

/// Whatever happens, the threads of this process end.
struct StopAtEnd {
  Queue& ready;
  Queue& done;
  ~StopAtEnd() {
    ready.stop();
    done.stop();
  }
};

}  // namespace

NodeOutcome run_node(const Options& options, Program& program, Link& link, const Tree& tree,
                     const NodeSetting& setting) {
  const bool is_server = tree.root() == link.rank();
  const bool alone = tree.nodes.size() == 1;
  const Clock::time_point started = Clock::now();
  Bell bell;
  Queue ready(is_server && !alone ? &bell : nullptr);
  Queue done(is_server ? nullptr : &bell);
  std::optional<Server> server;
  if (is_server) server.emplace(options, program, tree, ready, done, bell);
  std::optional<Port> port;
  if (!is_server && (tree.input_place(link.rank()) || tree.output_place(link.rank()))) {
    port.emplace(options, program, tree, link.rank(), bell);
  }
  const int attempts = program.can_retry() ? options.attempts : 1;
  Slate slate(link.joins_processes() ? Slate::Use::kShown : Slate::Use::kNone);
  Workers workers(program, ready, done, slate,
                  {link.rank(), setting.threads, attempts, is_server ? Results::kTyped : Results::kPacked});
  const StopAtEnd stop{ready, done};
  Relay relay({options, program, link, tree, ready, done, bell, workers, slate, is_server ? &*server : nullptr,
               port ? &*port : nullptr, setting.spare_threads});
  ProgressBar bar(options);
  if (server) {
    server->set_threads(relay.threads());
    server->start();
  }
  relay.run([&] {
    bool end = setting.asked_to_end->load();
    for (int more = setting.asked_to_grow->exchange(0); more > 0; --more) relay.grow();
    if (server) {
      end = end || (options.time_limit_s > 0 && s_between(started, Clock::now()) > options.time_limit_s);
      if (end) server->stop_input();
      bar.show(server->settled());
    }
    return end;
  });
  NodeOutcome outcome;
  Summary& summary = outcome.summary;
  if (server) {
    outcome.error = server->join(summary);
    bar.finish(server->settled());
    summary.processes = static_cast<int>(tree.nodes.size()) + relay.grown();
    summary.lost_processes = relay.lost();
    summary.nodes = relay.reports();
    std::sort(summary.nodes.begin(), summary.nodes.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    for (const NodeReport& node : summary.nodes) summary.threads += node.threads;
  }
  if (port) {
    outcome.error = port->error();
    summary.input = port->has_input();
    summary.output = port->has_output();
  } else if (!server) {
    summary.input = summary.output = false;
  }
  summary.server = is_server;
  summary.failed = relay.run_failed();
  summary.wall_s = s_between(started, Clock::now());
  return outcome;
}

}  // namespace starling::farm
