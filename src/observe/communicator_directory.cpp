// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/communicator_directory.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace starling::observe {

// All orders that C++ permits are tried in tests/weak_memory/directory_test.cpp.

namespace {

// The key of a place: who it belongs to, and in the lowest bits how many ranks of the node have it.
constexpr int kHolderBits = 12;
constexpr std::uint64_t kHolders = (std::uint64_t{1} << kHolderBits) - 1;
constexpr std::uint64_t kLowestMembers = (std::uint64_t{1} << (32 - kHolderBits)) - 1;

/// The key without holders. Lowest members a million ranks apart look the same, which only readers would notice.
std::uint64_t name_of(const CommunicatorFacts& facts) noexcept {
  const std::uint64_t lowest = (facts.members.front().index() + 1) & kLowestMembers;
  return std::uint64_t{facts.context_id} << 32 | lowest << kHolderBits;
}

/// The step-th place that a name may take. Context ids are even and rise one after the other.
std::uint32_t place_near(std::uint64_t name, std::uint32_t step) noexcept {
  constexpr std::uint64_t kGap = CommunicatorDirectory::kReach / 2 + 1;
  const std::uint64_t first = (name >> 33) * kGap + (name >> kHolderBits & kLowestMembers) * kGap;
  return static_cast<std::uint32_t>((first + step) % CommunicatorDirectory::kPlaces);
}

std::size_t words_for(std::uint32_t world_ranks) noexcept {
  constexpr std::size_t kWordsPerLine = kCacheLine / sizeof(std::uint64_t);
  return (world_ranks / 64 + kWordsPerLine) / kWordsPerLine * kWordsPerLine;
}

}  // namespace

std::uint64_t CommunicatorDirectory::bytes(std::uint32_t ranks, std::uint32_t world_ranks) noexcept {
  const std::size_t words = words_for(std::max(ranks, world_ranks));
  return sizeof(DirectoryHead) + kPlaces * (sizeof(DirectoryPlace) + words * sizeof(std::uint64_t)) +
         std::uint64_t{ranks} * kPlaces * sizeof(std::uint32_t);
}

CommunicatorDirectory::CommunicatorDirectory(std::byte* memory, std::uint32_t ranks, std::uint32_t world_ranks) noexcept
    : head_(reinterpret_cast<DirectoryHead*>(memory)),
      places_(reinterpret_cast<DirectoryPlace*>(memory + sizeof(DirectoryHead))),
      counts_(reinterpret_cast<std::atomic<std::uint32_t>*>(places_ + kPlaces)),
      members_(reinterpret_cast<std::atomic<std::uint64_t>*>(counts_ + std::size_t{ranks} * kPlaces)),
      words_(words_for(std::max(ranks, world_ranks))) {}

bool CommunicatorDirectory::enter(std::uint32_t place, std::uint64_t name) noexcept {
  std::atomic<std::uint64_t>& key = places_[place].key;
  std::uint64_t now = key.load(std::memory_order_relaxed);
  while (now != 0 && (now & ~kHolders) == name && (now & kHolders) != kHolders) {
    if (key.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

bool CommunicatorDirectory::take(std::uint32_t place, std::uint64_t name) noexcept {
  std::uint64_t free = 0;
  DirectoryPlace& taken = places_[place];
  if (!taken.key.compare_exchange_strong(free, name | 1, std::memory_order_acq_rel)) return enter(place, name);
  return true;
}

std::uint32_t CommunicatorDirectory::join(const CommunicatorFacts& facts) noexcept {
  const std::uint64_t name = name_of(facts);
  // First all places where it may be already, then a free one.
  for (const bool may_take : {false, true}) {
    for (std::uint32_t step = 0; step < kReach; ++step) {
      const std::uint32_t place = place_near(name, step);
      if (may_take ? take(place, name) : enter(place, name)) {
        write(place, name, facts);
        return place;
      }
    }
  }
  head_->overflow.fetch_add(1, std::memory_order_relaxed);
  return kNoPlace;
}

void CommunicatorDirectory::write(std::uint32_t place, std::uint64_t name, const CommunicatorFacts& facts) noexcept {
  DirectoryPlace& mine = places_[place];
  head_->used.store(1, std::memory_order_relaxed);
  if (mine.written.load(std::memory_order_acquire) == name) return;
  // Ranks that come at once write the same words here. release: a reader that sees one of them sees the new key.
  std::atomic_thread_fence(std::memory_order_release);
  mine.size.store(static_cast<std::uint32_t>(facts.members.size()), std::memory_order_relaxed);
  mine.flags.store(facts.flags, std::memory_order_relaxed);
  std::atomic<std::uint64_t>* const words = members_ + place * words_;
  std::vector<std::uint64_t> bits(words_);
  for (const WorldRank member : facts.members) {
    if (member.index() / 64 < words_) bits[member.index() / 64] |= std::uint64_t{1} << (member.index() % 64);
  }
  for (std::size_t i = 0; i < words_; ++i) words[i].store(bits[i], std::memory_order_relaxed);
  mine.written.store(name, std::memory_order_release);
}

void CommunicatorDirectory::leave(std::uint32_t place) noexcept {
  DirectoryPlace& mine = places_[place];
  std::uint64_t now = mine.key.load(std::memory_order_relaxed);
  while ((now & kHolders) > 1) {
    if (mine.key.compare_exchange_weak(now, now - 1, std::memory_order_acq_rel)) return;
  }
  // The last one empties the place while it still holds it, so that nothing old is left for the next.
  const std::uint64_t written = mine.written.load(std::memory_order_relaxed);
  std::array<std::uint64_t, std::tuple_size_v<decltype(mine.name)>> name{};
  mine.written.store(0, std::memory_order_relaxed);
  // release: a reader that finds a word of the name gone finds that the words do not hold.
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < name.size(); ++i) {
    name[i] = mine.name[i].exchange(0, std::memory_order_relaxed);
  }
  if (mine.key.compare_exchange_strong(now, 0, std::memory_order_acq_rel)) return;
  // Another rank has come meanwhile, and may have trusted what was written.
  for (std::size_t i = 0; i < name.size(); ++i) mine.name[i].store(name[i], std::memory_order_relaxed);
  mine.written.store(written, std::memory_order_release);
  leave(place);
}

void CommunicatorDirectory::rename(std::uint32_t place, std::string_view name) noexcept {
  char text[DirectoryPlace::kNameBytes] = {};
  std::copy_n(name.data(), std::min(name.size(), sizeof text), text);
  for (std::size_t i = 0; i < places_[place].name.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, text + i * sizeof word, sizeof word);
    places_[place].name[i].store(word, std::memory_order_relaxed);
  }
}

std::optional<CommunicatorEntry> CommunicatorDirectory::at(std::uint32_t place) const {
  const DirectoryPlace& found = places_[place];
  const std::uint64_t written = found.written.load(std::memory_order_acquire);
  if (written == 0 || (found.key.load(std::memory_order_relaxed) & ~kHolders) != written) return std::nullopt;
  CommunicatorEntry entry;
  entry.context_id = static_cast<std::uint32_t>(written >> 32);
  entry.flags = found.flags.load(std::memory_order_relaxed);
  entry.size = found.size.load(std::memory_order_relaxed);
  char text[DirectoryPlace::kNameBytes];
  for (std::size_t i = 0; i < found.name.size(); ++i) {
    const std::uint64_t word = found.name[i].load(std::memory_order_relaxed);
    std::memcpy(text + i * sizeof word, &word, sizeof word);
  }
  entry.name.assign(text, strnlen(text, sizeof text));
  for (std::size_t i = 0; i < words_; ++i) {
    entry.members.push_back(members_[place * words_ + i].load(std::memory_order_relaxed));
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool same = found.written.load(std::memory_order_relaxed) == written &&
                    (found.key.load(std::memory_order_relaxed) & ~kHolders) == written;
  if (!same) return std::nullopt;
  return entry;
}

std::vector<std::uint32_t> CommunicatorDirectory::places_of(std::uint32_t context_id, WorldRank member) const {
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < kPlaces; ++place) {
    if (places_[place].written.load(std::memory_order_relaxed) >> 32 != context_id) continue;
    const std::optional<CommunicatorEntry> entry = at(place);
    if (entry && entry->context_id == context_id && entry->has(member)) places.push_back(place);
  }
  return places;
}

std::uint32_t CommunicatorDirectory::begun(LocalRank rank, WorldRank world_rank, std::uint32_t context_id) const {
  std::uint32_t most = 0;
  for (const std::uint32_t place : places_of(context_id, world_rank)) {
    most = std::max(most, count(rank, place).load(std::memory_order_relaxed));
  }
  return most;
}

}  // namespace starling::observe
