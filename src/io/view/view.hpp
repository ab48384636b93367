// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// View: which bytes of a file a process sees, and in which order: the filetype, tiled from a displacement on.
//
// A position is a number of bytes of data in the view, as they stand in the file; MPI's offsets count etypes.
// A filetype is judged by itself: its displacements must not decrease. Where its extent is smaller than what its data
// span, its tiles reach into each other, so larger positions may lie before smaller ones, and may show the same bytes.
// Thread safety: immutable; shared by the file and the operations that began under it.
// Invariants: the etype has data; the filetype's data are a multiple of it. Source: MPI-5.0, chapter 14.3.
#pragma once

#include <cstdint>
#include <memory>

#include "datatype/pack/pack.hpp"
#include "datatype/types/ascending.hpp"
#include "io/disk/posix_file.hpp"
#include "io/view/datarep.hpp"
#include "io/view/file_type.hpp"

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
  /// Two positions of one tile share a byte, so the view is for reading only.
  [[nodiscard]] bool overlaps() const noexcept { return order_ != datatype::DataOrder::kAscending; }
  /// No two of these positions share a byte, and they follow each other in the file.
  [[nodiscard]] bool ascends(std::int64_t position, std::int64_t bytes) const noexcept;

  /// Where the byte of a position lies in the file; the place after the last one for the end.
  [[nodiscard]] std::int64_t offset_of(std::int64_t position) const noexcept;
  /// The first position of an access that ascends that lies at this byte of the file or behind it, or the access's end.
  [[nodiscard]] std::int64_t first_behind(std::int64_t offset, std::int64_t position,
                                          std::int64_t bytes) const noexcept;
  /// How many etypes come before the first one that begins at this byte of the file or behind it.
  [[nodiscard]] std::int64_t etypes_before(std::int64_t offset) const noexcept;

  /// From the first to the last byte that `bytes` positions from the given one may show.
  [[nodiscard]] FileRange range(std::int64_t position, std::int64_t bytes) const noexcept;

  /// Yields the stretches of the file as "memory" whose addresses are offsets.
  [[nodiscard]] datatype::PackCursor cursor(std::int64_t position) const noexcept;

 private:
  View() = default;
  Status set_tiles();
  [[nodiscard]] std::int64_t tiles_before(std::int64_t offset) const noexcept;
  [[nodiscard]] std::int64_t search(std::int64_t offset, std::int64_t low, std::int64_t high,
                                    std::int64_t step) const noexcept;

  std::int64_t displacement_ = 0;
  TypeRef etype_;
  TypeRef filetype_;
  TypeRef layout_;  ///< the filetype as it lies in the file
  DatarepRef datarep_;
  std::int64_t etype_bytes_ = 0;
  std::int64_t tiles_ = 0;
  datatype::DataOrder order_ = datatype::DataOrder::kAscending;  ///< of one tile
};

using ViewRef = std::shared_ptr<const View>;

/// The offset that a view's cursor gave as an address.
[[nodiscard]] inline std::int64_t offset_in(const datatype::MemoryRun& run) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(run.data));
}

}  // namespace starling::io
