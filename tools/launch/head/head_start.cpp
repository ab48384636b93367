// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How the head starts a job: agents, parts, cards.
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <span>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/random_bytes.hpp"
#include "bootstrap/job.hpp"
#include "bootstrap/launcher_settings.hpp"
#include "launch/head/head.hpp"
#include "launch/hosts/allocation.hpp"
#include "launch/hosts/remote_shell.hpp"
#include "launch/hosts/this_machine.hpp"
#include "launch/start/environment.hpp"
#include "launch/start/job_settings.hpp"
#include "launch/start/self.hpp"
#include "transport/tcp/settings.hpp"

namespace starling::launch {
namespace {

std::string current_folder() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) != nullptr ? path : "/";
}

std::vector<std::string> agent_command(const HostRequest& request, const Host& host) {
  const std::vector<std::string> command{own_path(), "agent"};
  return ThisMachine::ask().is(host) ? command : remote_command(request, host, command);
}

std::string in_one_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

void note_starters(const std::vector<AgentStart>& starts, std::vector<HeadNode>& nodes) {
  for (const AgentStart& start : starts) {
    for (const AgentStart& below : start.below) nodes[static_cast<std::size_t>(below.node)].starter = start.node;
    note_starters(start.below, nodes);
  }
}

}  // namespace

Result<HeadSettings> HeadSettings::of(const JobSpec& spec, const config::Store& store, std::string version) {
  HeadSettings settings;
  settings.version = std::move(version);
  settings.goes_on = spec.survive || bootstrap::survives_deaths(store);
  settings.deadline_ms = bootstrap::start_deadline_ms(store);
  settings.grace_ms = bootstrap::grace_ms(store);
  Result<WatchSettings> watch = watch_settings(spec, store);
  if (!watch.ok()) return std::move(watch).status();
  settings.watch = watch.value();
  Result<transport::tcp::InterfaceFilter> filter = transport::tcp::InterfaceFilter::of(store);
  if (!filter.ok()) return std::move(filter).status();
  settings.filter = std::move(filter).value();
  const Result<std::int64_t> dead_after_ms = transport::tcp::dead_after_ms_of(store);
  if (!dead_after_ms.ok()) return dead_after_ms.status().copy();
  settings.dead_after_ms = dead_after_ms.value();
  const Result<transport::tcp::PortRange> ports = transport::tcp::ports_of(store);
  if (!ports.ok()) return ports.status().copy();
  settings.ports = ports.value();
  return settings;
}

/// Where each host's number of ranks is known, only those that get some are asked for an agent.
void Head::start_agents() {
  const ThisMachine machine = ThisMachine::ask();
  const bool must_ask = !hosts_to_ask(spec_.rank_requests(), spec_.hosts).empty();
  for (const Host& host : spec_.hosts.hosts) {
    nodes_.emplace_back();
    nodes_.back().host = host;
    nodes_.back().is_here = machine.is(host);
  }
  if (!must_ask && !share_out()) return;
  std::vector<AgentStart> here;  // no other host can start these
  std::vector<AgentStart> elsewhere;
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    const Host& host = nodes_[number].host;
    if (!must_ask && nodes_[number].share.ranks.empty()) {
      nodes_[number].step = Step::kGone;
      continue;
    }
    std::vector<AgentStart>& starts = nodes_[number].is_here ? here : elsewhere;
    starts.push_back({static_cast<std::int32_t>(number), agent_command(spec_.hosts, host), {}});
  }
  elsewhere = as_tree(std::move(elsewhere), Branches::kWidth);
  note_starters(elsewhere, nodes_);
  begin_step();
  branches_.start(here);
  branches_.start(elsewhere);
}

/// Deals the ranks to the hosts.
bool Head::share_out() {
  std::vector<std::uint32_t> cores;
  for (const HeadNode& node : nodes_) cores.push_back(node.hello.usable_cores);
  Result<Allocation> allocation = allocate(spec_.rank_requests(), spec_.hosts, cores);
  if (!allocation.ok()) {
    say(formatted("mpiexec: {}\n", allocation.status().message()));
    constexpr int kExitUsage = 2;
    end(kExitUsage);
    return false;
  }
  if (!allocation.value().note.empty() && !spec_.quiet) {
    say(launcher_words({}, formatted("note: {}", allocation.value().note)));
  }
  for (HostShare& share : allocation.value().shares) {
    if (share.ranks.front() == WorldRank(0)) input_node_ = static_cast<std::int32_t>(share.host);
    nodes_[share.host].share = std::move(share);
  }
  spec_.take(allocation.value());
  return begin_output_files();
}

bool Head::begin_output_files() {
  const Status begun = streams_.begin(spec_.ranks());
  if (begun.ok()) return true;
  say(formatted("mpiexec: {}\n", begun.message()));
  end(EXIT_FAILURE);
  return false;
}

void Head::on_hello(HeadNode& node, const std::string& body) {
  Result<Hello> hello = Hello::parse(body);
  if (!hello.ok()) return damaged(static_cast<std::int32_t>(&node - nodes_.data()));
  if (node.step != Step::kGreeting || ending_) return;
  node.hello = std::move(hello).value();
  node.hello.network.host = node.host.name;
  node.step = Step::kWaiting;
  if (all_have_reached(Step::kWaiting)) hand_out_parts();
}

void Head::hand_out_parts() {
  const bool shared = std::ranges::any_of(nodes_, [](const HeadNode& node) { return !node.share.ranks.empty(); });
  if (!shared && !share_out()) return;
  if (!choose_addresses()) return;
  begin_step();
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    HeadNode& node = nodes_[number];
    if (node.step == Step::kGone) continue;
    const bool needed = !node.share.ranks.empty();
    node.step = needed ? Step::kPreparing : Step::kRunning;
    tell(number, needed ? FrameKind::kPart : FrameKind::kEnd, needed ? part_of(number).serialised() : number_body(0));
  }
}

/// The addresses at which the ranks of each host are to be called.
bool Head::choose_addresses() {
  std::vector<transport::tcp::HostNetwork> networks;
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    if (nodes_[number].share.ranks.empty()) continue;
    networks.push_back(nodes_[number].hello.network);
    numbers.push_back(number);
  }
  const std::vector<transport::tcp::AddressChoice> choices =
      transport::tcp::choose_addresses(networks, settings_.filter);
  if (const Status enough = transport::tcp::check_choices(networks, choices); numbers.size() > 1 && !enough.ok()) {
    say(end_of_job_words({}, enough.message()));
    end(EXIT_FAILURE);
    return false;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    HeadNode& node = nodes_[numbers[i]];
    node.offered = choices[i].offered;
    node.sharers = static_cast<std::uint32_t>(std::ranges::count_if(numbers, [&](std::size_t other) {
      return other == numbers[i] || have_same_cores(node.hello, nodes_[other].hello);
    }));
  }
  return true;
}

Part Head::part_of(std::size_t number) const {
  const HeadNode& node = nodes_[number];
  Part part;
  part.spec = spec_;
  part.spec.survive = settings_.goes_on;
  part.spec.note_after_ms = settings_.watch.note_after_ms;
  part.spec.trace.limit_mib = std::max(part.spec.trace.limit_mib / static_cast<std::uint32_t>(nodes_.size()), 1U);
  part.node = static_cast<std::int32_t>(number);
  part.host = node.host.name;
  part.ranks = node.share.ranks;
  part.app_numbers = node.share.app_numbers;
  part.usable_cores = node.usable_cores();
  // The agents of hosts with the same cores would all bind to the same cores.
  if (node.sharers > 1 && part.spec.binding.bind_to == topology::BindTo::kAutomatic) {
    part.spec.binding.bind_to = topology::BindTo::kNone;
  }
  part.offered.addresses = node.offered;
  part.answers = guardian_.typed().valid();
  part.to_terminal = isatty(STDOUT_FILENO) != 0;
  part.folder = current_folder();
  part.environment = environment_for_other_hosts();
  part.head_host = ThisMachine::own_name();
  part.mpiexec = getppid();
  return part;
}

void Head::on_listening(HeadNode& node, const std::string& body) {
  Result<Listening> listening = Listening::parse(body);
  if (!listening.ok()) return damaged(static_cast<std::int32_t>(&node - nodes_.data()));
  if (node.step != Step::kPreparing || ending_) return;
  node.listening = std::move(listening).value();
  node.pulse.set_doors(node.listening.doors.addresses);
  node.step = Step::kListening;
  if (all_have_reached(Step::kListening)) send_cards();
}

void Head::send_cards() {
  loop_.cancel(deadline_);
  if (const Status begun = traces_.begin(spec_, nodes_.size()); !begun.ok()) {
    say(end_of_job_words({}, begun.message()));
    return end(EXIT_FAILURE);
  }
  bootstrap::JobCard card;
  Status random = fill_randomly(card.secret);
  if (random.ok()) random = fill_randomly(std::as_writable_bytes(std::span(&card.job, 1)));
  if (!random.ok()) {
    say(end_of_job_words({}, random.message()));
    return end(EXIT_FAILURE);
  }
  card.entrances.resize(spec_.ranks());
  for (HeadNode& node : nodes_) {
    if (node.share.ranks.empty()) continue;
    card.nodes.push_back(
        {node.host.name, node.share.ranks, static_cast<std::int32_t>(node.usable_cores()), node.share.app_numbers});
    for (std::size_t local = 0; local < node.share.ranks.size() && local < node.listening.entrances.size(); ++local) {
      card.entrances[node.share.ranks[local].index()] = std::move(node.listening.entrances[local]);
    }
  }
  const std::string serialised = card.serialised();
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    if (nodes_[number].step != Step::kListening) continue;
    nodes_[number].step = Step::kRunning;
    // The quickest of some answers tells most.
    constexpr int kFirstQuestions = 4;
    for (int i = 0; i < kFirstQuestions && traces_.are_wanted(); ++i)
      tell(number, FrameKind::kAskClock, number_body(now_ns()));
    tell(number, FrameKind::kRoster, serialised);
  }
  open_doors();
  if (spec_.no_input) {
    branches_.send({FrameKind::kInputEnd, input_node_, {}});
  } else {
    input_.start();
  }
}

/// Where the ranks of this machine have taken their ports already.
void Head::open_doors() {
  std::vector<transport::tcp::HostNetwork> networks;
  for (const HeadNode& node : nodes_) networks.push_back(node.hello.network);
  Result<transport::tcp::HostNetwork> own = transport::tcp::own_network({});
  if (!own.ok()) return;  // then a silent agent is one whose machine has gone, too
  networks.push_back(std::move(own).value());
  doors_.open(transport::tcp::choose_addresses(networks, settings_.filter).back().offered, settings_.ports);
  tell_all(FrameKind::kDoors, PulseDoors{doors_.addresses()}.serialised());
}

bool Head::all_have_reached(Step step) const {
  return std::ranges::all_of(nodes_, [step](const HeadNode& node) { return node.step >= step; });
}

void Head::begin_step() {
  loop_.cancel(deadline_);
  constexpr std::int64_t kMillisecondNs = 1'000'000;
  deadline_ = loop_.after(settings_.deadline_ms * kMillisecondNs, [this] { on_deadline(); });
}

void Head::on_deadline() {
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    const Step step = nodes_[number].step;
    if (step != Step::kGreeting && step != Step::kPreparing) continue;
    const std::string what =
        step == Step::kGreeting
            ? formatted("no agent has answered from it within {} ms; {}", settings_.deadline_ms, what_to_try(number))
            : formatted(
                  "its agent has not found the programs and opened ports within {} ms; a file "
                  "system that does not answer is the usual reason",
                  settings_.deadline_ms);
    return fail(static_cast<std::int32_t>(number),
                formatted("{} (STARLING_LAUNCH_DEADLINE_MS allows more time)", what));
  }
}

std::string Head::what_to_try(std::size_t number) const {
  const HeadNode& node = nodes_[number];
  const std::string where = node.starter < 0 ? std::string()
                                             : formatted("on host {}, which reaches it, ",
                                                         nodes_[static_cast<std::size_t>(node.starter)].host.name);
  return formatted("{}try '{}', which must print '{}...' and nothing else", where,
                   in_one_line(agent_command(spec_.hosts, node.host)), Greeting::kWord);
}

}  // namespace starling::launch
