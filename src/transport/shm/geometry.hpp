// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How much shared memory a job's connections take: computed by whoever creates the job segment, read by every rank from
// its header, so that all agree even if their environments differ.
#pragma once

#include <cstdint>
#include <span>

#include "config/config.hpp"
#include "memory/job_segment.hpp"
#include "transport/shm/postbox.hpp"

namespace starling::transport::shm {

/// The geometry that the configuration asks for, rounded to what the layout needs; of a job whose ranks are all here.
[[nodiscard]] memory::JobGeometry geometry(std::uint32_t ranks, const config::Store& config);

/// One connection's memory, cut into its parts.
struct ConnectionView {
  ConnectionHead* head;
  Postbox* postboxes;
  std::span<std::byte> buffers;  ///< empty where buffers are in the sender's pool
  std::span<std::byte> eager;    ///< head and postboxes: what must be real before the first message
};
[[nodiscard]] ConnectionView view(const memory::JobSegment& segment, LocalRank receiver, LocalRank sender);

}  // namespace starling::transport::shm
