// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Migration: how elements of one array move. The element is packed, its process remembers the new place, the new
// process tells the home, and the home tells the old process, which may then forget.
//
// **Thread safety**: none. **Invariants**: an element moves only between its methods; its serialize may fail, and then
// it stays.
#pragma once

#include <cstdint>

#include "array_context.hpp"
#include "element/entry.hpp"
#include "wire/record.hpp"

namespace starling::array::detail {

class Migration {
 public:
  explicit Migration(const ArrayContext& context) : context_(context) {}

  /// To the process that the entry names (bound_for).
  void depart(Entry& entry);
  void handle_migrate(const Record& record);
  void handle_arrived(const Record& record);
  void handle_landed(const Record& record);

 private:
  /// What a record of a moving element begins with; its extras and its state follow.
  struct Move {
    std::uint32_t reduction;
    std::uint32_t broadcast;
    std::int32_t births;
    std::int32_t previous;
    float load_us;
    std::uint32_t extras;  // bytes
    std::uint64_t birth_names;
    std::uint64_t birth_name;
  };
  static_assert(sizeof(Move) == 40);
  struct Arrival {
    std::int32_t rank;
    std::int32_t previous;
    std::uint32_t broadcast;
    std::uint32_t spare;
  };
  static_assert(sizeof(Arrival) == 16);

  bool post(Entry& entry, int to);
  void pack(Entry& entry, int to, Move& move, char*& room);
  void unpack(Entry& entry, const Move& move, const Record& record);
  void settle(Entry& entry, const Arrival& arrival, std::uint32_t epoch);
  void confirm(Entry* entry, const Landing& landing, std::uint32_t epoch);

  const ArrayContext& context_;
};

}  // namespace starling::array::detail
