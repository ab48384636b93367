// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What processes tell each other in a balancing step: the part of Balancer that writes and reads loads and moves.
#include <algorithm>
#include <utility>

#include "balancer.hpp"

namespace starling::array::detail {

/// Since it was taken last: what other arrays that are measured worked here, and what methods were kept waiting.
double Balancer::take_background_s() {
  const double before_s = std::exchange(taken_s_, host_.taken_s);
  return std::max(0.0, taken_s_ - before_s - std::exchange(worked_s_, 0));
}

/// From zero.
void Balancer::begin_loads() {
  for (Entry* each : elements_.here()) {
    if (each->load_us > 0) each->load_us = 0;
  }
  move_s_ = 0;
  packed_ = 0;
}

void Balancer::answer(const Record& asked) {
  const double background_s = take_background_s();
  const auto write = [&](Archive& archive) {
    archive(move_s_, packed_, background_s, host_.is_vacated(), static_cast<std::uint32_t>(elements_.here().size()));
    for (const Entry* each : elements_.here()) {
      archive(static_cast<double>(each->load_us) * 1e-6, each->suspended != 0);
      write_name(archive, each->index);
      write_links(archive, *each, places_);
    }
    write_visits(archive, visits_);
  };
  Archive count = Archive::counting();
  write(count);
  const std::uint32_t number = asked.header.epoch;
  Archive out = Archive::writing(post(asked.from, Ask::kAnswer, number, count.used()), count.used());
  write(out);
  begin_loads();
  start_period(number, info_of<Period>(asked));
}

void Balancer::take_answer(const Record& record) {
  const double begin_s = thread_processor_s();
  if (record.from != host_.rank()) received_ += sizeof(RecordHeader) + record.header.payload;
  Archive in = Archive::reading(record.payload, record.header.payload);
  double move_s = 0;
  std::uint32_t moves = 0;
  std::uint32_t count = 0;
  bool wants_vacated = false;
  in(move_s, moves, background_s_[static_cast<std::size_t>(record.from)], wants_vacated, count);
  wants_vacated_[static_cast<std::size_t>(record.from)] = wants_vacated;
  all_move_s_ += move_s;
  all_moves_ += moves;
  for (std::uint32_t i = 0; i < count; ++i) {
    balancing::Problem::Element element;
    in(element.load, element.is_fixed, names_.emplace_back());
    element.process = record.from;
    problem_.elements.push_back(element);
    links_.read_links(in, static_cast<std::uint32_t>(problem_.elements.size() - 1), problem_);
  }
  links_.read_visits(in, record.from);
  const bool is_last = ++answers_ == host_.size();
  if (is_last) decide();
  busy_s_ += thread_processor_s() - begin_s;
  if (is_last && is_due_ && !is_asked_for_) begin(automatic_);
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
    std::vector<std::pair<int, const std::string*>> named;
    for (const std::uint32_t each : moves) named.emplace_back(goes[each], &names_[each]);
    post_moves(host_, elements_.number(), to, named);
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
    mover_.move(Index(name.data(), name.size()), to);
  }
}

}  // namespace starling::array::detail
