// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/two_phase/exchange.hpp"

#include <algorithm>

namespace starling::io {

void ExchangePart::make_packed() {
  packed = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(header.bytes));
  data = packed.get();
}

ExchangeParts own_parts(const Operation& operation, const FileRange& range, std::int64_t bytes, const Domains& domains,
                        std::int64_t round) {
  ExchangeParts parts;
  const View& view = operation.view();
  const std::int64_t first = operation.position();
  for (std::int32_t aggregator = 0; aggregator < domains.aggregators(); ++aggregator) {
    const FileRange window = domains.window(aggregator, round);
    if (!window.meets(range)) continue;
    const std::int64_t begin = view.first_behind(window.first, first, bytes);
    const std::int64_t end = view.first_behind(window.end, first, bytes);
    ExchangePart& part = parts.emplace_back();
    part.peer = domains.rank_of(aggregator);
    part.position = begin - first;
    part.stripes = stripes_of(view, begin, end - begin);
    part.header.stripes = static_cast<std::int64_t>(part.stripes.size());
    part.header.bytes = end - begin;
    std::copy_n(part.stripes.begin(), std::min(part.stripes.size(), ExchangeHeader::kInline),
                part.header.first.begin());
  }
  return parts;
}

namespace {

std::int64_t bytes_of_further_stripes(const ExchangePart& part) {
  const auto sent = static_cast<std::int64_t>(ExchangeHeader::kInline);
  return std::max<std::int64_t>(part.header.stripes - sent, 0) * static_cast<std::int64_t>(sizeof(Stripe));
}

}  // namespace

void send_shape(collective::Call& call, collective::Batch& batch, ExchangePart& part) {
  batch.add(call.send_bytes(&part.header, sizeof part.header, part.peer));
  if (const std::int64_t further = bytes_of_further_stripes(part)) {
    batch.add(call.send_bytes(part.stripes.data() + ExchangeHeader::kInline, further, part.peer));
  }
}

collective::Task receive_shapes(collective::Call& call, const std::vector<AccessShare>& shares, const FileRange& window,
                                ExchangeParts& parts) {
  collective::Batch headers(call);
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    if (!shares[static_cast<std::size_t>(rank)].range.meets(window)) continue;
    ExchangePart& part = parts.emplace_back();
    part.peer = rank;
    headers.add(call.receive_bytes(&part.header, sizeof part.header, rank));
  }
  co_await headers;
  collective::Batch all_further(call);
  for (ExchangePart& part : parts) {
    part.stripes.resize(static_cast<std::size_t>(part.header.stripes));
    std::copy_n(part.header.first.begin(), std::min(part.stripes.size(), ExchangeHeader::kInline),
                part.stripes.begin());
    if (const std::int64_t further = bytes_of_further_stripes(part)) {
      all_further.add(call.receive_bytes(part.stripes.data() + ExchangeHeader::kInline, further, part.peer));
    }
  }
  co_await all_further;
}

}  // namespace starling::io
