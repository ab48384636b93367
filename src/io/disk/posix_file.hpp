// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PosixFile: an open file of the operating system, read and written in pieces.
//
// Owned jointly by the File and by the operations under way, so the descriptor closes with the last of them.
// Thread safety: all calls from any thread at once; the kernel's calls carry their own positions.
// Invariants: reads and writes are complete: fewer bytes than asked for mean end of file, never an interruption.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/status.hpp"

struct iovec;

namespace starling::io {

enum class Direction : std::uint8_t { kRead, kWrite };

/// Bytes that are side by side both in the file and in memory.
struct FilePiece {
  std::int64_t offset;  ///< in the file
  std::byte* memory;
  std::int64_t bytes;

  [[nodiscard]] std::int64_t end() const noexcept { return offset + bytes; }
};

/// The bytes of all of them.
[[nodiscard]] inline std::int64_t total_bytes(std::span<const FilePiece> pieces) noexcept {
  std::int64_t bytes = 0;
  for (const FilePiece& piece : pieces) bytes += piece.bytes;
  return bytes;
}

/// The bytes [first, end) of a file.
struct FileRange {
  std::int64_t first = 0;
  std::int64_t end = 0;

  [[nodiscard]] bool empty() const noexcept { return first >= end; }
  [[nodiscard]] bool meets(const FileRange& other) const noexcept {
    return !empty() && !other.empty() && first < other.end && other.first < end;
  }
};

class PosixFile {
 public:
  /// flags and mode as in open(2).
  static Result<std::shared_ptr<PosixFile>> open(const std::string& path, int flags, mode_t mode);
  PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixFile();
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Moves the pieces in their order, those that are adjacent in the file in one system call. Returns the bytes
  /// moved; a read ends early at the end of the file, and what lies behind it is not touched.
  Result<std::int64_t> move(Direction direction, std::span<const FilePiece> pieces) const;

  /// What tells a file from others on all machines that share its file system.
  struct Identity {
    std::uint64_t inode = 0;
    std::uint64_t local_system = 0;  ///< number of its file system, where that is on one machine only; else 0
    std::int64_t born_s = 0;         ///< when it was made, 0: the file system does not say
    std::int32_t born_ns = 0;
    std::int32_t comparable = 0;  ///< 0: the file system gives each machine numbers of its own

    /// Whether two machines may have the same file open.
    [[nodiscard]] bool may_be(const Identity& other) const noexcept {
      if (comparable == 0 || other.comparable == 0) return true;
      // A machine may export its own disk to the others, so one number alone says nothing.
      if (local_system != 0 && other.local_system != 0 && local_system != other.local_system) return false;
      const bool know_when = born_s != 0 && other.born_s != 0;
      return inode == other.inode && (!know_when || (born_s == other.born_s && born_ns == other.born_ns));
    }
  };
  static_assert(sizeof(Identity) == 32, "travels between ranks");
  /// Of a file that cannot be asked: one that may be any other.
  [[nodiscard]] Identity identity() const;

  [[nodiscard]] Result<std::int64_t> size() const;
  Status resize(std::int64_t bytes) const;
  /// Makes sure that there is room for the first `bytes` bytes; the file never becomes shorter.
  Status allocate(std::int64_t bytes) const;
  /// Waits until the data are on the device.
  Status flush() const;

  /// Excludes every other open file's conflicting RangeLock on the range, in any process of the machine, and those of
  /// this one.
  class RangeLock {
   public:
    RangeLock(PosixFile& file, Direction direction, const FileRange& range);
    ~RangeLock();
    RangeLock(const RangeLock&) = delete;
    RangeLock& operator=(const RangeLock&) = delete;

    [[nodiscard]] Status take_failure() noexcept { return std::move(failure_); }

   private:
    PosixFile& file_;
    FileRange range_;
    std::unique_lock<std::mutex> own_;
    Status failure_;
  };

 private:
  Result<std::int64_t> move_adjacent(Direction direction, std::span<const FilePiece> pieces) const;
  Result<std::int64_t> transfer(Direction direction, std::int64_t offset, std::span<iovec> vectors) const;
  [[nodiscard]] Status failed(int error_number, const char* what) const;

  int descriptor_;
  std::string path_;
  std::mutex atomic_accesses_;  ///< locks of the kernel do not tell the threads of one open file apart
};

}  // namespace starling::io
