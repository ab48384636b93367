// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reductions of sections: a manager reports what its members contributed, and that no member below lives any more.
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "sections.hpp"

namespace starling::array::detail {

Sections::Open& Sections::open(Share& share, std::uint32_t number) {
  const std::size_t at = number - share.reported - 1;
  if (share.open.empty()) share.waiting_since_s = host_.now_s();
  while (share.open.size() <= at) share.open.emplace_back();
  return share.open[at];
}

void Sections::contribute(Entry& entry, const SectionName& name, std::uint32_t reducer, const void* value,
                          const Callback& to) {
  Membership* membership = entry.extras ? entry.extras->membership(name.key) : nullptr;
  if (membership == nullptr) {
    return host_.fail(formatted("{} on process {} contributes to a section that it is no member of",
                                elements_.name(entry.index), host_.rank()));
  }
  const std::uint32_t number = membership->next++;
  if (membership->manager == host_.rank()) {
    const auto at = shares_.find(name.key);
    if (at == shares_.end()) return;  // being dissolved
    add(at->second, number, reducer, value, to, elements_.name(entry.index));
    return try_report(name.key, at->second);
  }
  Open alone;
  alone.count = 1;
  alone.to = to;
  alone.value.add(reducer, value);
  send_value(membership->manager, Step::kContribute, name.key, number, alone);
}

void Sections::add(Share& share, std::uint32_t number, std::uint32_t reducer, const void* value, const Callback& to,
                   const std::string& contributor) {
  Open& into = open(share, number);
  ++into.count;
  if (into.to.destination == Callback::Destination::kNone) into.to = to;
  if (!into.value.empty() && into.value.reducer() != reducer) return complain(share, contributor);
  into.value.add(reducer, value);
}

void Sections::complain(const Share& share, const std::string& contributor) {
  host_.fail(formatted(
      "array {}, a section made by process {}: {} contributes with another operator than others: all members must "
      "contribute the same type with the same operator",
      elements_.number(), share.root, contributor));
}

void Sections::send_value(int to, Step step, std::uint64_t key, std::uint32_t number, const Open& open) {
  const auto write = [&](Archive& archive) {
    archive(open.value.empty() ? Accumulator::kNoReducer : open.value.reducer(), const_cast<Callback&>(open.to));
    open.value.pack(archive);
  };
  Archive count = Archive::counting();
  write(count);
  Archive out = Archive::writing(post(to, step, key, number, 0, count.used()), count.used());
  write(out);
}

void Sections::merge(Share& share, const Received& received) {
  Open& into = open(share, received.record.header.epoch);
  Archive in = Archive::reading(received.bytes, received.size, &host_.session());
  std::uint32_t reducer = 0;
  Callback to;
  in(reducer, to);
  if (into.to.destination == Callback::Destination::kNone) into.to = to;
  if (reducer == Accumulator::kNoReducer) return;
  if (!into.value.empty() && into.value.reducer() != reducer) return complain(share, "an element elsewhere");
  into.value.add_packed(reducer, in);
}

std::size_t Sections::expected(const Share& share, std::uint32_t number) {
  const auto left = std::count_if(share.deleted_from.begin(), share.deleted_from.end(),
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
    const Open& first = share.open.front();
    if (first.count != expected(share, number) || first.reports != reporters(share, number)) return;
    if (first.count == 0 && first.reports == 0) break;  // nobody lives that it could be of
    Open done = std::move(share.open.front());
    share.open.pop_front();
    ++share.reported;
    share.waiting_since_s = host_.now_s();
    if (share.tree.is_root()) {
      Packed packed = done.value.packed();
      host_.call_back(done.to, packed.data(), packed.size());
    } else {
      send_value(share.processes[static_cast<std::size_t>(share.tree.parent())], Step::kReport, key, number, done);
    }
  }
  try_to_go(key, share);
}

/// Once nobody lives below, the parent need not wait for reports.
void Sections::try_to_go(std::uint64_t key, Share& share) {
  if (share.tree.is_root() || share.told_gone || share.deleted_from.size() != share.joined) return;
  std::uint32_t from = 1;
  for (const std::uint32_t each : share.deleted_from) from = std::max(from, each);
  for (int i = 0; i < share.tree.children(); ++i) from = std::max(from, share.gone_from[i]);
  if (share.reported + 1 < from) return;
  share.told_gone = true;
  post(share.processes[static_cast<std::size_t>(share.tree.parent())], Step::kGone, key, from, 0, 0);
}

/// Processes below that have not reported look which of their members are missing, too.
void Sections::nudge(std::uint64_t key, const Share& share) {
  const std::uint32_t number = share.reported + 1;
  const unsigned missing = reporters(share, number) & ~unsigned{share.open.front().reports};
  for (int i = 0; i < share.tree.children(); ++i) {
    if ((missing >> i & 1) == 0) continue;
    post(share.rank_of_child(i), Step::kNudge, key, number, 0, 0);
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
    const std::string names = missing(key, share);
    if (names.empty() && patience_s >= 0) {
      nudge(key, share);
      continue;
    }
    text += formatted(
        "{}a reduction of a section of array {} is not complete; of the members that process {} counts did not "
        "contribute: {}",
        text.empty() ? "" : "; ", elements_.number(), host_.rank(), names);
  }
  return text;
}

/// The members that this process counts and waits for.
std::string Sections::missing(std::uint64_t key, const Share& share) const {
  const std::uint32_t number = share.reported + 1;
  std::size_t lacking = expected(share, number) - share.open.front().count;
  std::string names;
  for (const Index& each : share.members) {
    const Entry* entry = elements_.find_here(each);
    const Membership* membership = entry != nullptr && entry->extras ? entry->extras->membership(key) : nullptr;
    if (membership == nullptr || membership->next > number) continue;
    names += (names.empty() ? "" : "; ") + elements_.name(each);
    --lacking;
  }
  if (lacking != 0) names += formatted(" and {} that moved away", lacking);
  return names;
}

}  // namespace starling::array::detail
