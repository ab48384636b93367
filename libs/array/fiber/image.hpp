// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Image: memory as it travels to the same addresses of another process: only pages that have something in them.
//
// **Thread safety**: none. **Invariants**: where it is read, memory that was not packed is zero or does not matter.
#pragma once

#include <cstddef>
#include <starling/array/archive.hpp>
#include <utility>
#include <vector>

namespace starling::array::detail {

class Image {
 public:
  using Part = std::pair<const char*, const char*>;

  /// What is to travel, in the order of addresses.
  void add(const char* from, const char* to);
  /// While counting or writing.
  void pack(Archive& archive) const;
  /// Puts what was packed in its place, within `[from, to)`; throws ArchiveError for what is not.
  static void unpack(Archive& archive, char* from, char* to);
  std::size_t bytes() const;

 private:
  void add_page(const char* from, const char* to);
  std::vector<Part> parts_;
};

}  // namespace starling::array::detail
