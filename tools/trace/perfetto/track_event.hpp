// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TrackEventRead: an event of a file that is read, with its annotations.
// Thread safety: a value, a pure function.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/model/timeline_sink.hpp"
#include "trace/perfetto/interned_words.hpp"

namespace starling::trace::perfetto {

/// A packet's field TrackEvent, with its annotations.
struct TrackEventRead {
  std::uint64_t type = 0;
  std::uint64_t track = 0;
  std::uint64_t name = 0;
  std::uint64_t flow = 0;
  Category category = Category::kNone;
  std::int32_t peer = kNoRank;
  std::int32_t tag = -1;
  std::int32_t root = -1;
  std::int32_t culprit = kNoRank;
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;
  std::uint64_t count = 0;
  std::uint32_t context = 0;
  std::uint32_t skipped = 0;
  std::uint64_t function = 0;  ///< a value's number
  std::uint64_t site = 0;      ///< a value's number
  bool inferred = false;
  RankUsage usage;
  HostTotals host;
};

/// Of the text of a packet's field TrackEvent. False: it is damaged.
bool read_track_event(std::string_view text, const InternedWords& words, TrackEventRead* event);

}  // namespace starling::trace::perfetto
