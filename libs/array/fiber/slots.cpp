// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "slots.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "fiber.hpp"

namespace starling::array::detail {

namespace {

constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

/// Ranges that processes which are threads share. It is the address space that they share, so no object of theirs can
/// have this.
struct Shared {
  std::mutex mutex;
  std::vector<std::weak_ptr<Slots>> all;
};
Shared& shared() {
  static Shared the;
  return the;
}

/// The address is a wish, which the system grants where nothing lies there. (To insist by MAP_FIXED_NOREPLACE would do
/// the same, but ThreadSanitizer does not know that flag.)
char* map_at(std::uintptr_t where, std::size_t bytes) {
  void* got = mmap(reinterpret_cast<void*>(where), bytes, PROT_NONE, kReserved, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  if (where == 0 || got == reinterpret_cast<void*>(where)) return static_cast<char*>(got);
  munmap(got, bytes);
  return nullptr;
}

}  // namespace

std::size_t Slots::Layout::page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t Slots::Layout::guard() { return std::max(page(), std::size_t{64} << 10); }

/// Between programs and their heaps, which begin low, and libraries and stacks, which begin high. Those with 7e are
/// some that ThreadSanitizer leaves to programs; the last is for processors with 39 bits of address.
const std::vector<std::uintptr_t>& Slots::usual_places() {
  static const std::vector<std::uintptr_t> places{0x200000000000, 0x7e9000000000, 0x210000000000, 0x220000000000,
                                                  0x230000000000, 0x300000000000, 0x400000000000, 0x7ea000000000,
                                                  0x7eb000000000, 0x100000000000, 0x2000000000};
  return places;
}

std::shared_ptr<Slots> Slots::reserve(std::uintptr_t where, const Layout& layout, std::uint64_t key) {
  Shared& known = shared();
  const std::lock_guard lock(known.mutex);
  std::erase_if(known.all, [](const std::weak_ptr<Slots>& each) { return each.expired(); });
  for (const std::weak_ptr<Slots>& each : known.all) {
    const std::shared_ptr<Slots> slots = each.lock();
    if (slots && key != 0 && slots->key_ == key && reinterpret_cast<std::uintptr_t>(slots->begin_) == where) {
      return slots;
    }
  }
  if (layout.slot() > SIZE_MAX / std::max<std::size_t>(layout.count, 1)) return nullptr;
  char* begin = map_at(where, layout.count * layout.slot());
  if (begin == nullptr) return nullptr;
  auto slots = std::make_shared<Slots>(begin, layout, key);
  known.all.push_back(slots);
  return slots;
}

Slots::Slots(char* begin, const Layout& layout, std::uint64_t key)
    : begin_(begin), layout_(layout), key_(key), owners_(layout.count) {}

Slots::~Slots() { munmap(begin_, layout_.count * layout_.slot()); }

bool Slots::commit(char* from, char* to) {
  return mprotect(from, static_cast<std::size_t>(to - from), PROT_READ | PROT_WRITE) == 0;
}

bool Slots::take(std::size_t slot, const void* owner, std::size_t heap_bytes) {
  const std::lock_guard lock(mutex_);
  if (!commit(stack(slot), heap(slot) + heap_bytes)) return false;
  owners_[slot] = owner;
  return true;
}

/// Mapped anew it is zero, and one piece with its neighbours for the system.
void Slots::give(std::size_t slot, const void* owner) {
  const std::lock_guard lock(mutex_);
  if (owners_[slot] != owner) return;
  owners_[slot] = nullptr;
  forget_stack_marks(stack(slot), layout_.stack);
  char* from = begin_ + slot * layout_.slot();
  if (mmap(from, layout_.slot(), PROT_NONE, kReserved | MAP_FIXED, -1, 0) == MAP_FAILED) {
    madvise(stack(slot), layout_.stack + layout_.heap, MADV_DONTNEED);
  }
}

std::ptrdiff_t Slots::guarded_by(const void* address) const {
  const char* at = static_cast<const char*>(address);
  if (at < begin_ || at >= begin_ + layout_.count * layout_.slot()) return -1;
  const auto offset = static_cast<std::size_t>(at - begin_);
  if (offset % layout_.slot() >= Layout::guard()) return -1;
  return static_cast<std::ptrdiff_t>(offset / layout_.slot());
}

}  // namespace starling::array::detail
