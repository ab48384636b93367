// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The individual and the shared pointer of a file.
#include "io/agreement.hpp"
#include "io/file.hpp"
#include "io/settings/amode.hpp"

namespace starling::io {
namespace {

/// What all ranks must give alike to a seek of the shared pointer.
struct SharedSeek {
  std::int64_t offset;
  std::int64_t whence;
  bool operator==(const SharedSeek&) const = default;
};

Status only_shared() {
  return Status::error(ErrorClass::kUnsupportedOperation,
                       "the file was opened with MPI_MODE_SEQUENTIAL, so only the shared file pointer can be used, and "
                       "it only moves on");
}

}  // namespace

Status File::check_shared_pointer() const {
  if (shared_.exists()) return {};
  return Status::error(ErrorClass::kNoMem,
                       "the shared file pointer has no place: the job's shared memory was full when the file was "
                       "opened. STARLING_SHM_ARENA makes it larger.");
}

Result<std::int64_t> File::target(std::int64_t offset, Whence whence, std::int64_t current) const {
  std::int64_t base = whence == Whence::kCurrent ? current : 0;
  if (whence == Whence::kEnd) {
    Result<std::int64_t> size = file_->size();
    if (!size.ok()) return size;
    base = view_->etypes_before(size.value());
  }
  std::int64_t position = 0;
  if (__builtin_add_overflow(base, offset, &position) || position < 0) {
    return Status::error(ErrorClass::kArg, "offset " + std::to_string(offset) + " from position " +
                                               std::to_string(base) + " leads out of the view, which begins at 0");
  }
  return position;
}

Status File::seek(std::int64_t offset, Whence whence) {
  if ((amode_ & kSequential) != 0) return only_shared();
  Result<std::int64_t> position = target(offset, whence, position_);
  if (!position.ok()) return std::move(position).status();
  position_ = position.value();
  return {};
}

Result<std::int64_t> File::position() const {
  if ((amode_ & kSequential) != 0) return only_shared();
  return position_;
}

Status File::seek_shared(std::int64_t offset, Whence whence) {
  if ((amode_ & kSequential) != 0) return only_shared();
  STARLING_TRY(check_shared_pointer());
  STARLING_TRY(check_no_split());
  // When all have told, none is still in an access before it.
  STARLING_TRY(check_same(world(), *comm_, SharedSeek{offset, static_cast<std::int64_t>(whence)}, "offset or whence"));
  Status moved;
  if (comm_->rank() == 0) {
    Result<std::int64_t> position = target(offset, whence, shared_.get());
    if (position.ok()) {
      shared_.set(position.value());
    } else {
      moved = std::move(position).status();
    }
  }
  return follow_first(world(), *comm_, std::move(moved));
}

Result<std::int64_t> File::position_shared() const {
  STARLING_TRY(check_shared_pointer());
  return shared_.get();
}

Result<std::int64_t> File::byte_offset(std::int64_t offset) const {
  if ((amode_ & kSequential) != 0) return only_shared();
  std::int64_t position = 0;
  if (offset < 0 || __builtin_mul_overflow(offset, view_->etype_bytes(), &position) || position > view_->end()) {
    return Status::error(ErrorClass::kArg, "offset " + std::to_string(offset) + " is not in the view");
  }
  return view_->offset_of(position);
}

}  // namespace starling::io
