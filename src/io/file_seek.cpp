// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Seeking and asking: the individual and the shared pointer of a file.
#include "base/format.hpp"
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

Result<std::int64_t> File::position_from(std::int64_t offset, Whence whence, std::int64_t current) const {
  std::int64_t base = whence == Whence::kCurrent ? current : 0;
  if (whence == Whence::kEnd) {
    Result<std::int64_t> size = file_->size();
    if (!size.ok()) return size;
    base = view_->etypes_before(size.value());
  }
  std::int64_t position = 0;
  if (__builtin_add_overflow(base, offset, &position) || position < 0) {
    return Status::error(
        ErrorClass::kArg,
        formatted("offset {} from position {} leads out of the view, which begins at 0", offset, base));
  }
  return position;
}

Status File::seek(std::int64_t offset, Whence whence) {
  if ((amode_ & kSequential) != 0) return only_shared();
  Result<std::int64_t> position = position_from(offset, whence, pointers_.individual());
  if (!position.ok()) return std::move(position).status();
  pointers_.set_individual(position.value());
  return {};
}

Result<std::int64_t> File::position() const {
  if ((amode_ & kSequential) != 0) return only_shared();
  return pointers_.individual();
}

Status File::seek_shared(std::int64_t offset, Whence whence) {
  if ((amode_ & kSequential) != 0) return only_shared();
  STARLING_TRY(pointers_.check_shared());
  STARLING_TRY(check_no_split());
  // When all have told, none is still in an access before it.
  STARLING_TRY(check_same(world(), *comm_, SharedSeek{offset, static_cast<std::int64_t>(whence)}, "offset or whence"));
  Status moved;
  if (comm_->rank() == 0) {
    Result<std::int64_t> position = pointers_.shared().get();
    if (position.ok()) position = position_from(offset, whence, position.value());
    moved = position.ok() ? pointers_.shared().set(position.value()) : std::move(position).status();
  }
  return follow_first(world(), *comm_, std::move(moved));
}

Result<std::int64_t> File::position_shared() const {
  STARLING_TRY(pointers_.check_shared());
  return pointers_.shared().get();
}

Result<std::int64_t> File::byte_offset(std::int64_t offset) const {
  if ((amode_ & kSequential) != 0) return only_shared();
  std::int64_t position = 0;
  if (offset < 0 || __builtin_mul_overflow(offset, view_->etype_bytes(), &position) || position > view_->end()) {
    return Status::error(ErrorClass::kArg, formatted("offset {} is not in the view", offset));
  }
  return view_->offset_of(position);
}

}  // namespace starling::io
