// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "balancer.hpp"

#include <algorithm>
#include <cstdio>

#include "core.hpp"

namespace starling::array {

std::string BalanceReport::text() const {
  char more[120];
  std::snprintf(more, sizeof more, "; %s, %.3f ms to decide, %.3f ms to move", moved ? "moved" : "not worth the moves",
                decide_s * 1e3, move_s * 1e3);
  return verdict.text() + more;
}

namespace detail {

void Balancer::ask(Ask what) {
  for (int to = 0; to < array_.core().size(); ++to) {
    RecordHeader header;
    header.kind = Kind::kMeasured;
    header.array = array_.number();
    header.flags = static_cast<std::uint8_t>(what);
    array_.core().post(to, header, nullptr);
  }
}

void Balancer::measure(bool on) { ask(on ? Ask::kStart : Ask::kStop); }

void Balancer::handle_measured(const Record& record) {
  switch (static_cast<Ask>(record.header.flags)) {
    case Ask::kStop: measures_ = false; return;
    case Ask::kStart:
      measures_ = true;
      for (Entry* each : array_.here()) each->load_us = 0;
      return;
    case Ask::kTell: return answer(record.from);
    case Ask::kAnswer: break;
  }
  Archive in = Archive::reading(record.payload, record.header.payload);
  std::uint32_t count = 0;
  in(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    balancing::Problem::Element element;
    std::string name;
    in(element.load, element.is_fixed, name);
    element.process = record.from;
    problem_.elements.push_back(element);
    names_.push_back(std::move(name));
  }
  ++answers_;
}

void Balancer::answer(int to) {
  const auto write = [&](Archive& archive) {
    archive(static_cast<std::uint32_t>(array_.here().size()));
    for (const Entry* each : array_.here()) {
      archive(static_cast<double>(each->load_us) * 1e-6, each->suspended != 0);
      archive(static_cast<std::uint64_t>(each->index.size()));  // as a string is written
      archive.bytes(const_cast<char*>(each->index.data()), each->index.size());
    }
  };
  Archive count = Archive::counting();
  write(count);
  RecordHeader header;
  header.kind = Kind::kMeasured;
  header.array = array_.number();
  header.flags = static_cast<std::uint8_t>(Ask::kAnswer);
  header.payload = static_cast<std::uint32_t>(count.used());
  Archive out = Archive::writing(array_.core().post(to, header, nullptr), count.used());
  write(out);
  for (Entry* each : array_.here()) {
    if (each->load_us > 0) each->load_us = 0;
  }
}

BalanceReport Balancer::step(const BalanceOptions& options) {
  Core& core = array_.core();
  const double begin_s = MPI_Wtime();
  answers_ = 0;
  problem_ = {};
  names_.clear();
  ask(Ask::kTell);
  core.run_until([&] { return answers_ == core.size(); });
  problem_.processes = core.size();
  balancing::weigh_unmeasured(problem_);
  problem_.tolerated = options.tolerated;
  if (!options.vacated.empty()) {
    problem_.vacated.assign(static_cast<std::size_t>(core.size()), false);
    for (const int each : options.vacated) problem_.vacated.at(static_cast<std::size_t>(each)) = true;
  }
  const balancing::Plan plan = balancing::balance(options.strategy, problem_);
  BalanceReport report;
  report.verdict = plan.verdict;
  report.decide_s = MPI_Wtime() - begin_s;
  report.moved = is_worth_it(problem_, plan, options);
  if (report.moved) {
    send_moves(problem_, plan);
    core.quiesce();
  }
  report.move_s = MPI_Wtime() - begin_s - report.decide_s;
  return report;
}

bool Balancer::is_worth_it(const balancing::Problem& problem, const balancing::Plan& plan,
                           const BalanceOptions& options) const {
  if (plan.moves.empty()) return false;
  if (options.always || !problem.vacated.empty()) return true;
  double total_s = 0;
  for (const balancing::Problem::Element& each : problem.elements) total_s += each.load;
  const double gain_s =
      (plan.verdict.imbalance_before - plan.verdict.imbalance_after) * total_s / static_cast<double>(problem.processes);
  return gain_s > options.cost_of_move_s * static_cast<double>(plan.moves.size());
}

std::size_t Balancer::send_moves(const balancing::Problem& problem, const balancing::Plan& plan) {
  std::vector<std::vector<const balancing::Move*>> of_process(static_cast<std::size_t>(problem.processes));
  for (const balancing::Move& each : plan.moves) {
    of_process[static_cast<std::size_t>(problem.elements[each.element].process)].push_back(&each);
  }
  for (int to = 0; to < problem.processes; ++to) {
    const auto& moves = of_process[static_cast<std::size_t>(to)];
    if (moves.empty()) continue;
    const auto write = [&](Archive& archive) {
      archive(static_cast<std::uint32_t>(moves.size()));
      for (const balancing::Move* each : moves) archive(each->to, names_[each->element]);
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
  return plan.moves.size();
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
