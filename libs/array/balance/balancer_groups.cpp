// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "balancer_groups.hpp"

#include <algorithm>
#include <cstring>

namespace starling::array::detail {

void post_moves(Host& host, std::uint16_t array, int process,
                const std::vector<std::pair<int, const std::string*>>& moves) {
  const auto write = [&](Archive& archive) {
    archive(static_cast<std::uint32_t>(moves.size()));
    for (const auto& [to, name] : moves) archive(to, *name);
  };
  Archive count = Archive::counting();
  write(count);
  RecordHeader header;
  header.kind = RecordKind::kMoves;
  header.array = array;
  header.payload = static_cast<std::uint32_t>(count.used());
  Archive out = Archive::writing(host.records().post(process, header, nullptr), count.used());
  write(out);
}

void GroupSteps::Total::add(const Total& other) {
  load_s += other.load_s;
  most_s = std::max(most_s, other.most_s);
  after_s = std::max(after_s, other.after_s);
  largest_s = std::max(largest_s, other.largest_s);
  move_s += other.move_s;
  moved += other.moved;
  wants_vacated += other.wants_vacated;
  moves += other.moves;
  most_bytes = std::max(most_bytes, other.most_bytes);
}

char* GroupSteps::post(int to, What what, int level, std::size_t bytes) {
  RecordHeader header;
  header.kind = RecordKind::kGrouped;
  header.array = elements_.number();
  header.flags = static_cast<std::uint8_t>(what);
  header.spare = static_cast<std::uint16_t>(level);
  header.epoch = number_;
  header.payload = static_cast<std::uint32_t>(bytes);
  return host_.records().post(to, header, nullptr);
}

template <class Info>
void GroupSteps::tell(int to, What what, int level, const Info& info) {
  std::memcpy(post(to, what, level, sizeof info), &info, sizeof info);
}

/// As the leader of a level.
template <class Info>
void GroupSteps::tell_parts(What what, int level, const Info& info) {
  const int parts = tree_.parts(host_.rank(), level);
  for (int i = 0; i < parts; ++i) tell(tree_.part(host_.rank(), level, i), what, level - 1, info);
}

void GroupSteps::begin(std::uint32_t number, const Wanted& wanted) {
  const balancing::GroupTree tree{host_.size(), static_cast<int>(wanted.group)};
  const std::uint32_t before = std::exchange(number_, number);
  tell(0, What::kAsk, tree.top(), wanted);
  number_ = before;
}

void GroupSteps::handle(const Record& record) {
  const auto what = static_cast<What>(record.header.flags);
  const int level = record.header.spare;
  if (what == What::kAsk && (record.header.epoch != number_ || levels_.empty())) {
    number_ = record.header.epoch;
    wanted_ = info_of<Wanted>(record);
    tree_ = {host_.size(), static_cast<int>(wanted_.group)};
    levels_.assign(static_cast<std::size_t>(tree_.top()) + 1, Level{});
    received_ = 0;
  }
  if (record.header.epoch != number_ || levels_.empty()) return;
  if (record.from != host_.rank()) received_ += sizeof(RecordHeader) + record.header.payload;
  switch (what) {
    case What::kAsk: return handle_ask(level);
    case What::kLoads: return take_loads(record);
    case What::kSum:
    case What::kPlan: return take_sum(record, level);
    case What::kTask: {
      balancing::Task task;
      Archive in = Archive::reading(record.payload, record.header.payload);
      in(task.incoming, task.outgoing);
      return lead(level, task);
    }
    case What::kGo: return handle_go(level, info_of<std::uint64_t>(record) != 0);
  }
}

void GroupSteps::handle_ask(int level) {
  if (level == 0) return tell_loads();
  Level& mine = levels_[static_cast<std::size_t>(level)];
  mine = {};
  for (int i = 0; i < tree_.parts(host_.rank(), level); ++i) {
    const int first = tree_.part(host_.rank(), level, i);
    mine.parts.push_back({first, tree_.members(first, level - 1), 0});
  }
  if (level == 1) {
    problem_ = {};
    problem_.processes = tree_.members(host_.rank(), 1);
    problem_.tolerated = wanted_.tolerated;
    problem_.background.assign(static_cast<std::size_t>(problem_.processes), 0);
    names_.clear();
    moves_.clear();
  }
  tell_parts(What::kAsk, level, wanted_);
}

void GroupSteps::tell_loads() {
  const Measured measured = owner_.measured(wanted_.around_others != 0);
  const auto write = [&](Archive& archive) {
    archive(measured.move_s, measured.background_s, measured.moved, measured.wants_vacated,
            static_cast<std::uint32_t>(elements_.here().size()));
    for (const Entry* each : elements_.here()) {
      archive(static_cast<double>(each->load_us) * 1e-6, each->suspended != 0,
              static_cast<std::uint64_t>(each->index.size()));
      archive.bytes(const_cast<char*>(each->index.data()), each->index.size());
    }
  };
  Archive count = Archive::counting();
  write(count);
  Archive out = Archive::writing(post(tree_.leader(host_.rank(), 1), What::kLoads, 1, count.used()), count.used());
  write(out);
}

bool GroupSteps::is_complete(int level) {
  Level& mine = levels_[static_cast<std::size_t>(level)];
  if (++mine.answers != static_cast<int>(mine.parts.size())) return false;
  mine.answers = 0;
  return true;
}

void GroupSteps::take_loads(const Record& record) {
  Total& total = levels_[1].total;
  Archive in = Archive::reading(record.payload, record.header.payload);
  Measured measured;
  std::uint32_t count = 0;
  in(measured.move_s, measured.background_s, measured.moved, measured.wants_vacated, count);
  total.move_s += measured.move_s;
  total.moved += measured.moved;
  total.wants_vacated += measured.wants_vacated;
  const int process = record.from - host_.rank();
  problem_.background[static_cast<std::size_t>(process)] = measured.background_s;
  for (std::uint32_t i = 0; i < count; ++i) {
    balancing::Problem::Element element;
    in(element.load, element.is_fixed, names_.emplace_back());
    element.process = process;
    problem_.elements.push_back(element);
  }
  if (!is_complete(1)) return;
  balancing::weigh_unmeasured(problem_);
  for (const balancing::Problem::Element& each : problem_.elements)
    total.largest_s = std::max(total.largest_s, each.load);
  for (const double each : balancing::process_loads(problem_)) {
    total.load_s += each;
    total.most_s = std::max(total.most_s, each);
  }
  sum_is_complete(1);
}

/// Or what a plan is worth, in the second round.
void GroupSteps::take_sum(const Record& record, int level) {
  Level& mine = levels_[static_cast<std::size_t>(level)];
  const auto total = info_of<Total>(record);
  const auto part = static_cast<std::size_t>((record.from - host_.rank()) / tree_.span(level - 1));
  mine.parts[part].load = total.load_s;
  mine.total.add(total);
  if (!is_complete(level)) return;
  if (static_cast<What>(record.header.flags) == What::kSum) return sum_is_complete(level);
  plan_is_complete(level);
}

void GroupSteps::sum_is_complete(int level) {
  const Total& total = levels_[static_cast<std::size_t>(level)].total;
  if (level < tree_.top()) return tell(tree_.leader(host_.rank(), level + 1), What::kSum, level + 1, total);
  if (total.wants_vacated != 0) return owner_.give_up(number_);
  lead(level, {});
}

void GroupSteps::lead(int level, const balancing::Task& task) {
  if (level == 1) return make_plan(task);
  Level& mine = levels_[static_cast<std::size_t>(level)];
  const std::vector<balancing::Task> tasks = balancing::share_out(task, mine.parts, wanted_.tolerated);
  mine.total = {};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto write = [&](Archive& archive) { archive(tasks[i].incoming, tasks[i].outgoing); };
    Archive count = Archive::counting();
    write(count);
    Archive out = Archive::writing(post(mine.parts[i].first, What::kTask, level - 1, count.used()), count.used());
    write(out);
  }
}

void GroupSteps::make_plan(const balancing::Task& task) {
  moves_ = balancing::carry_out(task, problem_, host_.rank());
  Total& total = levels_[1].total;
  std::vector<double> loads = balancing::process_loads(problem_);
  for (const balancing::Move& each : moves_) {
    const balancing::Problem::Element& element = problem_.elements[each.element];
    loads[static_cast<std::size_t>(element.process)] -= element.load;
    const int to = each.to - host_.rank();
    if (to >= 0 && to < problem_.processes) loads[static_cast<std::size_t>(to)] += element.load;
  }
  for (const double each : loads) total.after_s = std::max(total.after_s, each + task.incoming);
  total.moves = moves_.size();
  plan_is_complete(1);
}

void GroupSteps::plan_is_complete(int level) {
  Total& total = levels_[static_cast<std::size_t>(level)].total;
  total.most_bytes = std::max(total.most_bytes, received_);
  if (level < tree_.top()) return tell(tree_.leader(host_.rank(), level + 1), What::kPlan, level + 1, total);
  handle_go(level, owner_.decide(number_, total));
}

void GroupSteps::handle_go(int level, bool is_carried_out) {
  if (level == 0) return owner_.begin_period(number_, wanted_);
  if (level == 1 && is_carried_out) send_moves();
  const std::uint64_t go = is_carried_out ? 1 : 0;
  for (int i = 1; i < tree_.parts(host_.rank(), level); ++i) {
    tell(tree_.part(host_.rank(), level, i), What::kGo, level - 1, go);
  }
  handle_go(level - 1, is_carried_out);  // at once: another step may follow
}

void GroupSteps::send_moves() {
  std::vector<int> goes(problem_.elements.size(), -1);
  for (const balancing::Move& each : moves_) goes[each.element] = each.to;
  std::vector<std::vector<std::pair<int, const std::string*>>> of_process(static_cast<std::size_t>(problem_.processes));
  for (std::size_t i = 0; i < goes.size(); ++i) {
    if (goes[i] >= 0)
      of_process[static_cast<std::size_t>(problem_.elements[i].process)].emplace_back(goes[i], &names_[i]);
  }
  for (std::size_t i = 0; i < of_process.size(); ++i) {
    if (!of_process[i].empty())
      post_moves(host_, elements_.number(), host_.rank() + static_cast<int>(i), of_process[i]);
  }
}

}  // namespace starling::array::detail
