// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// View: what a thread of a simulated program knows: how far it has come in the history of each atomic object, and in
// the course of each thread.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace starling::weak {

inline constexpr std::size_t kMostThreads = 4;
/// Atomic objects that more than one thread touches.
inline constexpr std::size_t kMostObjects = 96;

/// For each object the least place in its history that may still be read.
using Places = std::array<std::uint16_t, kMostObjects>;
/// For each thread up to which of its times its accesses have happened before.
using Times = std::array<std::uint16_t, kMostThreads>;

struct View {
  Places places{};
  Times times{};
};

inline void join(Places& into, const Places& other) noexcept {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}
inline void join(View& into, const View& other) noexcept {
  join(into.places, other.places);
  for (std::size_t i = 0; i < into.times.size(); ++i) into.times[i] = std::max(into.times[i], other.times[i]);
}

}  // namespace starling::weak
