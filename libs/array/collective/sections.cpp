// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sections.hpp"

#include <algorithm>
#include <utility>

#include "program/registry.hpp"

namespace starling::array::detail {

char* Sections::post(int to, Step step, std::uint64_t key, std::uint32_t number, std::uint32_t method, std::size_t size,
                     const Index& index) {
  RecordHeader header;
  header.kind = RecordKind::kSection;
  header.array = elements_.number();
  header.flags = static_cast<std::uint8_t>(step);
  header.epoch = number;
  header.method = method;
  header.origin = host_.rank();
  header.index = static_cast<std::uint32_t>(index.size());
  header.payload = static_cast<std::uint32_t>(sizeof key + size);
  char* room = host_.records().post(to, header, index.data());
  std::memcpy(room, &key, sizeof key);
  return room + sizeof key;
}

SectionName Sections::make(const std::vector<Index>& members) {
  const SectionName name{host_.random(), host_.rank(), elements_.number(), 0};
  Share& share = shares_[name.key];
  share.root = name.root;
  std::set<std::string> known;
  std::vector<const Index*> different;
  for (const Index& each : members) {
    if (known.emplace(each.data(), each.size()).second) different.push_back(&each);
  }
  share.wanted = different.size();
  for (const Index* each : different) {
    if (char* room = router_.room(*each, kJoinMethod, {}, sizeof name)) {
      std::memcpy(room, &name, sizeof name);
    } else {
      --share.wanted;  // deleted, which is known here
    }
  }
  if (share.wanted == 0) complete(name.key, share);
  return name;
}

void Sections::join(Entry& entry, const SectionName& name) {
  entry.extra().sections.push_back({name.key, host_.rank(), 1});
  Share& share = shares_[name.key];
  share.root = name.root;
  share.members.push_back(entry.index);
  ++share.joined;
  post(name.root, Step::kJoined, name.key, 1, 0, 0);
}

void Sections::refuse(const char* bytes) {
  SectionName name;
  std::memcpy(&name, bytes, sizeof name);
  post(name.root, Step::kJoined, name.key, 0, 0, 0);
}

int Sections::Share::child_of_rank(std::int32_t rank) const {
  const auto place = std::find(processes.begin(), processes.end(), rank) - processes.begin();
  return tree.place_at_parent(static_cast<int>(place));
}

void Sections::handle_joined(Share& share, const Received& received) {
  const RecordHeader& header = received.record.header;
  if (header.epoch != 0 && header.origin != share.root) share.others.insert(header.origin);
  if (++share.answers == share.wanted) complete(received.key, share);
}

/// At the root: everybody has joined.
void Sections::complete(std::uint64_t key, Share& share) {
  share.processes = {share.root};
  share.processes.insert(share.processes.end(), share.others.begin(), share.others.end());
  share.others.clear();
  plant(key, share);
  for (Ask& each : std::exchange(share.asks, {})) {
    take(key, share, ++share.last, each.method, each.bytes.data(), each.bytes.size());
    if (each.method == kLeaveMethod) return;  // the share is gone
  }
}

/// Finds this process's place in the tree, and tells the next.
void Sections::plant(std::uint64_t key, Share& share) {
  const int rank = host_.rank();
  const auto place = std::find(share.processes.begin(), share.processes.end(), rank) - share.processes.begin();
  share.tree = {0, static_cast<int>(place), static_cast<int>(share.processes.size())};
  const std::size_t size = share.processes.size() * sizeof share.processes[0];
  for (int i = 0; i < share.tree.children(); ++i) {
    const int to = share.rank_of_child(i);
    std::memcpy(post(to, Step::kTree, key, 0, 0, size), share.processes.data(), size);
  }
  try_report(key, share);
}

void Sections::broadcast(const SectionName& name, std::uint32_t method, const char* bytes, std::size_t size) {
  char* room = post(name.root, Step::kAsk, name.key, 0, method, size);
  if (size != 0) std::memcpy(room, bytes, size);
}

void Sections::take(std::uint64_t key, Share& share, std::uint32_t number, std::uint32_t method, const char* bytes,
                    std::size_t size) {
  for (int i = 0; i < share.tree.children(); ++i) {
    const int to = share.rank_of_child(i);
    char* room = post(to, Step::kTake, key, number, method, size);
    if (size != 0) std::memcpy(room, bytes, size);
  }
  host_.records().flush();  // others go to work while this process does
  const StreamHeader header{key, number, method};
  for (const Index& each : share.members) {
    if (Entry* entry = elements_.find_here(each)) {
      Archive in = Archive::reading(bytes, size, &host_.session());
      streams_.take_from_section(*entry, header, in);
    } else if (char* room = router_.room(each, kSectionMethod, {}, sizeof header + size)) {
      std::memcpy(room, &header, sizeof header);
      if (size != 0) std::memcpy(room + sizeof header, bytes, size);
    }
  }
  if (method == kLeaveMethod) shares_.erase(key);
}

void Sections::tell_deleted(const Entry& entry) {
  if (!entry.extras) return;
  for (const Membership& each : entry.extras->sections) {
    post(each.manager, Step::kDeleted, each.section, each.next, 0, 0, entry.index);
  }
}

/// By Step.
const Sections::Handler Sections::kHandlers[Sections::kSteps] = {
    &Sections::handle_joined,    &Sections::handle_tree,         &Sections::handle_ask,
    &Sections::handle_broadcast, &Sections::handle_contribution, &Sections::handle_report,
    &Sections::handle_deleted,   &Sections::handle_gone,         &Sections::handle_nudge,
};

void Sections::handle(const Record& record) {
  Received received{0, record, nullptr, record.header.payload - sizeof received.key};
  std::memcpy(&received.key, record.payload, sizeof received.key);
  received.bytes = record.payload + sizeof received.key;
  const auto at = shares_.find(received.key);
  if (at == shares_.end()) return;  // dissolved
  (this->*kHandlers[record.header.flags])(at->second, received);
}

void Sections::handle_tree(Share& share, const Received& received) {
  share.processes.resize(received.size / sizeof share.processes[0]);
  std::memcpy(share.processes.data(), received.bytes, received.size);
  plant(received.key, share);
}

void Sections::handle_ask(Share& share, const Received& received) {
  const std::uint32_t method = received.record.header.method;
  if (share.processes.empty()) {
    share.asks.push_back({method, std::vector<char>(received.bytes, received.bytes + received.size)});
    return;
  }
  take(received.key, share, ++share.last, method, received.bytes, received.size);
}

void Sections::handle_broadcast(Share& share, const Received& received) {
  const RecordHeader& header = received.record.header;
  take(received.key, share, header.epoch, header.method, received.bytes, received.size);
}

void Sections::handle_contribution(Share& share, const Received& received) {
  ++open(share, received.record.header.epoch).count;
  merge(share, received);
  try_report(received.key, share);
}

void Sections::handle_report(Share& share, const Received& received) {
  const RecordHeader& header = received.record.header;
  merge(share, received);
  Open& into = open(share, header.epoch);
  into.reports = static_cast<std::uint8_t>(into.reports | 1u << share.child_of_rank(header.origin));
  try_report(received.key, share);
}

void Sections::handle_deleted(Share& share, const Received& received) {
  const RecordHeader& header = received.record.header;
  share.deleted_from.push_back(header.epoch);
  std::erase(share.members, Index(received.record.index, header.index));
  try_report(received.key, share);
}

void Sections::handle_gone(Share& share, const Received& received) {
  const RecordHeader& header = received.record.header;
  share.gone_from[share.child_of_rank(header.origin)] = header.epoch;
  try_report(received.key, share);
}

void Sections::handle_nudge(Share& share, const Received& received) {
  if (received.record.header.epoch > share.reported) open(share, received.record.header.epoch);
}

}  // namespace starling::array::detail
