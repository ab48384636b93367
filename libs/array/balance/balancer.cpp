// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "balancer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "program/clock.hpp"

namespace starling::array {

std::string BalanceReport::text() const {
  char more[120];
  std::snprintf(more, sizeof more, "; %s, %.3f ms to decide, %.3f ms to move", moved ? "moved" : "not worth the moves",
                decide_s * 1e3, move_s * 1e3);
  return verdict.text() + more;
}

namespace detail {

namespace {

/// A step that begins by itself may take this part of process 0's time: with more elements it comes less often.
constexpr double kTimeForSteps = 0.01;

void check(const BalanceOptions& options, int processes) {
  balancing::wants_links(options.strategy);  // throws if there is none of this name
  if (options.group < 2 || options.group > 1024) {
    throw Error(formatted("groups of {} processes are not for balancing: take 2 to 1024", options.group));
  }
  for (const int each : options.vacated) {
    if (each >= 0 && each < processes) continue;
    throw Error(formatted("process {} is to be vacated, but there are only {} processes", each, processes));
  }
}

/// By the options, and by the owners of processes unless all want theirs.
void find_vacated(const std::vector<bool>& wanted, const std::vector<int>& named, balancing::Problem& problem) {
  std::vector<bool> vacated = wanted;
  for (const int each : named) vacated[static_cast<std::size_t>(each)] = true;
  const auto count = [](const std::vector<bool>& which) { return std::count(which.begin(), which.end(), true); };
  if (count(vacated) == problem.processes && count(wanted) > 0) {
    vacated.assign(vacated.size(), false);
    for (const int each : named) vacated[static_cast<std::size_t>(each)] = true;
  }
  if (count(vacated) == 0) return;
  problem.vacated = std::move(vacated);
  // Those that move spread over the others also where nothing was measured.
  const auto has_load = [](const balancing::Problem::Element& each) { return each.load > 0; };
  if (std::any_of(problem.elements.begin(), problem.elements.end(), has_load)) return;
  for (balancing::Problem::Element& each : problem.elements) each.load = 1;
}

/// What the processes told, in place of a plan.
CommunicationGraph graph_of(const balancing::Problem& problem, const std::vector<std::string>& names,
                            const ElementType& type) {
  CommunicationGraph shown;
  for (std::size_t i = 0; i < problem.elements.size(); ++i) {
    const Index index(names[i].data(), names[i].size());
    shown.nodes.push_back({type.describe(index), problem.elements[i].process, problem.elements[i].load});
  }
  for (const balancing::Problem::Link& each : problem.links) {
    shown.links.push_back({each.from, each.to, each.messages, each.bytes});
  }
  std::map<int, std::uint32_t> others;  // process -> node
  for (const balancing::Problem::Anchor& each : problem.anchors) {
    const auto [at, is_new] = others.emplace(each.process, static_cast<std::uint32_t>(shown.nodes.size()));
    if (is_new) shown.nodes.push_back({formatted("others on process {}", each.process), each.process, 0});
    shown.links.push_back({at->second, each.element, each.messages, each.bytes});
  }
  return shown;
}

/// Whether an element is where none may stay.
bool has_to_leave(const balancing::Problem& problem) {
  const auto must_go = [&](const balancing::Problem::Element& each) {
    return !problem.vacated.empty() && problem.vacated[static_cast<std::size_t>(each.process)];
  };
  return std::any_of(problem.elements.begin(), problem.elements.end(), must_go);
}

}  // namespace

char* Balancer::post(int to, Ask what, std::uint32_t number, std::size_t bytes) {
  RecordHeader header;
  header.kind = RecordKind::kMeasured;
  header.array = elements_.number();
  header.flags = static_cast<std::uint8_t>(what);
  header.epoch = number;
  header.payload = static_cast<std::uint32_t>(bytes);
  return host_.records().post(to, header, nullptr);
}

Balancer::Period Balancer::next_period() const {
  const double period_s = every_s_ == kNever_s ? kNever_s : std::max(every_s_, busy_s_ / kTimeForSteps);
  return {period_s, wants_links_ ? 1U : 0U};
}

void Balancer::ask(Ask what) {
  const Period period = next_period();
  for (int to = 0; to < host_.size(); ++to) {
    std::memcpy(post(to, what, number_, sizeof period), &period, sizeof period);
  }
}

void Balancer::measure(bool on) {
  if (!on) {
    every_s_ = kNever_s;
    is_due_ = false;
  }
  wants_links_ = false;
  ask(on ? Ask::kStart : Ask::kStop);
}

void Balancer::measure_for(const std::string& strategy) {
  wants_links_ = balancing::wants_links(strategy);
  ask(Ask::kStart);
}

void Balancer::repeat(double every_s, const BalanceOptions& options) {
  if (!(every_s >= 0) || !std::isfinite(every_s)) {
    throw Error(formatted("balance_every({}): the period is in seconds, 0 or more", every_s));
  }
  check(options, host_.size());
  automatic_ = options;
  every_s_ = every_s;
  busy_s_ = 0;
  is_collecting_ = is_due_ = false;
  history_ = {};
  ++number_;
  measure_for(options.strategy);
}

void Balancer::start_period(std::uint32_t number, const Period& period) {
  heard_ = number;
  due_s_ = period.length_s == kNever_s ? kNever_s : host_.now_s() + period.length_s;
  measure_links(period.links != 0);
}

void Balancer::measure_links(bool on) {
  if (on != measures_links_) host_.arrays_with_links += on ? 1 : -1;
  measures_links_ = on;
  visits_.clear();
  for (const Entry* each : elements_.here()) {
    if (each->extras) each->extras->links.clear();
  }
}

void Balancer::handle_measured(const Record& record) {
  const std::uint32_t number = record.header.epoch;
  switch (static_cast<Ask>(record.header.flags)) {
    case Ask::kStop:
      measures_ = false;
      measure_links(false);
      due_s_ = kNever_s;
      return;
    case Ask::kStart:
      measures_ = true;
      for (Entry* each : elements_.here()) each->load_us = 0;
      take_background_s();
      return start_period(number, info_of<Period>(record));
    case Ask::kTell: return answer(record);
    case Ask::kDue: return handle_due(number);
    case Ask::kAnswer: break;
  }
  if (number == number_ && is_collecting_) take_answer(record);
}

/// Others whose period ended as well tell so a little later: of one step, the first counts.
void Balancer::handle_due(std::uint32_t number) {
  if (every_s_ == kNever_s || number != number_) return;
  if (is_collecting_ || is_asked_for_) {
    is_due_ = true;
  } else {
    begin(automatic_);
  }
}

void Balancer::begin(const BalanceOptions& options, By by) {
  options_ = options;
  begin_s_ = host_.now_s();
  answers_ = 0;
  problem_ = {};
  names_.clear();
  links_.clear();
  background_s_.assign(static_cast<std::size_t>(host_.size()), 0);
  wants_vacated_.assign(static_cast<std::size_t>(host_.size()), false);
  is_collecting_ = true;
  is_due_ = false;
  wants_links_ = is_shown_ || balancing::wants_links(options.strategy) ||
                 (every_s_ != kNever_s && balancing::wants_links(automatic_.strategy));
  ++number_;
  received_ = 0;
  // Where one group has all processes, process 0 leads it.
  const bool by_groups = by == By::kAny && balancing::by_groups(options.strategy) && options.vacated.empty() &&
                         host_.size() > options.group && !is_shown_;
  if (!by_groups) {
    ask(Ask::kTell);
  } else {
    const Period period = next_period();
    groups_.begin(number_, {options.tolerated, period.length_s, period.links, options.around_others ? 1U : 0U,
                            static_cast<std::uint64_t>(options.group)});
  }
  busy_s_ = 0;
}

void Balancer::decide() {
  is_collecting_ = false;
  problem_.processes = host_.size();
  balancing::weigh_unmeasured(problem_);
  problem_.tolerated = options_.tolerated;
  problem_.group = options_.group;
  problem_.cost_of_byte = options_.cost_of_byte_s;
  problem_.cost_of_message = options_.cost_of_message_s;
  problem_.cost_of_move = options_.always ? 0 : cost_of_move_s();
  links_.find_ends(names_, problem_);
  if (is_shown_) {
    shown_ = graph_of(problem_, names_, elements_.type());
    return;
  }
  if (options_.around_others) problem_.background = background_s_;
  find_vacated(wants_vacated_, options_.vacated, problem_);
  const balancing::Plan plan = balancing::balance(options_.strategy, problem_);
  report_ = {};
  report_.verdict = plan.verdict;
  double total_s = 0;
  for (const balancing::Problem::Element& each : problem_.elements) total_s += each.load;
  const double links_s = balancing::cost_of_links(problem_) - balancing::cost_of_links(problem_, plan.moves);
  report_.moved =
      !plan.moves.empty() && (options_.always || has_to_leave(problem_) || is_worth_it(plan.verdict, total_s, links_s));
  report_.most_bytes = received_;
  report_.decide_s = host_.now_s() - begin_s_;
  if (report_.moved) send_moves(plan);
  note_step(plan.moves.size());
}

void Balancer::note_step(std::size_t moves) {
  report_.move_s = host_.now_s() - begin_s_ - report_.decide_s;
  if (is_asked_for_) return;
  ++history_.steps;
  history_.steps_that_moved += report_.moved ? 1 : 0;
  history_.moves += report_.moved ? moves : 0;
  history_.last = report_;
}

void Balancer::handle_grouped(const Record& record) {
  const double begin_s = thread_processor_s();
  groups_.handle(record);
  busy_s_ += thread_processor_s() - begin_s;
  if (is_due_ && !is_collecting_ && !is_asked_for_) begin(automatic_);
}

GroupSteps::Measured Balancer::measured(bool around_others) {
  const double background_s = take_background_s();
  return {move_s_, around_others ? background_s : 0, packed_, host_.is_vacated() ? 1U : 0U};
}

/// Leaders say it, and process 0 may have begun something else meanwhile.
void Balancer::begin_period(std::uint32_t number, const GroupSteps::Wanted& wanted) {
  if (number < heard_) return;
  begin_loads();
  start_period(number, {wanted.period_s, wanted.measures_links});
}

/// Those who ask for their processes are heard in a step that process 0 decides.
void Balancer::give_up(std::uint32_t number) {
  if (number == number_ && is_collecting_) begin(BalanceOptions(options_), By::kProcess0);
}

bool Balancer::decide(std::uint32_t number, const GroupSteps::Total& total) {
  if (number != number_ || !is_collecting_) return false;
  is_collecting_ = false;
  all_move_s_ += total.move_s;
  all_moves_ += total.moved;
  report_ = {};
  balancing::Verdict& verdict = report_.verdict;
  const bool is_better = total.after_s <= total.most_s;  // or the plan is none
  verdict.moves = is_better ? total.moves : 0;
  const double average_s = total.load_s / host_.size();
  if (average_s > 0) {
    verdict.imbalance_before = total.most_s / average_s;
    verdict.imbalance_after = (is_better ? total.after_s : total.most_s) / average_s;
    verdict.bound = std::max(total.largest_s, average_s) / average_s;
  }
  report_.moved = verdict.moves > 0 && (options_.always || is_worth_it(verdict, total.load_s, 0));
  report_.most_bytes = total.most_bytes;
  report_.decide_s = host_.now_s() - begin_s_;
  note_step(verdict.moves);
  return report_.moved;
}

CommunicationGraph Balancer::communication() {
  is_asked_for_ = is_shown_ = true;
  begin({});
  try {
    host_.run_until([&] { return !is_collecting_; });
  } catch (...) {
    is_asked_for_ = is_shown_ = false;
    throw;
  }
  is_asked_for_ = is_shown_ = false;
  if (is_due_) begin(automatic_);
  return std::move(shown_);
}

BalanceReport Balancer::step(const BalanceOptions& options) {
  struct Asked {
    Balancer& balancer;
    explicit Asked(Balancer& of) : balancer(of) { balancer.is_asked_for_ = true; }
    ~Asked() { balancer.is_asked_for_ = false; }
  };
  check(options, host_.size());
  {
    const Asked asked(*this);
    begin(options);
    host_.run_until([&] { return !is_collecting_; });
    if (report_.moved) host_.quiesce();
    report_.move_s = host_.now_s() - begin_s_ - report_.decide_s;
  }
  const BalanceReport report = report_;
  if (is_due_) begin(automatic_);
  return report;
}

void Balancer::vacate(const std::vector<int>& processes) {
  every_s_ = kNever_s;
  is_due_ = false;
  BalanceOptions options;
  options.tolerated = std::numeric_limits<double>::max();
  options.vacated = processes;
  step(options);
}

/// Whether the next period, if it is as the last, gains more than the moves cost.
bool Balancer::is_worth_it(const balancing::Verdict& verdict, double total_s, double links_s) const {
  const double before = std::max(verdict.imbalance_before, options_.tolerated);
  const double after = std::max(verdict.imbalance_after, options_.tolerated);
  const double gain_s = ((before - after) * total_s + links_s) / static_cast<double>(host_.size());
  return gain_s > cost_of_move_s() * static_cast<double>(verdict.moves);
}

double Balancer::cost_of_move_s() const {
  return all_moves_ == 0 ? options_.cost_of_move_s : all_move_s_ / static_cast<double>(all_moves_);
}

}  // namespace detail
}  // namespace starling::array
