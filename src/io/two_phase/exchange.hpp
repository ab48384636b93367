// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Exchange: the messages between the ranks of a collective access and its aggregators in one round.
//
// For each window that a rank's data meet it sends a header, with the first stripes in it, then the other stripes, and
// for a write the packed data; for a read the aggregator answers with these. All messages of a pair are in this order.
// Thread safety: an object belongs to one coroutine.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "collective/coroutine/call.hpp"
#include "collective/coroutine/task.hpp"
#include "io/operation/operation.hpp"
#include "io/two_phase/domains.hpp"
#include "io/two_phase/stripes.hpp"

namespace starling::io {

struct ExchangeHeader {
  static constexpr std::size_t kInline = 2;
  std::int64_t stripes = 0;
  std::int64_t bytes = 0;
  std::array<Stripe, kInline> first{};
};
static_assert(sizeof(ExchangeHeader) == 80, "headers travel between ranks");

/// The data of one rank in one window.
struct ExchangePart {
  std::int32_t peer = -1;  ///< on the aggregator the rank whose data these are, on that rank the aggregator
  ExchangeHeader header;
  std::vector<Stripe> stripes;
  std::unique_ptr<std::byte[]> packed;  ///< null: the data lie in place
  std::byte* data = nullptr;
  std::int64_t position = 0;  ///< on the rank whose data these are: in its buffer

  /// One stretch of the file: the window itself can hold it.
  [[nodiscard]] bool is_one_stretch() const noexcept { return header.stripes == 1 && stripes.front().count == 1; }
  void make_packed();
};

/// A list, for messages under way hold addresses of its elements.
using ExchangeParts = std::list<ExchangePart>;

/// This rank's parts in the windows of a round, of its first `bytes` bytes. range: what its share says, for aggregators
/// wait for a part in each window that meets it.
ExchangeParts own_parts(const Operation& operation, const FileRange& range, std::int64_t bytes, const Domains& domains,
                        std::int64_t round);

/// The header and the stripes.
void send_shape(collective::Call& call, collective::Batch& batch, ExchangePart& part);

/// On an aggregator: the shapes of all parts in its window.
collective::Task receive_shapes(collective::Call& call, const std::vector<AccessShare>& shares, const FileRange& window,
                                ExchangeParts& parts);

}  // namespace starling::io
