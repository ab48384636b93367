// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/view/view.hpp"

#include <algorithm>
#include <string>

#include "base/format.hpp"

namespace starling::io {
namespace {

/// Offsets beyond this are of no use: no file system goes there.
constexpr std::int64_t kFarthest = std::int64_t{1} << 62;

Status no_view(const std::string& why) { return Status::error(ErrorClass::kArg, why); }

}  // namespace

Status View::set_tiles() {
  if (layout_->size() == 0) return {};
  const std::int64_t first = displacement_ + layout_->true_lb();
  if (first < 0)
    return no_view("the filetype begins before the start of the file; its displacements must be 0 or more");
  const std::int64_t extent = layout_->extent();
  tiles_ = kFarthest / layout_->size();
  if (extent > 0) {
    const std::int64_t behind = kFarthest - displacement_ - std::max<std::int64_t>(layout_->true_ub(), 0);
    tiles_ = std::min(behind / extent, tiles_);
  } else if (extent < 0) {
    tiles_ = std::min(first / -extent + 1, tiles_);  // down to the start of the file
  }
  return tiles_ > 0 ? Status() : no_view("the displacement and the filetype reach beyond 2^62 bytes");
}

Result<std::shared_ptr<const View>> View::create(std::int64_t displacement, TypeRef etype, TypeRef filetype,
                                                 DatarepRef datarep) {
  std::shared_ptr<View> view(new View);
  if (displacement < 0) return no_view("disp is negative; a view begins at byte 0 or later");
  if (etype->size() == 0) return no_view("the etype has no data");
  Result<TypeRef> etype_in_file = file_type(*etype, *datarep);
  if (!etype_in_file.ok()) return std::move(etype_in_file).status();
  Result<TypeRef> layout = file_type(*filetype, *datarep);
  if (!layout.ok()) return std::move(layout).status();
  view->displacement_ = displacement;
  view->etype_bytes_ = etype_in_file.value()->size();
  view->layout_ = std::move(layout).value();
  view->etype_ = std::move(etype);
  view->filetype_ = std::move(filetype);
  view->datarep_ = std::move(datarep);
  if (view->layout_->size() % view->etype_bytes_ != 0) {
    return no_view(formatted("the filetype has {} bytes of data, which are no whole number of etypes of {}",
                             view->layout_->size(), view->etype_bytes_));
  }
  STARLING_TRY(view->set_tiles());
  view->order_ = datatype::data_order(*view->layout_);
  if (view->order_ == datatype::DataOrder::kMixed) {
    return no_view("the filetype's displacements go back; they must not decrease");
  }
  return std::shared_ptr<const View>(std::move(view));
}

datatype::PackCursor View::cursor(std::int64_t position) const noexcept {
  datatype::PackCursor cursor(*layout_, reinterpret_cast<const void*>(static_cast<std::intptr_t>(displacement_)),
                              tiles_);
  cursor.seek(position);
  return cursor;
}

std::int64_t View::offset_of(std::int64_t position) const noexcept {
  if (end() == 0) return displacement_;
  datatype::MemoryRun run{};
  const std::int64_t behind = position == end() ? 1 : 0;
  cursor(position - behind).next_runs({&run, 1}, 1);
  return offset_in(run) + behind;
}

bool View::ascends(std::int64_t position, std::int64_t bytes) const noexcept {
  if (bytes == 0) return true;
  const std::int64_t size = layout_->size();
  return !overlaps() && (datatype::tiles_apart(*layout_) || position / size == (position + bytes - 1) / size);
}

FileRange View::range(std::int64_t position, std::int64_t bytes) const noexcept {
  if (bytes == 0) return {};
  if (ascends(position, bytes)) return {offset_of(position), offset_of(position + bytes - 1) + 1};
  // Data that lie in any order: all of the tiles that hold them.
  const auto tile_of = [&](std::int64_t at) { return displacement_ + at / layout_->size() * layout_->extent(); };
  const auto [low, high] = std::minmax({tile_of(position), tile_of(position + bytes - 1)});
  return {low + layout_->true_lb(), high + layout_->true_ub()};
}

std::int64_t View::tiles_before(std::int64_t offset) const noexcept {
  const std::int64_t from = offset - displacement_ - layout_->true_ub();
  if (from < 0) return 0;
  // Tiles that do not go on in the file end where the first does, or before it.
  return layout_->extent() > 0 ? std::min(from / layout_->extent() + 1, tiles_) : tiles_;
}

/// The first of the positions low, low + step, ... below `high` whose byte lies at the offset or behind it, or `high`.
/// Their bytes lie in the order of the positions.
std::int64_t View::search(std::int64_t offset, std::int64_t low, std::int64_t high, std::int64_t step) const noexcept {
  if (low >= high) return low;
  datatype::PackCursor at = cursor(low);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / step / 2 * step;
    datatype::MemoryRun run{};
    at.seek(middle);
    at.next_runs({&run, 1}, 1);
    if (offset_in(run) < offset) {
      low = middle + step;
    } else {
      high = middle;
    }
  }
  return low;
}

std::int64_t View::first_behind(std::int64_t offset, std::int64_t position, std::int64_t bytes) const noexcept {
  if (bytes == 0) return position;
  const std::int64_t size = layout_->size();
  // Of the tiles of the access, the first that does not end before the offset.
  const std::int64_t tile = datatype::tiles_apart(*layout_) ? tiles_before(offset) : position / size;
  const std::int64_t low = std::clamp(tile * size, position, position + bytes);
  return search(offset, low, std::min((tile + 1) * size, position + bytes), 1);
}

std::int64_t View::etypes_before(std::int64_t offset) const noexcept {
  const std::int64_t low = tiles_before(offset) * layout_->size();
  return search(offset, low, std::min(low + layout_->size(), end()), etype_bytes_) / etype_bytes_;
}

}  // namespace starling::io
