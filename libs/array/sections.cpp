// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sections.hpp"

#include <algorithm>
#include <utility>

#include "core.hpp"
#include "registry.hpp"

namespace starling::array::detail {

char* Sections::post(int to, Step step, std::uint64_t key, std::uint32_t number, std::uint32_t method, std::size_t size,
                     const Index& index) {
  RecordHeader header;
  header.kind = Kind::kSection;
  header.array = array_.number();
  header.flags = static_cast<std::uint8_t>(step);
  header.epoch = number;
  header.method = method;
  header.origin = array_.core().rank();
  header.index = static_cast<std::uint32_t>(index.size());
  header.payload = static_cast<std::uint32_t>(sizeof key + size);
  char* room = array_.core().post(to, header, index.data());
  std::memcpy(room, &key, sizeof key);
  return room + sizeof key;
}

SectionName Sections::make(const std::vector<Index>& members) {
  const SectionName name{array_.core().random(), array_.core().rank(), array_.number(), 0};
  Share& share = shares_[name.key];
  share.root = name.root;
  std::set<std::string> known;
  std::vector<const Index*> different;
  for (const Index& each : members) {
    if (known.emplace(each.data(), each.size()).second) different.push_back(&each);
  }
  share.wanted = different.size();
  for (const Index* each : different) {
    if (char* room = array_.message_room(*each, kJoinMethod, {}, sizeof name)) {
      std::memcpy(room, &name, sizeof name);
    } else {
      --share.wanted;  // deleted, which is known here
    }
  }
  if (share.wanted == 0) complete(name.key, share);
  return name;
}

void Sections::join(Entry& entry, const SectionName& name) {
  entry.extra().sections.push_back({name.key, array_.core().rank(), 1});
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

void Sections::handle_joined(std::uint64_t key, const Record& record) {
  const auto at = shares_.find(key);
  if (at == shares_.end()) return;  // dissolved
  Share& share = at->second;
  if (record.header.epoch != 0 && record.header.origin != share.root) share.others.insert(record.header.origin);
  if (++share.answers == share.wanted) complete(key, share);
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
  const int rank = array_.core().rank();
  const auto place = std::find(share.processes.begin(), share.processes.end(), rank) - share.processes.begin();
  share.tree = {0, static_cast<int>(place), static_cast<int>(share.processes.size())};
  const std::size_t size = share.processes.size() * sizeof share.processes[0];
  for (int i = 0; i < share.tree.children(); ++i) {
    const int to = share.processes[static_cast<std::size_t>(share.tree.child(i))];
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
    const int to = share.processes[static_cast<std::size_t>(share.tree.child(i))];
    char* room = post(to, Step::kTake, key, number, method, size);
    if (size != 0) std::memcpy(room, bytes, size);
  }
  array_.core().wire().flush();  // others go to work while this process does
  const StreamHeader header{key, number, method};
  for (const Index& each : share.members) {
    if (Entry* entry = array_.find_here(each)) {
      Archive in = Archive::reading(bytes, size, &array_.core().session());
      array_.core().take_from_section(*entry, header, in);
    } else if (char* room = array_.message_room(each, kSectionMethod, {}, sizeof header + size)) {
      std::memcpy(room, &header, sizeof header);
      if (size != 0) std::memcpy(room + sizeof header, bytes, size);
    }
  }
  if (method == kLeaveMethod) shares_.erase(key);
}

void Sections::bury(Entry& entry) {
  if (!entry.extras) return;
  for (const Membership& each : entry.extras->sections) {
    post(each.manager, Step::kLeft, each.section, each.next, 0, 0, entry.index);
  }
}

void Sections::handle(const Record& record) {
  const RecordHeader& header = record.header;
  std::uint64_t key = 0;
  std::memcpy(&key, record.payload, sizeof key);
  const char* bytes = record.payload + sizeof key;
  const std::size_t size = header.payload - sizeof key;
  const auto step = static_cast<Step>(header.flags);
  if (step == Step::kJoined) return handle_joined(key, record);
  const auto at = shares_.find(key);
  if (at == shares_.end()) return;  // dissolved
  Share& share = at->second;
  switch (step) {
    case Step::kTree:
      share.processes.resize(size / sizeof share.processes[0]);
      std::memcpy(share.processes.data(), bytes, size);
      return plant(key, share);
    case Step::kAsk:
      if (share.processes.empty()) {
        share.asks.push_back({header.method, std::vector<char>(bytes, bytes + size)});
        return;
      }
      return take(key, share, ++share.last, header.method, bytes, size);
    case Step::kTake: return take(key, share, header.epoch, header.method, bytes, size);
    case Step::kReport:
    case Step::kContribute: {
      Archive in = Archive::reading(bytes, size, &array_.core().session());
      merge(share, record, in);
      if (step == Step::kReport) {
        const auto from = std::find(share.processes.begin(), share.processes.end(), header.origin);
        const int child = share.tree.place_at_parent(static_cast<int>(from - share.processes.begin()));
        One& into = one(share, header.epoch);
        into.reports = static_cast<std::uint8_t>(into.reports | 1u << child);
      }
      return try_report(key, share);
    }
    case Step::kLeft: {
      share.left_from.push_back(header.epoch);
      const auto gone = std::find(share.members.begin(), share.members.end(), Index(record.index, header.index));
      if (gone != share.members.end()) share.members.erase(gone);
      return try_report(key, share);
    }
    case Step::kGone: {
      const auto from = std::find(share.processes.begin(), share.processes.end(), header.origin);
      share.gone_from[share.tree.place_at_parent(static_cast<int>(from - share.processes.begin()))] = header.epoch;
      return try_report(key, share);
    }
    case Step::kNudge:
      if (header.epoch > share.reported) one(share, header.epoch);
      return;
    case Step::kJoined: return;
  }
}

}  // namespace starling::array::detail
