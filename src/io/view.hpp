// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// View: which bytes of a file a process sees, and in which order: the filetype, tiled from a displacement on.
//
// A position is a number of bytes of data in the view, as they stand in the file; MPI's offsets count etypes.
// Thread safety: immutable; shared by the file and the operations that began under it.
// Invariants: the etype has data; the filetype's data are a multiple of it. In an ascending view a larger position is a
// larger offset in the file. Source: MPI-5.0, chapter 14.3.
#pragma once

#include <cstdint>
#include <memory>

#include "datatype/pack.hpp"
#include "io/datarep.hpp"
#include "io/file_type.hpp"
#include "io/posix_file.hpp"

namespace starling::io {

class View {
 public:
  /// Etype and filetype are committed. kArg when they make no view.
  static Result<std::shared_ptr<const View>> create(std::int64_t displacement, TypeRef etype, TypeRef filetype,
                                                    DatarepRef datarep);

  [[nodiscard]] std::int64_t displacement() const noexcept { return displacement_; }
  [[nodiscard]] const datatype::Datatype& etype() const noexcept { return *etype_; }
  [[nodiscard]] const datatype::Datatype& filetype() const noexcept { return *filetype_; }
  [[nodiscard]] const Datarep& datarep() const noexcept { return *datarep_; }
  [[nodiscard]] const DatarepRef& datarep_ref() const noexcept { return datarep_; }

  /// Bytes of one etype in the file.
  [[nodiscard]] std::int64_t etype_bytes() const noexcept { return etype_bytes_; }
  /// Positions that exist: there is none behind it that 64 bits can tell.
  [[nodiscard]] std::int64_t end() const noexcept { return tiles_ * layout_->size(); }
  /// No two positions share a byte, and they follow each other in the file.
  [[nodiscard]] bool is_ascending() const noexcept { return ascending_; }

  /// Where the byte of a position lies in the file; the place after the last one for the end.
  [[nodiscard]] std::int64_t offset_of(std::int64_t position) const noexcept;
  /// How many positions lie before a byte of the file. For an ascending view.
  [[nodiscard]] std::int64_t positions_before(std::int64_t offset) const noexcept;

  /// From the first to the last byte that `bytes` positions from the given one may show.
  [[nodiscard]] FileRange range(std::int64_t position, std::int64_t bytes) const noexcept;

  /// Yields the stretches of the file as "memory" whose addresses are offsets.
  [[nodiscard]] datatype::PackCursor cursor(std::int64_t position) const noexcept;

 private:
  View() = default;
  Status set_tiles();

  std::int64_t displacement_ = 0;
  TypeRef etype_;
  TypeRef filetype_;
  TypeRef layout_;  ///< the filetype as it lies in the file
  DatarepRef datarep_;
  std::int64_t etype_bytes_ = 0;
  std::int64_t tiles_ = 0;
  bool ascending_ = false;
};

using ViewRef = std::shared_ptr<const View>;

/// The offset that a view's cursor gave as an address.
[[nodiscard]] inline std::int64_t offset_in(const datatype::MemoryRun& run) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(run.data));
}

}  // namespace starling::io
