// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "depot.hpp"

#include <algorithm>
#include <utility>

namespace starling::farm {

Slice Depot::keep(std::uint64_t key, const Slice& bytes) {
  kept_.insert_or_assign(key, bytes);
  return slice_of({neighbors_.rank(), neighbors_.deaths(neighbors_.rank()), key});
}

/// Where another one is in that place already, the one that is meant has died and will not ask.
void Depot::on_meet(const Buffer& message) {
  const std::vector<int> meet = list_of<int>(message);
  const int taker = meet.at(0);
  if (neighbors_.deaths(taker) != meet.at(1)) return;
  takers_.insert(taker);
  if (static_cast<What>(meet.at(2)) == What::kResult && !parted_.contains(taker)) parting_.insert(taker);
  neighbors_.listen_to(taker, Neighbors::kTaker);
}

void Depot::on_ask(int peer, const Buffer& message) {
  Message here(MessageKind::kHere);
  for (const std::uint64_t key : list_of<std::uint64_t>(message)) {
    const auto found = kept_.find(key);
    Task data;
    data.number = key;
    data.state = found != kept_.end() ? TaskState::kResult : TaskState::kGone;
    here.add(data, [&](Buffer& to) {
      if (found != kept_.end()) to.append(found->second.data(), found->second.size);
    });
    if (here.size() < kLargeMessage) continue;
    neighbors_.send(peer, here.finish());
    here = Message(MessageKind::kHere);
  }
  if (here.count() > 0) neighbors_.send(peer, here.finish());
}

void Depot::on_release(const Buffer& message) {
  for (const std::uint64_t key : list_of<std::uint64_t>(message)) kept_.erase(key);
}

void Depot::ask(const Parcel& parcel, What what, Then then) {
  Waiting waiting{what, std::move(then)};
  ++(what == What::kPiece ? pieces_waiting_ : results_waiting_);
  if (neighbors_.deaths(parcel.place) != parcel.deaths) return answer(waiting, nullptr);
  if (parcel.place == neighbors_.rank()) {
    const auto found = kept_.find(parcel.key);
    return answer(waiting, found != kept_.end() ? &found->second : nullptr);
  }
  // The server and an Input elsewhere listen to each other until they have said their last words, or one is dead.
  if (is_server_ && !neighbors_.listens_to(parcel.place)) return answer(waiting, nullptr);
  if (!is_server_ && givers_.insert(parcel.place).second) neighbors_.listen_to(parcel.place, Neighbors::kGiver);
  if (what == What::kResult) outlets_.insert(parcel.place);
  std::vector<Waiting>& all = waiting_[parcel.place][parcel.key];
  if (all.empty()) asks_[parcel.place].push_back(parcel.key);
  all.push_back(std::move(waiting));
}

void Depot::answer(Waiting& waiting, const Slice* bytes) {
  --(waiting.what == What::kPiece ? pieces_waiting_ : results_waiting_);
  waiting.then(bytes);
}

void Depot::on_here(int peer, const std::shared_ptr<const Buffer>& message) {
  for (const Task& data : tasks_of(message)) {
    const auto questions = waiting_.find(peer);
    if (questions == waiting_.end()) return;
    auto waiting = questions->second.extract(data.number);
    if (!waiting) continue;
    const Slice* const bytes = data.state == TaskState::kGone ? nullptr : &data.value.as<Slice>();
    for (Waiting& each : waiting.mapped()) answer(each, bytes);
  }
}

void Depot::part() {
  send();
  for (const int giver : outlets_) neighbors_.send(giver, make_word(MessageKind::kPart));
}

void Depot::introduce(const Parcel& parcel, int taker, What what) {
  if (parcel.place == taker || neighbors_.deaths(parcel.place) != parcel.deaths) return;
  const int deaths = neighbors_.deaths(taker);
  if (!introduced_[what].insert({parcel.place, parcel.deaths, taker, deaths}).second) return;
  neighbors_.send(parcel.place, make_list(MessageKind::kMeet, std::vector<int>{taker, deaths, static_cast<int>(what)}));
}

void Depot::on_death(int peer) {
  for (std::set<int>* const all : {&takers_, &parting_, &givers_, &outlets_}) all->erase(peer);
  asks_.erase(peer);
  auto questions = waiting_.extract(peer);
  if (!questions) return;
  for (auto& [key, all] : questions.mapped()) {
    for (Waiting& each : all) answer(each, nullptr);
  }
}

bool Depot::send() {
  const auto all = std::exchange(asks_, {});
  for (const auto& [giver, keys] : all) neighbors_.send(giver, make_list(MessageKind::kAsk, keys));
  return !all.empty();
}

bool Depot::may_leave(bool after_deaths) const {
  if (pieces_waiting_ > 0) return false;
  if (!after_deaths && (results_waiting_ > 0 || !parting_.empty())) return false;
  return std::all_of(takers_.begin(), takers_.end(), [&](int taker) { return neighbors_.idle(taker); });
}

void Depot::leave() {
  for (const int taker : std::exchange(takers_, {})) neighbors_.forget(taker, Neighbors::kTaker);
  for (const int giver : std::exchange(givers_, {})) neighbors_.forget(giver, Neighbors::kGiver);
}

}  // namespace starling::farm
