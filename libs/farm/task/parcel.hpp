// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Parcel: where data are that did not come along with their task. A task that is `away` has a Slice of a Parcel as its
// value.
//
// Thread safety: plain data.
#pragma once

#include <cstdint>
#include <cstring>
#include <starling/farm/buffer.hpp>

namespace starling::farm {

/// What is no larger goes with its task: to fetch it would cost more than to carry it.
inline constexpr std::size_t kSmallData = 128;

struct Parcel {
  std::int32_t place;   ///< Of the process that has the data,
  std::int32_t deaths;  ///< before which so many had died in that place.
  std::uint64_t key;    ///< Among all that it has.
};

/// A piece has the number that its Input gave it, a result that of its task.
inline constexpr std::uint64_t kResultKey = std::uint64_t{1} << 63;

inline Slice slice_of(const Parcel& parcel) {
  auto bytes = std::make_shared<Buffer>();
  bytes->append(&parcel, sizeof parcel);
  return {std::move(bytes), 0, sizeof parcel};
}
inline Parcel parcel_of(const Slice& slice) {
  Parcel parcel{-1, 0, 0};
  if (slice.size == sizeof parcel) std::memcpy(&parcel, slice.data(), sizeof parcel);
  return parcel;
}

}  // namespace starling::farm
