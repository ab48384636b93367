// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/analysis/collective_table.hpp"

#include <algorithm>

namespace starling::trace {
namespace {

constexpr std::size_t kMostOpen = 1 << 18;
constexpr std::uint64_t kFirstFlow = std::uint64_t{1} << 62;  // messages have the lower numbers

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

CollectiveShape collective_shape(std::string_view name) {
  if (has(name, "eighbor") || has(name, "can")) return CollectiveShape::kPartial;  // MPI_Iscan
  if (has(name, "_all") || has(name, "_Iall") || has(name, "educe_scatter")) return CollectiveShape::kAllToAll;
  if (has(name, "_Allreduce") || has(name, "_Allgather") || has(name, "_Alltoall")) return CollectiveShape::kAllToAll;
  if (has(name, "bcast") || has(name, "Bcast") || has(name, "catter")) return CollectiveShape::kOneToAll;
  if (has(name, "educe") || has(name, "ather")) return CollectiveShape::kAllToOne;
  return CollectiveShape::kAllToAll;
}

CollectiveTable::CollectiveTable(const TraceLog& log) : log_(log) {
  for (const LoggedCommunicator& each : log.communicators()) by_context_[each.context].push_back(&each);
}

const LoggedCommunicator* CollectiveTable::communicator(std::int32_t rank, std::uint32_t context) {
  const auto found = by_context_.find(context);
  if (found == by_context_.end()) return nullptr;
  for (const LoggedCommunicator* each : found->second)
    if (std::binary_search(each->members.begin(), each->members.end(), rank)) return each;
  return nullptr;
}

CollectiveTable::Key CollectiveTable::key(std::int32_t rank, std::uint32_t context, std::uint64_t number) {
  const LoggedCommunicator* known = communicator(rank, context);
  return {context, known == nullptr ? kNoRank : known->members.front(), number};
}

void CollectiveTable::begin(const Begin& begin) {
  const Key name = key(begin.rank, begin.context, begin.number);
  const auto [place, added] = open_.try_emplace(name);
  Collective& collective = place->second;
  // A context that was freed and taken again counts from 1 once more.
  const bool again = !added && collective.size > 0 && collective.begun == collective.size;
  if (added || again) {
    const LoggedCommunicator* known = communicator(begin.rank, begin.context);
    collective = Collective();
    collective.flow = kFirstFlow + ++flows_;
    collective.shape = begin.shape;
    collective.last_ns = begin.at_ns;
    if (known != nullptr) {
      collective.size = static_cast<std::int32_t>(known->members.size());
      // The members are known in the order of their world ranks, as nearly all communicators count them.
      if (begin.root >= 0 && begin.root < collective.size)
        collective.root = known->members[static_cast<std::size_t>(begin.root)];
    } else if (begin.context == 0) {
      collective.size = static_cast<std::int32_t>(log_.ranks().size());
      collective.root = begin.root;
    }
  }
  ++collective.begun;
  if (collective.last == kNoRank || begin.at_ns > collective.last_ns) {
    collective.last = begin.rank;
    collective.last_ns = begin.at_ns;
  }
  if (begin.rank == collective.root) {
    collective.root_begun = true;
    collective.root_ns = begin.at_ns;
  }
  if (!added) return;
  order_.push_back(name);
  while (order_.size() > kMostOpen) {
    open_.erase(order_.front());
    order_.pop_front();
  }
}

const Collective* CollectiveTable::find(std::int32_t rank, std::uint32_t context, std::uint64_t number) {
  const auto found = open_.find(key(rank, context, number));
  return found == open_.end() ? nullptr : &found->second;
}

}  // namespace starling::trace
