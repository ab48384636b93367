// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/operation/operation.hpp"

#include <array>
#include <new>
#include <optional>

#include "base/format.hpp"
#include "io/disk/data_sieve.hpp"
#include "io/view/piece_stream.hpp"

namespace starling::io {
namespace {

/// Pieces that are moved in one round.
constexpr std::size_t kPieces = 512;

}  // namespace

Operation::Operation(std::shared_ptr<PosixFile> file, ViewRef view, Atomicity atomicity, const What& what)
    : file_(std::move(file)),
      view_(std::move(view)),
      atomicity_(atomicity),
      what_(what),
      type_(TypeRef::share(what.type)) {}

datatype::PackCursor Operation::memory() const noexcept {
  if (converted_) return {datatype::byte_type(), converted_.get(), what_.file_bytes};
  return {*type_, what_.buffer, what_.count};
}

datatype::UnpackCursor Operation::room() const noexcept {
  if (converted_) return {datatype::byte_type(), converted_.get(), what_.file_bytes};
  return {*type_, what_.buffer, what_.count};
}

Status Operation::prepare() {
  if (!converts() || what_.file_bytes == 0) return {};
  converted_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(what_.file_bytes)]);
  if (!converted_) {
    return Status::error(
        ErrorClass::kNoMem,
        formatted("there is no memory to convert {} bytes to the file's data representation; access less at once",
                  what_.file_bytes));
  }
  if (what_.direction == Direction::kRead) return {};
  return view_->datarep().to_file(what_.buffer, what_.count, *type_, converted_.get());
}

Status Operation::move() {
  PieceStream stream(*view_, what_.position, memory(), what_.file_bytes);
  DataSieve sieve;
  std::array<FilePiece, kPieces> pieces;
  while (const std::size_t count = stream.next(pieces)) {
    const std::span<const FilePiece> now = std::span(pieces).first(count);
    Result<std::int64_t> some =
        what_.direction == Direction::kRead ? sieve.read(*file_, now) : file_->move(Direction::kWrite, now);
    if (!some.ok()) return std::move(some).status();
    moved_ += some.value();
    if (some.value() < total_bytes(now)) break;
  }
  return {};
}

void Operation::execute() {
  if (what_.file_bytes == 0) return;
  std::optional<PosixFile::RangeLock> lock;
  if (atomicity_ == Atomicity::kAtomic) {
    lock.emplace(*file_, what_.direction, range());
    failure_ = lock->take_failure();
  }
  if (failure_.ok()) failure_ = move();
}

void Operation::settle(std::int64_t moved, Status failure) noexcept {
  moved_ = moved;
  failure_ = std::move(failure);
}

Status Operation::conclude(std::int64_t* memory_bytes) {
  *memory_bytes = moved_;
  if (converts() && moved_ > 0) {
    Result<Portion> whole = portion(*type_, what_.count, moved_, view_->datarep());
    if (!whole.ok()) return std::move(whole).status();
    *memory_bytes = whole.value().memory_bytes;
    if (what_.direction == Direction::kRead) {
      STARLING_TRY(view_->datarep().from_file(converted_.get(), whole.value(), what_.buffer, *type_));
    }
  }
  converted_.reset();
  return std::move(failure_);
}

Result<std::int64_t> position_of(const View& view, std::int64_t begin_etypes, std::int64_t file_bytes) {
  if (begin_etypes < 0) {
    return Status::error(ErrorClass::kArg, formatted("offset is {}, but must not be negative", begin_etypes));
  }
  if (file_bytes == 0) return 0;
  if (file_bytes > view.end() || begin_etypes > (view.end() - file_bytes) / view.etype_bytes()) {
    return Status::error(ErrorClass::kArg, view.end() == 0 ? "the view shows no data, for its filetype has none"
                                                           : "the access reaches behind the end of the view");
  }
  return begin_etypes * view.etype_bytes();
}

}  // namespace starling::io
