// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/two_phase/domains.hpp"

#include <algorithm>
#include <limits>

#include "memory/page.hpp"

namespace starling::io {
namespace {

/// Stretches of this length are as cheap to write one by one as to send to another rank.
constexpr std::int64_t kLongRun = 32 * 1024;
/// Aggregators go through all of the file between the first and the last byte; where data are this rare each rank goes
/// to its own.
constexpr std::int64_t kSparse = 64;
/// Domains begin where pages of the file's cache do, so that two aggregators never share one.
constexpr auto kPage = static_cast<std::int64_t>(memory::kPage);

std::int64_t round_up(std::int64_t value) { return (value + kPage - 1) / kPage * kPage; }

FileRange union_of(const std::vector<AccessShare>& shares) {
  FileRange all{std::numeric_limits<std::int64_t>::max(), 0};
  for (const AccessShare& share : shares) {
    if (share.range.empty()) continue;
    all.first = std::min(all.first, share.range.first);
    all.end = std::max(all.end, share.range.end);
  }
  if (all.empty()) return {};
  all.first = all.first / kPage * kPage;
  return all;
}

bool is_sparse(const std::vector<AccessShare>& shares) {
  const FileRange all = union_of(shares);
  std::int64_t bytes = 0;
  for (const AccessShare& share : shares) bytes += share.bytes;
  return (all.end - all.first) / kSparse > bytes + kPage;
}

bool interleave(const std::vector<AccessShare>& shares) {
  std::vector<FileRange> ranges;
  for (const AccessShare& share : shares) {
    if (!share.range.empty()) ranges.push_back(share.range);
  }
  std::sort(ranges.begin(), ranges.end(), [](const FileRange& a, const FileRange& b) { return a.first < b.first; });
  return std::adjacent_find(ranges.begin(), ranges.end(),
                            [](const FileRange& a, const FileRange& b) { return a.end > b.first; }) != ranges.end();
}

}  // namespace

bool pays_to_share(const std::vector<AccessShare>& shares, Buffering wish) noexcept {
  const bool possible =
      std::all_of(shares.begin(), shares.end(), [](const AccessShare& share) { return share.can_share != 0; });
  if (!possible || wish == Buffering::kNever || is_sparse(shares)) return false;
  if (wish == Buffering::kAlways) return true;
  const bool small = std::any_of(shares.begin(), shares.end(), [](const AccessShare& share) {
    return share.bytes > 0 && share.run_bytes < kLongRun && share.run_bytes < share.bytes;
  });
  return small && interleave(shares);
}

Domains::Domains(const std::vector<AccessShare>& shares, const CollectiveHints& hints,
                 std::vector<std::int32_t> aggregators)
    : all_(union_of(shares)), aggregators_(std::move(aggregators)) {
  const std::int64_t count = this->aggregators();
  domain_bytes_ = round_up((all_.end - all_.first + count - 1) / count);
  window_bytes_ = round_up(std::max<std::int64_t>(hints.buffer_bytes, 1));
  rounds_ = (domain_bytes_ + window_bytes_ - 1) / window_bytes_;
}

std::int32_t Domains::aggregator_of(std::int32_t rank) const noexcept {
  const auto found = std::find(aggregators_.begin(), aggregators_.end(), rank);
  return found != aggregators_.end() ? static_cast<std::int32_t>(found - aggregators_.begin()) : -1;
}

FileRange Domains::window(std::int32_t aggregator, std::int64_t round) const noexcept {
  const std::int64_t domain = all_.first + aggregator * domain_bytes_;
  const std::int64_t first = domain + round * window_bytes_;
  return {first, std::min({first + window_bytes_, domain + domain_bytes_, all_.end})};
}

}  // namespace starling::io
