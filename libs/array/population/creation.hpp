// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Creation: how elements of one array begin. A creation goes to the home of its index, which refuses a second one, and
// from there to the process where the element is to be.
//
// **Thread safety**: none. **Invariants**: an index has one element at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "array_context.hpp"
#include "element/entry.hpp"
#include "wire/record.hpp"

namespace starling::array::detail {

class Creation {
 public:
  /// Calls `after` with each element that was made here and may leave again, or be deleted.
  using After = std::function<void(Entry&)>;
  Creation(const ArrayContext& context, std::uint32_t default_constructor, After after)
      : context_(context), default_constructor_(default_constructor), after_(std::move(after)) {}

  /// On process `on`, or on its home where that is below 0.
  void create(const Index& index, std::uint32_t constructor, int on, const char* bytes, std::size_t size);
  /// While the array is made: an element that all processes agree on.
  void create_first(const Index& index);
  void handle_create(const Record& record);
  void handle_build(const Record& record);

 private:
  /// What records of a creation begin with; the constructor's arguments follow.
  struct Birth {
    std::int32_t on;
    std::uint32_t constructor;
    std::uint32_t reduction;
    std::uint32_t broadcast;
    std::int32_t creator;
    std::int32_t is_remote;  // the creator waits to hear that it is done
    std::uint64_t name;      // reductions.hpp
  };
  static_assert(sizeof(Birth) == 32);

  void create_at_home(const Index& index, const Birth& birth, const char* bytes, std::size_t size);
  void refuse(const Entry& entry, const Birth& birth);
  void build(Entry& entry, const Birth& birth, std::uint32_t epoch, const char* bytes, std::size_t size);
  void post(int to, RecordKind kind, const Index& index, std::uint32_t epoch, const Birth& birth, const char* bytes,
            std::size_t size);
  void post_done(const Birth& birth);

  const ArrayContext& context_;
  std::uint32_t default_constructor_;
  After after_;
};

}  // namespace starling::array::detail
