// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "node.hpp"

#include <algorithm>

#include "relay/parent_upstream.hpp"
#include "relay/relay.hpp"
#include "relay/root_upstream.hpp"
#include "server/progress.hpp"

namespace starling::farm {
namespace {

/// What run_node() was called with, and when.
struct Call {
  const Options& options;
  Program& program;
  Link& link;
  const Tree& tree;
  const NodeSetting& setting;
  const Clock::time_point started = Clock::now();

  double passed_s() const { return s_between(started, Clock::now()); }
};

/// Whatever happens, the threads of this process end.
struct StopAtEnd {
  Queue& ready;
  Queue& done;
  Resolver& resolver;
  ~StopAtEnd() {
    resolver.stop();
    ready.stop();
    done.stop();
  }
};

/// The queues of a process; the bell wakes the relay's thread for what only it takes out.
struct Queues {
  Queues(bool relay_takes_ready, bool relay_takes_done)
      : ready(relay_takes_ready ? &bell : nullptr), done(relay_takes_done ? &bell : nullptr) {}

  Bell bell;
  Queue ready;
  Queue done;
};

/// Where no Output is in the server's process, which looks into the results of stages.
bool results_stay(const Call& call) {
  const std::vector<int> outputs = call.tree.outputs();
  return !call.program.has_stages() && std::count(outputs.begin(), outputs.end(), call.tree.root()) == 0;
}

/// What every process has: Calculate threads, and other processes around it.
struct Process {
  Process(const Call& call, Queues& queues, Results results)
      : slate(call.link.joins_processes() ? Slate::Use::kShown : Slate::Use::kNone),
        resolver(queues.bell),
        workers(call.program, queues.ready, queues.done, slate, workers_setting(call, results)),
        stop{queues.ready, queues.done, resolver},
        neighbors(call.link),
        children(neighbors),
        depot(neighbors, call.link.rank() == call.tree.root()),
        context{call.options, call.program, call.tree, queues.bell, queues.ready, queues.done, workers,
                slate,        neighbors,    children,  depot,       resolver,     stragglers,  results_stay(call)} {
    for (const Replacement& each : call.setting.replaced) neighbors.assign(each);
  }

  Workers::Setting workers_setting(const Call& call, Results results) {
    Workers::Setting setting{call.link.rank(), call.setting.threads,
                             call.program.can_retry() ? call.options.attempts : 1, results};
    if (results == Results::kTyped) setting.fetch = [this](Tasks& chunk) { resolver.resolve(chunk); };
    return setting;
  }

  Slate slate;
  Resolver resolver;
  Workers workers;
  StopAtEnd stop;
  Neighbors neighbors;
  Children children;
  Depot depot;
  Stragglers stragglers;
  const RelayContext context;
};

/// Runs the relay, for which `tick` does what has to be done now and then.
template <class Tick>
void run_relay(const Call& call, Relay& relay, Upstream& upstream, const Tick& tick) {
  relay.run([&] {
    for (int more = call.setting.asked_to_grow->exchange(0); more > 0; --more) upstream.grow();
    return tick(call.setting.asked_to_end->load());
  });
}

NodeOutcome run_server(const Call& call) {
  const Options& options = call.options;
  Queues queues(call.tree.nodes.size() > 1, false);
  Server server(options, call.program, call.tree, results_stay(call), queues.ready, queues.done, queues.bell);
  Process process(call, queues, Results::kTyped);
  RootUpstream upstream(process.context, server, call.setting.spare_threads);
  RemotePorts ports(process.context, server);
  const bool spare = call.setting.spare_threads > 0;
  Relay relay(process.context, upstream, ports,
              spare ? Failover::LastResort::kSetAside : Failover::LastResort::kTryHere);
  ProgressBar bar(options);
  server.set_threads(process.context.threads());
  server.start();
  run_relay(call, relay, upstream, [&](bool end) {
    end = end || (options.time_limit_s > 0 && call.passed_s() > options.time_limit_s);
    if (end) server.stop_input();
    bar.show(server.settled());
    return end;
  });
  upstream.release_spares();
  NodeOutcome outcome;
  Summary& summary = outcome.summary;
  outcome.error = server.join(summary);
  bar.finish(server.settled());
  summary.processes = static_cast<int>(call.tree.nodes.size()) + upstream.grown();
  summary.lost_processes = upstream.lost();
  summary.restarted = upstream.restarted();
  summary.given_up = upstream.given_up();
  summary.nodes = relay.reports();
  std::sort(summary.nodes.begin(), summary.nodes.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  for (const NodeReport& node : summary.nodes) summary.threads += node.threads;
  summary.failed = relay.run_end() == RunEnd::kFailed;
  return outcome;
}

/// A process that is not the server's, with or without an Input or Output.
NodeOutcome run_below(const Call& call, Process& process, PortTraffic& ports) {
  ParentUpstream upstream(process.context);
  Relay relay(process.context, upstream, ports);
  run_relay(call, relay, upstream, [](bool end) { return end; });
  NodeOutcome outcome;
  outcome.summary.server = outcome.summary.input = outcome.summary.output = false;
  outcome.summary.failed = relay.run_end() == RunEnd::kFailed;
  outcome.summary.share_lost = relay.run_end() == RunEnd::kShareLost;
  return outcome;
}

NodeOutcome run_with_port(const Call& call) {
  Queues queues(false, true);
  Port port(call.options, call.program, call.tree, call.link.rank(), queues.bell);
  Process process(call, queues, Results::kPacked);
  LocalPort traffic(process.context, port);
  NodeOutcome outcome = run_below(call, process, traffic);
  outcome.error = port.error();
  outcome.summary.input = port.has_input();
  outcome.summary.output = port.has_output();
  return outcome;
}

NodeOutcome run_without_port(const Call& call) {
  Queues queues(false, true);
  Process process(call, queues, Results::kPacked);
  NoPorts none;
  return run_below(call, process, none);
}

}  // namespace

NodeOutcome run_node(const Options& options, Program& program, Link& link, const Tree& tree,
                     const NodeSetting& setting) {
  const Call call{options, program, link, tree, setting};
  const int rank = link.rank();
  const bool has_port = tree.input_place(rank) || tree.output_place(rank);
  NodeOutcome outcome = tree.root() == rank ? run_server(call)
                        : has_port          ? run_with_port(call)
                                            : run_without_port(call);
  outcome.summary.wall_s = call.passed_s();
  return outcome;
}

}  // namespace starling::farm
