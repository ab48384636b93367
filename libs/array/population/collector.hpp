// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collector: deletes the elements that nothing can reach.
//
// When nothing is under way, main's roots get a mark. A mark is a message as all others, so it finds an element
// wherever it is or goes. An element that gets its first mark passes it on to those that it holds (references.hpp).
// Elements with a coroutine that waits are roots as well. When nothing is under way any more, each process deletes its
// elements without a mark as a program would, of the classes that say what they hold. Others are not collected, and
// hold nothing.
//
// **Thread safety**: none. **Invariants**: the program does nothing meanwhile, so what is held does not change; a mark
// moves with its element. Source: the mark and sweep collectors in D. Plainfosse, M. Shapiro, A Survey of Distributed
// Garbage Collection Techniques, IWMM 1995, section 5; with the end of marking found as the end of any work.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling::array {
class References;

namespace detail {

class Arrays;
class Host;
struct Entry;
struct Record;

class Collector {
 public:
  Collector(Host& host, Arrays& arrays) : host_(host), arrays_(arrays) {}

  /// Process 0, from main. Returns how many were deleted.
  std::size_t collect(const References& roots);
  /// An element here got a mark.
  void reach(Entry& entry);
  void handle(const Record& record);

 private:
  enum class Step : std::uint8_t { kClear, kMark, kSweep, kSwept };
  void ask(Step step);
  void mark(const References& held);
  std::uint64_t sweep();
  template <class Visit>
  void each_element(Visit&& visit);

  Host& host_;
  Arrays& arrays_;
  // At process 0, while it collects.
  int answers_ = 0;
  std::uint64_t deleted_ = 0;
};

}  // namespace detail
}  // namespace starling::array
