// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/two_phase/collective_buffer.hpp"

#include <cstring>

namespace starling::io {

void CollectiveBuffer::place(const FileRange& range) {
  range_ = range;
  const std::int64_t bytes = range.end - range.first;
  if (bytes > capacity_) {
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    capacity_ = bytes;
  }
  coverage_.reset(bytes);
}

void CollectiveBuffer::start_write(PosixFile& file) {
  pieces_ = coverage_.pieces(buffer_.get(), range_.first);
  if (!pieces_.empty()) start(file, Direction::kWrite);
}

void CollectiveBuffer::start_read(PosixFile& file, const FileRange& part) {
  pieces_.assign(1, FilePiece{part.first, at(part.first), part.end - part.first});
  start(file, Direction::kRead);
}

void CollectiveBuffer::start(PosixFile& file, Direction direction) {
  file_ = &file;
  direction_ = direction;
  renew();
  if (runner_.is_small(range_.end - range_.first)) {
    execute();
    mark_done();
  } else {
    runner_.worker().post(*this);
  }
}

void CollectiveBuffer::execute() {
  Result<std::int64_t> moved = file_->move(direction_, pieces_);
  if (!moved.ok()) {
    failure_ = std::move(moved).status();
    return;
  }
  const FilePiece& last = pieces_.back();
  if (direction_ == Direction::kWrite || moved.value() == last.bytes) return;
  std::memset(last.memory + moved.value(), 0, static_cast<std::size_t>(last.bytes - moved.value()));
}

}  // namespace starling::io
