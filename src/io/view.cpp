// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/view.hpp"

#include <algorithm>
#include <string>

#include "datatype/ascending.hpp"

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
  if (layout_->extent() <= 0)
    return no_view("the filetype's extent is not positive, so it cannot be tiled over the file");
  tiles_ = std::min((kFarthest - displacement_ - std::max<std::int64_t>(layout_->true_ub(), 0)) / layout_->extent(),
                    kFarthest / layout_->size());
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
    return no_view("the filetype has " + std::to_string(view->layout_->size()) +
                   " bytes of data, which are no whole number of etypes of " + std::to_string(view->etype_bytes_));
  }
  STARLING_TRY(view->set_tiles());
  const datatype::DataOrder order = datatype::data_order(*view->layout_);
  if (order == datatype::DataOrder::kMixed) {
    return no_view("the filetype's displacements go back; they must not decrease");
  }
  view->ascending_ = order == datatype::DataOrder::kAscending;
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

FileRange View::range(std::int64_t position, std::int64_t bytes) const noexcept {
  if (bytes == 0) return {};
  if (ascending_) return {offset_of(position), offset_of(position + bytes - 1) + 1};
  // Data that lie in any order: all of the tiles that hold them.
  const auto tile_of = [&](std::int64_t at) { return displacement_ + at / layout_->size() * layout_->extent(); };
  return {tile_of(position) + layout_->true_lb(), tile_of(position + bytes - 1) + layout_->true_ub()};
}

std::int64_t View::positions_before(std::int64_t offset) const noexcept {
  if (end() == 0) return 0;
  const std::int64_t extent = layout_->extent();
  const std::int64_t size = layout_->size();
  // Whole tiles that end before the offset, then a search in the next ones: tiles may interleave by less than one.
  const std::int64_t from = offset - displacement_ - layout_->true_ub();
  std::int64_t low = from < 0 ? 0 : std::min(from / extent, tiles_ - 1) * size;
  const std::int64_t ahead = (layout_->true_ub() - layout_->true_lb()) / extent + 3;
  std::int64_t high = tiles_ - low / size > ahead ? low + ahead * size : end();
  datatype::PackCursor at = cursor(low);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    datatype::MemoryRun run{};
    at.seek(middle);
    at.next_runs({&run, 1}, 1);
    if (offset_in(run) < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace starling::io
