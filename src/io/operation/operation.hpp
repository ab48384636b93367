// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Operation: one data access of one process: data in memory, a stretch of the view, and what became of it.
//
// prepare() and conclude() belong to the caller's side, for they run the user's conversion functions; execute() may run
// on the library's thread. Thread safety: one thread at a time.
// Invariants: keeps file, view and datatype alive; the buffer is the user's. moved() counts bytes in the file.
// Source: MPI-5.0, chapter 14.4.
#pragma once

#include <cstdint>
#include <memory>

#include "io/disk/posix_file.hpp"
#include "io/operation/job.hpp"
#include "io/view/view.hpp"

namespace starling::io {

/// Whether conflicting accesses of other processes happen before or after, never in between (14.6.1).
enum class Atomicity : std::uint8_t { kNone, kAtomic };

class Operation final : public Job {
 public:
  struct What {
    Direction direction = Direction::kRead;
    void* buffer = nullptr;  ///< a write reads only
    std::int64_t count = 0;
    const datatype::Datatype* type = nullptr;
    std::int64_t position = 0;    ///< in the view
    std::int64_t file_bytes = 0;  ///< of all data, as they stand in the file
  };
  Operation(std::shared_ptr<PosixFile> file, ViewRef view, Atomicity atomicity, const What& what);

  [[nodiscard]] Direction direction() const noexcept { return what_.direction; }
  [[nodiscard]] Atomicity atomicity() const noexcept { return atomicity_; }
  [[nodiscard]] const View& view() const noexcept { return *view_; }
  [[nodiscard]] PosixFile& file() const noexcept { return *file_; }
  [[nodiscard]] std::int64_t position() const noexcept { return what_.position; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return what_.file_bytes; }
  /// From the first to the last byte that the access may touch.
  [[nodiscard]] FileRange range() const noexcept { return view_->range(what_.position, what_.file_bytes); }
  /// Says where the access begins, where that was not known yet.
  void place(std::int64_t position) noexcept { what_.position = position; }
  /// The data as they go to the file or come from it, at their start. Once prepared.
  [[nodiscard]] datatype::PackCursor memory() const noexcept;
  [[nodiscard]] datatype::UnpackCursor room() const noexcept;

  /// Converts what is to be written, or makes room for what is to be converted.
  Status prepare();
  void execute() override;
  /// The outcome, where the data were moved in another way than by execute().
  void settle(std::int64_t moved, Status failure) noexcept;
  /// Converts what was read. *memory_bytes: what MPI_Get_count counts in.
  Status conclude(std::int64_t* memory_bytes);

 private:
  [[nodiscard]] bool converts() const noexcept { return !view_->datarep().is_native(); }
  Status move();

  std::shared_ptr<PosixFile> file_;
  ViewRef view_;
  Atomicity atomicity_;
  What what_;
  TypeRef type_;
  std::unique_ptr<std::byte[]> converted_;
  std::int64_t moved_ = 0;
  Status failure_;
};

/// The position in the view of an access that begins at an etype, or kArg where that is not in it.
Result<std::int64_t> position_of(const View& view, std::int64_t begin_etypes, std::int64_t file_bytes);

}  // namespace starling::io
