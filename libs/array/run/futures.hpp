// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Futures: the values that this process waits for, each in a slot, with the coroutines that go on when it comes.
//
// **Thread safety**: none. **Invariants**: a slot is free again when nobody on this process holds it; a value that
// comes for a future that is gone is dropped, since its slot has another generation then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "element/entry.hpp"

namespace starling::array::detail {

class Futures {
 public:
  struct Waiter {
    void* frame;
    Entry* entry;
  };
  /// An element's call of another one; `from` is null where main called.
  struct Call {
    ArrayCore* from;
    Index caller;
    ArrayCore* to;
    Index called;
  };
  ~Futures() { clear(); }
  /// Nobody waits any more, and what was made before is none.
  void clear();

  std::uint32_t make();
  void share(std::uint32_t name);
  void drop(std::uint32_t name);
  bool ready(std::uint32_t name) const;
  void wait(std::uint32_t name, Waiter waiter);
  /// The value or the error; `waiters` are those that waited. False where the value is not wanted.
  bool set(std::uint32_t name, const char* bytes, std::size_t size, bool is_error, std::vector<Waiter>& waiters);
  /// Throws Error if an error came, or if the future is not there.
  const std::vector<char>& value(std::uint32_t name) const;
  std::size_t suspended() const;

  /// Where links are measured: a future is for the answer to a call; which one, once.
  void note_call(std::uint32_t name, Call call);
  std::unique_ptr<Call> take_call(std::uint32_t name);

 private:
  struct Slot {
    std::uint32_t name = 0;  // 0: free
    std::uint32_t shares = 0;
    bool is_ready = false;
    bool is_error = false;
    std::vector<char> bytes;
    std::vector<Waiter> waiters;
    std::unique_ptr<Call> call;
  };
  static constexpr int kSlotBits = 22;
  const Slot* find(std::uint32_t name) const;
  Slot* find(std::uint32_t name) { return const_cast<Slot*>(static_cast<const Futures*>(this)->find(name)); }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t generation_ = 0;
};

}  // namespace starling::array::detail
