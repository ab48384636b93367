// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "balancer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "core.hpp"

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

}  // namespace

char* Balancer::post(int to, Ask what, std::uint32_t number, std::size_t bytes) {
  RecordHeader header;
  header.kind = Kind::kMeasured;
  header.array = array_.number();
  header.flags = static_cast<std::uint8_t>(what);
  header.epoch = number;
  header.payload = static_cast<std::uint32_t>(bytes);
  return array_.core().post(to, header, nullptr);
}

void Balancer::ask(Ask what) {
  const double period_s = every_s_ == kNever_s ? kNever_s : std::max(every_s_, busy_s_ / kTimeForSteps);
  for (int to = 0; to < array_.core().size(); ++to) {
    std::memcpy(post(to, what, number_, sizeof period_s), &period_s, sizeof period_s);
  }
}

void Balancer::measure(bool on) {
  if (!on) {
    every_s_ = kNever_s;
    is_due_ = false;
  }
  ask(on ? Ask::kStart : Ask::kStop);
}

void Balancer::repeat(double every_s, const BalanceOptions& options) {
  if (!(every_s >= 0) || !std::isfinite(every_s)) {
    throw Error("balance_every(" + std::to_string(every_s) + "): the period is in seconds, 0 or more");
  }
  check(options);
  automatic_ = options;
  every_s_ = every_s;
  busy_s_ = 0;
  is_collecting_ = is_due_ = false;
  history_ = {};
  ++number_;
  ask(Ask::kStart);
}

void Balancer::check(const BalanceOptions& options) const {
  balancing::balance(options.strategy, {});  // throws if there is none of this name
  for (const int each : options.vacated) {
    if (each >= 0 && each < array_.core().size()) continue;
    throw Error("process " + std::to_string(each) + " is to be vacated: there are " +
                std::to_string(array_.core().size()));
  }
}

void Balancer::start_period(std::uint32_t number, double period_s) {
  heard_ = number;
  period_s_ = period_s;
  due_s_ = period_s == kNever_s ? kNever_s : MPI_Wtime() + period_s;
}

void Balancer::tell_due() {
  due_s_ = kNever_s;  // once in a period
  post(0, Ask::kDue, heard_, 0);
}

void Balancer::handle_measured(const Record& record) {
  const std::uint32_t number = record.header.epoch;
  switch (static_cast<Ask>(record.header.flags)) {
    case Ask::kStop:
      measures_ = false;
      due_s_ = kNever_s;
      return;
    case Ask::kStart:
      measures_ = true;
      for (Entry* each : array_.here()) each->load_us = 0;
      return start_period(number, info_of<double>(record));
    case Ask::kTell: start_period(number, info_of<double>(record)); return answer(record.from);
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

void Balancer::answer(int to) {
  const auto write = [&](Archive& archive) {
    archive(move_s_, packed_, static_cast<std::uint32_t>(array_.here().size()));
    for (const Entry* each : array_.here()) {
      archive(static_cast<double>(each->load_us) * 1e-6, each->suspended != 0);
      archive(static_cast<std::uint64_t>(each->index.size()));  // as a string is written
      archive.bytes(const_cast<char*>(each->index.data()), each->index.size());
    }
  };
  Archive count = Archive::counting();
  write(count);
  Archive out = Archive::writing(post(to, Ask::kAnswer, heard_, count.used()), count.used());
  write(out);
  for (Entry* each : array_.here()) {
    if (each->load_us > 0) each->load_us = 0;
  }
  move_s_ = 0;
  packed_ = 0;
}

void Balancer::take_answer(const Record& record) {
  const double begin_s = thread_processor_s();
  Archive in = Archive::reading(record.payload, record.header.payload);
  double move_s = 0;
  std::uint32_t moves = 0;
  std::uint32_t count = 0;
  in(move_s, moves, count);
  all_move_s_ += move_s;
  all_moves_ += moves;
  for (std::uint32_t i = 0; i < count; ++i) {
    balancing::Problem::Element element;
    in(element.load, element.is_fixed, names_.emplace_back());
    element.process = record.from;
    problem_.elements.push_back(element);
  }
  const bool is_last = ++answers_ == array_.core().size();
  if (is_last) decide();
  busy_s_ += thread_processor_s() - begin_s;
  if (is_last && is_due_ && !is_asked_for_) begin(automatic_);
}

void Balancer::begin(const BalanceOptions& options) {
  options_ = options;
  begin_s_ = MPI_Wtime();
  answers_ = 0;
  problem_ = {};
  names_.clear();
  is_collecting_ = true;
  is_due_ = false;
  ++number_;
  ask(Ask::kTell);
  busy_s_ = 0;
}

void Balancer::decide() {
  is_collecting_ = false;
  problem_.processes = array_.core().size();
  balancing::weigh_unmeasured(problem_);
  problem_.tolerated = options_.tolerated;
  if (!options_.vacated.empty()) {
    problem_.vacated.assign(static_cast<std::size_t>(problem_.processes), false);
    for (const int each : options_.vacated) problem_.vacated[static_cast<std::size_t>(each)] = true;
    // Those that move spread over the others also where nothing was measured.
    const auto has_load = [](const balancing::Problem::Element& each) { return each.load > 0; };
    if (std::none_of(problem_.elements.begin(), problem_.elements.end(), has_load)) {
      for (balancing::Problem::Element& each : problem_.elements) each.load = 1;
    }
  }
  const balancing::Plan plan = balancing::balance(options_.strategy, problem_);
  report_ = {};
  report_.verdict = plan.verdict;
  report_.moved = is_worth_it(plan);
  report_.decide_s = MPI_Wtime() - begin_s_;
  if (report_.moved) send_moves(plan);
  report_.move_s = MPI_Wtime() - begin_s_ - report_.decide_s;
  if (is_asked_for_) return;
  ++history_.steps;
  history_.steps_that_moved += report_.moved ? 1 : 0;
  history_.moves += report_.moved ? plan.moves.size() : 0;
  history_.last = report_;
}

BalanceReport Balancer::step(const BalanceOptions& options) {
  struct Asked {
    Balancer& balancer;
    explicit Asked(Balancer& of) : balancer(of) { balancer.is_asked_for_ = true; }
    ~Asked() { balancer.is_asked_for_ = false; }
  };
  check(options);
  {
    const Asked asked(*this);
    begin(options);
    array_.core().run_until([&] { return !is_collecting_; });
    if (report_.moved) array_.core().quiesce();
    report_.move_s = MPI_Wtime() - begin_s_ - report_.decide_s;
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
bool Balancer::is_worth_it(const balancing::Plan& plan) const {
  if (plan.moves.empty()) return false;
  if (options_.always || !problem_.vacated.empty()) return true;
  if (plan.verdict.imbalance_before <= options_.tolerated) return false;
  double total_s = 0;
  for (const balancing::Problem::Element& each : problem_.elements) total_s += each.load;
  const double gain_s = (plan.verdict.imbalance_before - plan.verdict.imbalance_after) * total_s /
                        static_cast<double>(problem_.processes);
  return gain_s > cost_of_move_s() * static_cast<double>(plan.moves.size());
}

double Balancer::cost_of_move_s() const {
  return all_moves_ == 0 ? options_.cost_of_move_s : all_move_s_ / static_cast<double>(all_moves_);
}

void Balancer::send_moves(const balancing::Plan& plan) {
  // In the order in which a process named its elements, which is about that of their memory, not in the strategy's.
  std::vector<int> goes(problem_.elements.size(), -1);
  for (const balancing::Move& each : plan.moves) goes[each.element] = each.to;
  std::vector<std::vector<std::uint32_t>> of_process(static_cast<std::size_t>(problem_.processes));
  for (std::uint32_t i = 0; i < goes.size(); ++i) {
    if (goes[i] >= 0) of_process[static_cast<std::size_t>(problem_.elements[i].process)].push_back(i);
  }
  for (int to = 0; to < problem_.processes; ++to) {
    const auto& moves = of_process[static_cast<std::size_t>(to)];
    if (moves.empty()) continue;
    const auto write = [&](Archive& archive) {
      archive(static_cast<std::uint32_t>(moves.size()));
      for (const std::uint32_t each : moves) archive(goes[each], names_[each]);
    };
    Archive count = Archive::counting();
    write(count);
    RecordHeader header;
    header.kind = Kind::kMoves;
    header.array = array_.number();
    header.payload = static_cast<std::uint32_t>(count.used());
    Archive out = Archive::writing(array_.core().post(to, header, nullptr), count.used());
    write(out);
  }
}

void Balancer::handle_moves(const Record& record) {
  Archive in = Archive::reading(record.payload, record.header.payload);
  std::uint32_t count = 0;
  in(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    int to = 0;
    std::string name;
    in(to, name);
    array_.move_here(Index(name.data(), name.size()), to);
  }
}

}  // namespace detail
}  // namespace starling::array
