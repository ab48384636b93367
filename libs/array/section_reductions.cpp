// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reductions of sections: a manager reports what its members contributed, and who below does not live any more.
#include <algorithm>
#include <utility>

#include "core.hpp"

namespace starling::array::detail {

Sections::One& Sections::one(Share& share, std::uint32_t number) {
  const std::size_t at = number - share.reported - 1;
  if (share.open.empty()) share.waiting_since_s = wall_s();
  while (share.open.size() <= at) share.open.emplace_back();
  return share.open[at];
}

void Sections::contribute(Entry& entry, const SectionName& name, std::uint32_t reducer, const void* value,
                          const Callback& to) {
  Membership* membership = entry.extras ? entry.extras->membership(name.key) : nullptr;
  if (membership == nullptr) {
    return array_.core().fail(array_.name(entry.index) + " on process " + std::to_string(array_.core().rank()) +
                              " contributes to a section that it is no member of");
  }
  const std::uint32_t number = membership->next++;
  if (membership->manager == array_.core().rank()) {
    const auto at = shares_.find(name.key);
    if (at == shares_.end()) return;  // being dissolved
    add(at->second, number, reducer, value, to, array_.name(entry.index));
    return try_report(name.key, at->second);
  }
  One alone;
  alone.count = 1;
  alone.to = to;
  alone.value.add(reducer, value);
  send_value(membership->manager, Step::kContribute, name.key, number, alone);
}

void Sections::add(Share& share, std::uint32_t number, std::uint32_t reducer, const void* value, const Callback& to,
                   const std::string& who) {
  One& into = one(share, number);
  ++into.count;
  if (into.to.kind == Callback::Kind::kNone) into.to = to;
  if (!into.value.empty() && into.value.reducer() != reducer) return complain(share, who);
  into.value.add(reducer, value);
}

void Sections::complain(const Share& share, const std::string& who) {
  array_.core().fail("array " + std::to_string(array_.number()) + ", a section made by process " +
                     std::to_string(share.root) + ": " + who +
                     " contributes with another operator than others: all members must contribute the same type with "
                     "the same operator");
}

void Sections::send_value(int to, Step step, std::uint64_t key, std::uint32_t number, const One& one) {
  const auto write = [&](Archive& archive) {
    archive(one.value.empty() ? Accumulator::kNoReducer : one.value.reducer(), const_cast<Callback&>(one.to));
    one.value.pack(archive);
  };
  Archive count = Archive::counting();
  write(count);
  Archive out = Archive::writing(post(to, step, key, number, 0, count.used()), count.used());
  write(out);
}

void Sections::merge(Share& share, const Record& record, Archive& in) {
  One& into = one(share, record.header.epoch);
  if (static_cast<Step>(record.header.flags) == Step::kContribute) ++into.count;
  std::uint32_t reducer = 0;
  Callback to;
  in(reducer, to);
  if (into.to.kind == Callback::Kind::kNone) into.to = to;
  if (reducer == Accumulator::kNoReducer) return;
  if (!into.value.empty() && into.value.reducer() != reducer) return complain(share, "an element elsewhere");
  into.value.add_packed(reducer, in);
}

std::size_t Sections::expected(const Share& share, std::uint32_t number) {
  const auto left = std::count_if(share.left_from.begin(), share.left_from.end(),
                                  [number](std::uint32_t from) { return from <= number; });
  return share.joined - static_cast<std::size_t>(left);
}

std::uint8_t Sections::reporters(const Share& share, std::uint32_t number) {
  unsigned all = 0;
  for (int i = 0; i < share.tree.children(); ++i) {
    if (share.gone_from[i] > number) all |= 1u << i;
  }
  return static_cast<std::uint8_t>(all);
}

void Sections::try_report(std::uint64_t key, Share& share) {
  if (share.processes.empty()) return;
  while (!share.open.empty()) {
    const std::uint32_t number = share.reported + 1;
    const One& first = share.open.front();
    if (first.count != expected(share, number) || first.reports != reporters(share, number)) return;
    if (first.count == 0 && first.reports == 0) break;  // nobody lives that it could be of
    One done = std::move(share.open.front());
    share.open.pop_front();
    ++share.reported;
    share.waiting_since_s = wall_s();
    if (share.tree.is_root()) {
      Archive count = Archive::counting();
      done.value.pack(count);
      Packed packed(count.used());
      Archive out = Archive::writing(packed.data(), packed.size());
      done.value.pack(out);
      array_.core().call_back(done.to, packed.data(), packed.size());
    } else {
      send_value(share.processes[static_cast<std::size_t>(share.tree.parent())], Step::kReport, key, number, done);
    }
  }
  try_to_go(key, share);
}

/// Once nobody lives below, the parent need not wait for reports.
void Sections::try_to_go(std::uint64_t key, Share& share) {
  if (share.tree.is_root() || share.told_gone || share.left_from.size() != share.joined) return;
  std::uint32_t from = 1;
  for (const std::uint32_t each : share.left_from) from = std::max(from, each);
  for (int i = 0; i < share.tree.children(); ++i) from = std::max(from, share.gone_from[i]);
  if (share.reported + 1 < from) return;
  share.told_gone = true;
  post(share.processes[static_cast<std::size_t>(share.tree.parent())], Step::kGone, key, from, 0, 0);
}

/// Whoever below has not reported shall look who is missing, too.
void Sections::nudge(std::uint64_t key, const Share& share) {
  const std::uint32_t number = share.reported + 1;
  const unsigned missing = reporters(share, number) & ~unsigned{share.open.front().reports};
  for (int i = 0; i < share.tree.children(); ++i) {
    if ((missing >> i & 1) == 0) continue;
    post(share.processes[static_cast<std::size_t>(share.tree.child(i))], Step::kNudge, key, number, 0, 0);
  }
}

bool Sections::is_waiting() const {
  return std::any_of(shares_.begin(), shares_.end(), [](const auto& each) { return !each.second.open.empty(); });
}

std::string Sections::overdue(double now_s, double patience_s) {
  std::string text;
  for (auto& [key, share] : shares_) {
    if (share.open.empty() || now_s - share.waiting_since_s < patience_s) continue;
    share.waiting_since_s = now_s;
    const std::uint32_t number = share.reported + 1;
    std::size_t lacking = expected(share, number) - share.open.front().count;
    std::string names;
    for (const Index& each : share.members) {
      Entry* entry = array_.find_here(each);
      Membership* membership = entry != nullptr && entry->extras ? entry->extras->membership(key) : nullptr;
      if (membership == nullptr || membership->next > number) continue;
      names += (names.empty() ? "" : "; ") + array_.name(each);
      --lacking;
    }
    if (lacking != 0) names += " and " + std::to_string(lacking) + " that moved away";
    if (names.empty() && patience_s >= 0) {
      nudge(key, share);
      continue;
    }
    text += (text.empty() ? "" : "; ") + ("a reduction of a section of array " + std::to_string(array_.number())) +
            " is not complete; of the members that process " + std::to_string(array_.core().rank()) +
            " counts did not contribute: " + names;
  }
  return text;
}

}  // namespace starling::array::detail
