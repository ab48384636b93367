// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Landings: what homes tell the processes that elements left, or were deleted on, and those that created some: it has
// come, so you may forget. Nobody waits for it, so it is collected until the end of the step, and one record tells a
// process of all: many elements at once cost as good as no record for it, a single one costs one.
//
// **Thread safety**: none. **Invariants**: nothing is collected while the process is idle. A landing may come later
// than what was sent to the process after it was added, and never earlier than what was sent before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "element/host.hpp"

namespace starling::array::detail {

/// An element came to its place, or one was created.
struct Landing {
  std::uint32_t broadcast;
  std::uint32_t counts;  // how often the broadcast number was noted as under way
};
static_assert(sizeof(Landing) == 8);

class Landings {
 public:
  Landings(Host& host, std::uint16_t array) : host_(host), array_(array) {}

  /// Of the element that left with this epoch.
  void add(int to, const Index& index, std::uint32_t epoch, const Landing& landing);
  /// Of an element that `to` created.
  void add_creation(int to, std::uint32_t broadcast);
  /// Posts what was collected.
  void send();
  void forget();
  /// Of a record: visit(epoch, landing, index), with no index where an element was created.
  template <class Visit>
  static void read(const Record& record, Visit&& visit);

 private:
  struct Head {
    std::uint32_t epoch;  // 0: of a creation
    std::uint32_t index;  // bytes, which follow
    Landing landing;
  };
  static_assert(sizeof(Head) == 16);

  std::vector<char>& bytes_for(int to);
  void send_to(int to);

  Host& host_;
  std::uint16_t array_;
  std::vector<std::vector<char>> bytes_;  // for each process
  std::vector<int> waiting_;              // those that have some
  int last_creator_ = -1;                 // whose entry may count one more: last_, at this place of its bytes
  std::size_t last_at_ = 0;
  Landing last_{};
};

template <class Visit>
void Landings::read(const Record& record, Visit&& visit) {
  const char* const end = record.payload + record.header.payload;
  for (const char* at = record.payload; at != end;) {
    Head head;
    std::memcpy(&head, at, sizeof head);
    at += sizeof head;
    visit(head.epoch, head.landing, Index(at, head.index));
    at += padded(head.index);
  }
}

}  // namespace starling::array::detail
