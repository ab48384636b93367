// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "router.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "base/format.hpp"
#include "progress.hpp"
#include "task/error_text.hpp"

namespace starling::farm {

Router::Router(const Parts& parts, const std::vector<int>& inputs) : parts_(parts), sources_(inputs.size()) {
  for (std::size_t i = 0; i < inputs.size(); ++i) sources_[i].rank = inputs[i];
}

void Router::note_done(const TaskName& name) {
  if (name.part == kWhole || name.part == kAllParts) {
    sources_[name.input()].done.admit(name.number());
  } else {
    done_parts_.insert(name);
  }
}

void Router::on_task(Task& task) {
  switch (task.state) {
    case TaskState::kPiece: return admit(task);
    case TaskState::kInputEnd: return end_input(task.input, false);
    case TaskState::kInputDied: return end_input(task.input, true);
    case TaskState::kOutputDied: return lose_output(task.input);
    case TaskState::kTaken: return taken(task.number);
    case TaskState::kMissing: return missing(task.number);
    case TaskState::kHolderDied: return lose_results_of(parcel_of(task.value.as<Slice>()));
    default: return settle(task);
  }
}

void Router::admit(Task& task) {
  Source& source = sources_[task.input];
  const TaskName name = TaskName::of(task.input, source.seen.load(std::memory_order_relaxed));
  if (source.done.has_admitted(name.number())) {
    parts_.tally.skipped.fetch_add(1, std::memory_order_relaxed);
    if (task.away) parts_.releases.add(parcel_of(task.value.as<Slice>()));
  } else {
    begin(name, std::move(task.value), task.away);
  }
  source.seen.fetch_add(1, std::memory_order_relaxed);
}

/// One that dies when it has given all is not missed.
void Router::end_input(std::size_t input, bool dead) {
  Source& source = sources_[input];
  if (std::exchange(source.ended, true)) return;
  ++ended_;
  source.dead = dead;
  if (!dead) return;
  const LostShare share{LostShare::Of::kInput, static_cast<int>(input), source.rank, source.seen.load(), source.lost};
  report(share, live_inputs() > 0 ? "the run goes on with the other Inputs"
                                  : "no Input is left, and the run ends with what is under way");
}

/// What was not sent to it goes to the others. What was sent it may have taken and not have said so: given to another
/// one, it could be in the output twice.
void Router::lose_output(std::size_t which) {
  Way& way = ways_[which];
  way.dead = true;
  std::vector<Delivery> unsent = way.there->try_take();
  std::erase_if(unsent, [](const Delivery& each) { return each.result.state == TaskState::kFailed; });
  for (const Delivery& delivery : unsent) tasks_.at(delivery.result.number).way = kNoWay;
  LostShare share{LostShare::Of::kOutput, static_cast<int>(which), way.rank, way.taken, 0};
  std::vector<std::uint64_t> lost;
  for (const auto& [number, known] : tasks_) {
    if (known.way == which && known.settled) lost.push_back(number);
  }
  share.lost = lost.size();
  const bool last = std::all_of(ways_.begin(), ways_.end(), [](const Way& each) { return each.dead; });
  report(share, last ? "no Output is left, and the run ends" : "the others get the rest");
  if (last) {
    throw std::runtime_error(
        formatted("farm: rank {}, where the last Output ran, is dead; with a journal, --resume "
                  "goes on from there",
                  way.rank));
  }
  // What it said was missing is being calculated again.
  for (auto& [number, known] : tasks_) {
    if (known.way != which || known.settled) continue;
    known.way = least_loaded();
    ++ways_[known.way].before_it;
  }
  for (const std::uint64_t number : lost) {
    const auto found = tasks_.find(number);
    const std::uint64_t piece = found->second.name.piece;
    forget(found);
    pieces_.at(piece).incomplete = true;
    --pieces_.at(piece).untaken;
    parts_.tally.settled.fetch_add(1);
    retire_if_over(piece);
  }
  for (Delivery& delivery : unsent) deliver(delivery.result, delivery.name);
}

void Router::report(const LostShare& share, const char* then) const {
  parts_.summary.share_lost = true;
  parts_.summary.lost_shares.push_back(share);
  if (parts_.options.summary) std::fprintf(stderr, "farm: %s; %s\n", text_of(share).c_str(), then);
}

std::uint64_t Router::not_given() const {
  std::uint64_t count = 0;
  for (const Source& source : sources_) count += source.dead ? 0 : source.done.count_from(source.seen);
  std::unordered_set<std::uint64_t> pieces;
  for (const TaskName& part : done_parts_) {
    const Source& source = sources_[part.input()];
    if (!source.dead && part.number() >= source.seen) pieces.insert(part.piece);
  }
  return count + pieces.size();
}

void Router::begin(const TaskName& name, Value&& value, bool away) {
  Task task;
  task.number = next_number_++;
  task.value = std::move(value);
  task.away = away;
  Known known{name};
  if (parts_.results_stay && !task.value.holds<Slice>()) {
    auto bytes = std::make_shared<Buffer>();
    parts_.program.pack_in(task.value, *bytes);
    const std::size_t size = bytes->size();
    task.value = Value(Slice{std::move(bytes), 0, size});
  }
  if (parts_.results_stay || away) {
    known.in = task.value.as<Slice>();
    known.in_away = away;
  }
  tasks_.emplace(task.number, std::move(known));
  ++pieces_[name.piece].open;
  parts_.tally.created.fetch_add(1, std::memory_order_relaxed);
  parts_.ready.put(std::move(task));
}

void Router::settle(Task& task) {
  const auto found = tasks_.find(task.number);
  if (found == tasks_.end() || found->second.settled) {
    return drop_duplicate(task, found);
  }
  if (task.state == TaskState::kGone) return lose_task(found);
  found->second.settled = true;
  if (task.away) found->second.at = parcel_of(task.value.as<Slice>());
  const TaskName name = found->second.name;
  parts_.summary.retries += task.failures - (task.state == TaskState::kFailed ? 1U : 0U);
  if (task.state == TaskState::kResult) note_slow(parts_.summary, name.number(), task.cost_ns);
  if (found->second.way != kNoWay) return deliver_again(task, found);
  std::vector<Value> parts;
  if (task.state == TaskState::kResult && parts_.program.expand(task.value, parts)) {
    forget(found);
    divide(name, parts);
  } else {
    Piece& piece = pieces_.at(name.piece);
    ++piece.untaken;
    if (parts_.options.order == Order::kInput) piece.waiting.emplace_back(name, std::move(task));
    --piece.open;
    if (parts_.options.order == Order::kAny) return deliver(task, name);
  }
  if (parts_.options.order == Order::kInput) deliver_pieces_in_turn(sources_[name.input()], name.input());
}

/// What a stage returned becomes tasks, but for what an earlier run has done.
void Router::divide(const TaskName& name, std::vector<Value>& parts) {
  pieces_.at(name.piece).divided = true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const TaskName part = name.child(i);
    if (done_parts_.erase(part) > 0) {
      parts_.tally.skipped.fetch_add(1, std::memory_order_relaxed);
    } else {
      begin(part, std::move(parts[i]), false);
    }
  }
  parts_.tally.settled.fetch_add(1);
  --pieces_.at(name.piece).open;
  retire_if_over(name.piece);
}

/// A piece's parts go out together, in the order of the lists that they come from.
void Router::deliver_pieces_in_turn(Source& source, std::size_t input) {
  for (;; ++source.turn) {
    if (source.done.has_admitted(source.turn)) continue;
    if (source.turn >= source.seen.load(std::memory_order_relaxed)) return;
    const auto found = pieces_.find(TaskName::of(input, source.turn).piece);
    if (found == pieces_.end()) continue;  // nothing came of it
    if (found->second.open > 0) return;
    auto waiting = std::exchange(found->second.waiting, {});
    std::sort(waiting.begin(), waiting.end(),
              [](const auto& a, const auto& b) { return a.first.path() < b.first.path(); });
    for (auto& [name, task] : waiting) deliver(task, name);
  }
}

/// Of the Outputs that live.
std::size_t Router::least_loaded() const {
  const auto least = std::min_element(ways_.begin(), ways_.end(), [](const Way& a, const Way& b) {
    return std::pair(a.dead, a.before_it) < std::pair(b.dead, b.before_it);
  });
  return static_cast<std::size_t>(least - ways_.begin());
}

void Router::deliver(Task& task, const TaskName& name) {
  if (task.state == TaskState::kFailed) {
    pieces_.at(name.piece).incomplete = true;
    parts_.summary.quarantine.push_back({name.number(), task.failures, text_of(task), static_cast<int>(name.input())});
    forget(tasks_.find(task.number));
    parts_.tally.settled.fetch_add(1);
    --pieces_.at(name.piece).untaken;
    return retire_if_over(name.piece);
  }
  const std::size_t which = least_loaded();
  Way& way = ways_[which];
  ++way.before_it;
  tasks_.at(task.number).way = which;
  const std::uint64_t number = task.number;
  Delivery delivery{std::move(task), name};
  if (way.there != nullptr) return way.there->put(std::move(delivery));
  if (ways_.size() > 1) return way.here->put(std::move(delivery));
  way.here->take(delivery.result, name);
  taken(number);
}

void Router::taken(std::uint64_t number) {
  const auto found = tasks_.find(number);
  if (found == tasks_.end()) return;
  const std::uint64_t piece = found->second.name.piece;
  Way& way = ways_[found->second.way];
  forget(found);
  --way.before_it;
  ++way.taken;
  --pieces_.at(piece).untaken;
  ++parts_.summary.tasks;
  parts_.tally.settled.fetch_add(1);
  retire_if_over(piece);
}

/// The result has gone before its Output had it.
void Router::calculate_again(std::uint64_t number, Known& known) {
  known.settled = false;
  known.at.reset();
  ++parts_.summary.retries;
  Tasks again(1);
  again[0].number = number;
  again[0].value = Value(known.in);
  again[0].away = known.in_away;
  parts_.ready.put_first(again);
}

/// Of whatever an Output is given it says once that it has taken it, or that it is missing.
void Router::missing(std::uint64_t number) {
  const auto found = tasks_.find(number);
  if (found != tasks_.end()) calculate_again(number, found->second);
}

/// Those that no Output has been given yet; an Output finds out by itself.
void Router::lose_results_of(const Parcel& holder) {
  for (auto& [number, known] : tasks_) {
    if (!known.settled || known.way != kNoWay || !known.at) continue;
    if (known.at->place != holder.place || known.at->deaths != holder.deaths) continue;
    Piece& piece = pieces_.at(known.name.piece);
    std::erase_if(piece.waiting, [which = number](const auto& each) { return each.second.number == which; });
    --piece.untaken;
    ++piece.open;
    calculate_again(number, known);
  }
}

/// The piece was with an Input that died, and nobody else has it.
void Router::lose_task(TaskPlace found) {
  const TaskName name = found->second.name;
  Piece& piece = pieces_.at(name.piece);
  piece.incomplete = true;
  if (found->second.way != kNoWay) {
    end_wait_of_output(found->first, found->second);
  } else {
    --piece.open;
  }
  forget(found);
  parts_.tally.settled.fetch_add(1);
  note_lost(name.input());
  retire_if_over(name.piece);
  if (parts_.options.order == Order::kInput) deliver_pieces_in_turn(sources_[name.input()], name.input());
}

/// Whoever asked the Input may have heard of its death before the server does, which reports it then.
void Router::note_lost(std::size_t input) {
  Source& source = sources_[input];
  ++source.lost;
  std::vector<LostShare>& all = parts_.summary.lost_shares;
  const auto known = std::find_if(all.begin(), all.end(), [&](const LostShare& share) {
    return share.of == LostShare::Of::kInput && share.index == static_cast<int>(input);
  });
  if (known != all.end()) {
    known->lost = source.lost;
  } else if (source.ended) {
    report({LostShare::Of::kInput, static_cast<int>(input), source.rank, source.seen.load(), source.lost},
           "the run goes on with the rest");
  }
}

void Router::deliver_again(Task& task, TaskPlace found) {
  Known& known = found->second;
  const std::uint64_t number = task.number;
  if (task.state == TaskState::kResult) return ways_[known.way].there->put({std::move(task), known.name});
  const TaskName name = known.name;
  end_wait_of_output(number, known);
  pieces_.at(name.piece).incomplete = true;
  parts_.summary.quarantine.push_back({name.number(), task.failures, text_of(task), static_cast<int>(name.input())});
  forget(found);
  parts_.tally.settled.fetch_add(1);
  retire_if_over(name.piece);
}

/// The result that was missing will not come.
void Router::end_wait_of_output(std::uint64_t number, Known& known) {
  Way& way = ways_[known.way];
  --way.before_it;
  --pieces_.at(known.name.piece).untaken;
  Delivery word;
  word.result.number = number;
  word.result.state = TaskState::kFailed;
  word.result.value = Value(Slice{std::make_shared<Buffer>(), 0, 0});
  word.name = known.name;
  way.there->put(std::move(word));
}

/// Whoever has another copy of the result need not keep it.
void Router::drop_duplicate(const Task& task, TaskPlace found) {
  ++parts_.summary.duplicates;
  if (!task.away) return;
  const Parcel copy = parcel_of(task.value.as<Slice>());
  const bool is_the_one = found != tasks_.end() && found->second.at && found->second.at->place == copy.place &&
                          found->second.at->deaths == copy.deaths;
  if (!is_the_one) parts_.releases.add(copy);
}

void Router::forget(TaskPlace found) {
  const Known& known = found->second;
  if (known.in_away) parts_.releases.add(parcel_of(known.in));
  if (known.at) parts_.releases.add(*known.at);
  tasks_.erase(found);
}

void Router::retire_if_over(std::uint64_t number) {
  const auto found = pieces_.find(number);
  const Piece& piece = found->second;
  if (piece.open > 0 || piece.untaken > 0) return;
  if (piece.divided && !piece.incomplete && parts_.journal.is_open()) {
    const bool only_here = ways_.size() == 1 && ways_[0].there == nullptr;
    parts_.journal.note({number, kAllParts}, only_here ? parts_.program.mark() : 0);
  }
  pieces_.erase(found);
}

}  // namespace starling::farm
