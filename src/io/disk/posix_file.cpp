// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/disk/posix_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/format.hpp"
#include "io/disk/system_error.hpp"

#ifndef STATX_TYPE  // musl before 1.2.5
#include <linux/stat.h>
static int statx(int folder, const char* path, int flags, unsigned mask, struct statx* facts) {
  return static_cast<int>(syscall(SYS_statx, folder, path, flags, mask, facts));
}
#endif

namespace starling::io {
namespace {

/// Pieces of one system call; the kernel takes up to 1024.
constexpr std::size_t kVectors = 256;

/// Runs a system call again when a signal has interrupted it.
template <typename SystemCall>
auto uninterrupted(SystemCall&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Drops the first `bytes` bytes of the vectors.
std::span<iovec> skip(std::span<iovec> vectors, std::size_t bytes) {
  while (!vectors.empty() && bytes >= vectors.front().iov_len) {
    bytes -= vectors.front().iov_len;
    vectors = vectors.subspan(1);
  }
  if (!vectors.empty()) {
    vectors.front().iov_base = static_cast<std::byte*>(vectors.front().iov_base) + bytes;
    vectors.front().iov_len -= bytes;
  }
  return vectors;
}

/// How many of the first pieces lie side by side in the file.
std::size_t adjacent(std::span<const FilePiece> pieces) {
  std::size_t count = 1;
  while (count < pieces.size() && count < kVectors && pieces[count].offset == pieces[count - 1].end()) ++count;
  return count;
}

}  // namespace

Result<std::shared_ptr<PosixFile>> PosixFile::open(const std::string& path, int flags, mode_t mode) {
  const int descriptor = uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
  if (descriptor < 0) return system_error(errno, formatted("the file \"{}\" cannot be opened", path));
  auto file = std::make_shared<PosixFile>(descriptor, path);
  struct stat facts {};
  if (fstat(descriptor, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    return system_error(EISDIR, formatted("the file \"{}\" cannot be opened", path));
  }
  if (lseek(descriptor, 0, SEEK_CUR) < 0 && errno == ESPIPE) {
    return system_error(
        ESPIPE, formatted("the file \"{}\" cannot be opened, for it has no positions to read and write at", path));
  }
  return file;
}

PosixFile::~PosixFile() { ::close(descriptor_); }

Status PosixFile::failed(int error_number, const char* what) const {
  return system_error(error_number, formatted("{} the file \"{}\" failed", what, path_));
}

Result<std::int64_t> PosixFile::transfer(Direction direction, std::int64_t offset, std::span<iovec> vectors) const {
  std::int64_t moved = 0;
  while (!vectors.empty()) {
    const auto count = static_cast<int>(vectors.size());
    const ssize_t now = direction == Direction::kRead ? preadv(descriptor_, vectors.data(), count, offset + moved)
                                                      : pwritev(descriptor_, vectors.data(), count, offset + moved);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return failed(errno, direction == Direction::kRead ? "reading" : "writing");
    if (now == 0 && direction == Direction::kRead) break;
    if (now == 0) return failed(EIO, "writing");
    moved += now;
    vectors = skip(vectors, static_cast<std::size_t>(now));
  }
  return moved;
}

Result<std::int64_t> PosixFile::move_adjacent(Direction direction, std::span<const FilePiece> pieces) const {
  std::array<iovec, kVectors> vectors;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    vectors[i] = {pieces[i].memory, static_cast<std::size_t>(pieces[i].bytes)};
  }
  return transfer(direction, pieces.front().offset, std::span(vectors).first(pieces.size()));
}

Result<std::int64_t> PosixFile::move(Direction direction, std::span<const FilePiece> pieces) const {
  std::int64_t moved = 0;
  while (!pieces.empty()) {
    const std::span<const FilePiece> now = pieces.first(adjacent(pieces));
    Result<std::int64_t> some = move_adjacent(direction, now);
    if (!some.ok()) return some;
    moved += some.value();
    if (some.value() < now.back().end() - now.front().offset) break;
    pieces = pieces.subspan(now.size());
  }
  return moved;
}

PosixFile::Identity PosixFile::identity() const {
  // Programs in between, which may number files anew for each machine: FUSE and 9p.
  constexpr std::array<std::uint64_t, 2> kRenumbering = {0x65735546, 0x01021997};
  // What has no other machine: tmpfs, ext2 to ext4, xfs, btrfs. Each file system of these kinds has a number.
  constexpr std::array<std::uint64_t, 4> kLocal = {0x01021994, 0xef53, 0x58465342, 0x9123683e};
  constexpr unsigned kWanted = STATX_TYPE | STATX_INO;
  Identity identity;
  struct statfs system {};
  struct statx facts {};
  if (fstatfs(descriptor_, &system) != 0) return identity;
  if (statx(descriptor_, "", AT_EMPTY_PATH, kWanted | STATX_BTIME, &facts) != 0) return identity;
  const auto kind = static_cast<std::uint64_t>(system.f_type);
  const bool renumbers = std::find(kRenumbering.begin(), kRenumbering.end(), kind) != kRenumbering.end();
  // Each machine has devices of its own, and means them.
  if (renumbers || (facts.stx_mask & kWanted) != kWanted || !S_ISREG(facts.stx_mode)) return identity;
  identity.comparable = 1;
  identity.inode = facts.stx_ino;
  if (std::find(kLocal.begin(), kLocal.end(), kind) != kLocal.end()) {
    static_assert(sizeof system.f_fsid == sizeof identity.local_system);
    std::memcpy(&identity.local_system, &system.f_fsid, sizeof system.f_fsid);
  }
  if ((facts.stx_mask & STATX_BTIME) != 0) {
    identity.born_s = facts.stx_btime.tv_sec;
    identity.born_ns = static_cast<std::int32_t>(facts.stx_btime.tv_nsec);
  }
  return identity;
}

Result<std::int64_t> PosixFile::size() const {
  struct stat facts {};
  if (fstat(descriptor_, &facts) != 0) return failed(errno, "asking for the size of");
  return static_cast<std::int64_t>(facts.st_size);
}

Status PosixFile::resize(std::int64_t bytes) const {
  if (uninterrupted([&] { return ftruncate(descriptor_, bytes); }) == 0) return {};
  return failed(errno, "setting the size of");
}

Status PosixFile::allocate(std::int64_t bytes) const {
  if (bytes == 0) return {};
  int error_number = posix_fallocate(descriptor_, 0, bytes);
  while (error_number == EINTR) error_number = posix_fallocate(descriptor_, 0, bytes);
  return error_number == 0 ? Status() : failed(error_number, "reserving space for");
}

Status PosixFile::flush() const {
  if (uninterrupted([&] { return fsync(descriptor_); }) == 0) return {};
  // A device or pseudo file that has nothing to flush.
  if (errno == EINVAL || errno == EROFS) return {};
  return failed(errno, "flushing");
}

PosixFile::RangeLock::RangeLock(PosixFile& file, Direction direction, const FileRange& range)
    : file_(file), range_(range), own_(file.atomic_accesses_) {
  struct flock lock {};
  lock.l_type = direction == Direction::kRead ? F_RDLCK : F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = range.first;
  lock.l_len = range.end - range.first;
  if (uninterrupted([&] { return fcntl(file_.descriptor_, F_OFD_SETLKW, &lock); }) == 0) return;
  failure_ = file_.failed(errno, "locking a range, as the atomic mode needs, of");
}

PosixFile::RangeLock::~RangeLock() {
  struct flock lock {};
  lock.l_type = F_UNLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = range_.first;
  lock.l_len = range_.end - range_.first;
  fcntl(file_.descriptor_, F_OFD_SETLK, &lock);
}

}  // namespace starling::io
