// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/shared/control.hpp"

#include <new>

#include "memory/page.hpp"

namespace starling::rma {
namespace {

using memory::kPage;
constexpr std::int64_t kFlagsOfLine = kCacheLine / sizeof(std::uint32_t);

std::int64_t flags_of_row(std::int32_t ranks) noexcept {
  return (ranks + kFlagsOfLine - 1) / kFlagsOfLine * kFlagsOfLine;
}

}  // namespace

std::uint64_t Control::bytes(std::int32_t ranks, Attaching attaching) noexcept {
  const auto n = static_cast<std::uint64_t>(ranks);
  std::uint64_t bytes = n * sizeof(RankLocks);
  bytes += (2 * n + 1) * static_cast<std::uint64_t>(flags_of_row(ranks)) * sizeof(Flag);
  if (attaching == Attaching::kYes) bytes += n * sizeof(AttachmentTable);
  return (bytes + kPage - 1) / kPage * kPage;
}

Control::Control(std::byte* base, std::int32_t ranks) noexcept
    : ranks_(ranks),
      row_(flags_of_row(ranks)),
      locks_(reinterpret_cast<RankLocks*>(base)),
      posted_(reinterpret_cast<Flag*>(locks_ + ranks)),
      completed_(posted_ + ranks * row_),
      left_(reinterpret_cast<std::uint32_t*>(completed_ + ranks * row_)),
      attachments_(reinterpret_cast<AttachmentTable*>(left_ + row_)) {}

void Control::initialise(Attaching attaching) noexcept {
  for (std::int32_t rank = 0; rank < ranks_; ++rank) new (&locks_[rank]) RankLocks;
  for (std::ptrdiff_t i = 0; i < ranks_ * row_; ++i) {
    new (&posted_[i]) Flag(0);
    new (&completed_[i]) Flag(0);
  }
  for (std::int32_t rank = 0; rank < ranks_; ++rank) new (&left_[rank]) std::uint32_t(0);
  if (attaching == Attaching::kNo) return;
  for (std::int32_t rank = 0; rank < ranks_; ++rank) new (&attachments_[rank]) AttachmentTable;
}

}  // namespace starling::rma
