// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "children.hpp"

#include <algorithm>

#include "wire/message.hpp"

namespace starling::farm {

Child& Children::add(int rank) {
  Child& child = children_[rank];
  neighbors_.listen_to(rank, Neighbors::kChild);
  return child;
}

Child* Children::find(int rank) {
  const auto found = children_.find(rank);
  return found != children_.end() ? &found->second : nullptr;
}

Children::Removed Children::remove(int rank) {
  Removed child = children_.extract(rank);
  if (child) neighbors_.forget(rank, Neighbors::kChild);
  return child;
}

std::uint64_t Children::threads() const {
  std::uint64_t threads = 0;
  for (const auto& [rank, child] : children_) threads += child.threads;
  return threads;
}

bool Children::all_joined() const {
  return std::all_of(children_.begin(), children_.end(),
                     [](const auto& child) { return child.second.joined || child.second.excused; });
}

bool Children::all_gone() const {
  return std::all_of(children_.begin(), children_.end(),
                     [](const auto& child) { return child.second.excused && !child.second.joined; });
}

void Children::forget_excused() {
  while (!children_.empty()) remove(children_.begin()->first);
}

bool Children::hold(std::uint64_t number) const {
  return std::any_of(children_.begin(), children_.end(),
                     [&](const auto& child) { return child.second.held.contains(number); });
}

void Children::stop(RunEnd end, bool after_deaths) {
  stopping_ = true;
  after_deaths_ = after_deaths;
  run_end_ = end;
  for (auto& [rank, child] : children_) {
    if (child.joined) stop(rank, child);
  }
}

void Children::stop(int rank, Child& child) {
  if (std::exchange(child.stopped, true)) return;
  send_stop(rank);
}

void Children::send_stop(int rank) {
  Message stop(MessageKind::kStop);
  stop.set_count(static_cast<std::size_t>(run_end_) + (after_deaths_ ? kAfterDeaths : 0));
  neighbors_.send(rank, stop.finish());
}

}  // namespace starling::farm
