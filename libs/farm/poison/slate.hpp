// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Slate: which task each Calculate thread of a process is at, in memory that outlives it. Another process of the same
// machine opens it while the writer lives, and reads it when the writer has died. Writing costs a store for each task.
// Where it cannot be opened (another machine, another namespace, no memfd) nothing is known, and every task that the
// dead process had may have been the one.
//
// Layout: a head, then a slot of its own cache line for each thread: the task's number + 1, or 0 for none. An anonymous
// file (memfd), found by /proc, so nothing is left behind. Thread safety: each slot has one writer; read() any thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starling::farm {

/// How another process finds it.
struct SlateName {
  std::int32_t process = 0;
  std::int32_t file = -1;   ///< -1: there is none.
  std::uint64_t token = 0;  ///< Tells whether what was found is meant.
};

struct SlateMemory {
  static constexpr std::size_t kSlots = 1023;
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> at;
  };
  alignas(64) std::uint64_t token;
  std::atomic<std::uint32_t> incomplete;  ///< More threads than slots.
  Slot slots[kSlots];
};
static_assert(sizeof(SlateMemory) == 65536);

class Slate {
 public:
  /// kShown: others can find and read it.
  enum class Use { kNone, kShown };
  explicit Slate(Use use);
  ~Slate();
  Slate(const Slate&) = delete;
  Slate& operator=(const Slate&) = delete;

  SlateName name() const;
  /// The thread's; nullptr where nobody could read it.
  std::atomic<std::uint64_t>* slot(std::size_t thread);
  /// The memory stays until the process ends: a thread that nobody waits for may write to it.
  void leave() { left_ = true; }

 private:
  bool left_ = false;
  int file_ = -1;
  SlateMemory* memory_ = nullptr;
};

/// The one of another process.
class OtherSlate {
 public:
  OtherSlate() = default;
  explicit OtherSlate(const SlateName& name);
  ~OtherSlate();
  OtherSlate(OtherSlate&& other) noexcept;
  OtherSlate& operator=(OtherSlate&& other) noexcept;

  /// The numbers of the tasks that it was at; nothing if that is not known.
  std::optional<std::vector<std::uint64_t>> read() const;

 private:
  const SlateMemory* memory_ = nullptr;
};

}  // namespace starling::farm
