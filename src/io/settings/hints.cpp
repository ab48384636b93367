// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/settings/hints.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace starling::io {
namespace {

STARLING_CONFIG(buffer_bytes, "IO_BUFFER", std::int64_t, 4 * 1024 * 1024, kProcess, kProcess,
                "Bytes of the buffer through which an aggregator of collective I/O reads and writes; the info key "
                "cb_buffer_size of a file overrides it.");
STARLING_CONFIG(aggregators, "IO_AGGREGATORS", std::int64_t, 0, kProcess, kProcess,
                "Ranks that read and write for all in collective I/O, 0 for one on each core; the info key cb_nodes of "
                "a file overrides it.");

constexpr std::int64_t kSmallestBuffer = 4096;

/// Reserved by the standard, or set by programs everywhere, and only reported here.
constexpr std::array<std::string_view, 13> kKept = {
    "access_style",  "cb_block_size",      "chunked",           "chunked_item", "chunked_size",
    "filename",      "io_node_list",       "nb_proc",           "num_io_nodes", "striping_factor",
    "striping_unit", "ind_rd_buffer_size", "ind_wr_buffer_size"};

template <typename Number>
std::optional<Number> number(std::string_view text, int base = 10) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Buffering> buffering(std::string_view text) {
  if (text == "true" || text == "enable") return Buffering::kAlways;
  if (text == "false" || text == "disable") return Buffering::kNever;
  if (text == "automatic") return Buffering::kAutomatic;
  return std::nullopt;
}

const char* text_of(Buffering buffering) {
  switch (buffering) {
    case Buffering::kAlways: return "enable";
    case Buffering::kNever: return "disable";
    default: return "automatic";
  }
}

}  // namespace

Hints::Hints(const config::Store& config) {
  collective.buffer_bytes = std::max(config.get(buffer_bytes), kSmallestBuffer);
  collective.aggregators = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(config.get(aggregators), 0, std::numeric_limits<std::int32_t>::max()));
}

void Hints::keep(const std::string& key, const std::string& value) {
  const auto same = std::find_if(kept_.begin(), kept_.end(), [&](const auto& pair) { return pair.first == key; });
  if (same == kept_.end()) {
    kept_.emplace_back(key, value);
  } else {
    same->second = value;
  }
}

void Hints::take(const std::string& key, const std::string& value) {
  if (key == "cb_buffer_size") {
    const auto bytes = number<std::int64_t>(value);
    if (bytes && *bytes > 0) collective.buffer_bytes = std::max(*bytes, kSmallestBuffer);
  } else if (key == "cb_nodes") {
    const auto ranks = number<std::int32_t>(value);
    if (ranks && *ranks > 0) collective.aggregators = *ranks;
  } else if (key == "file_perm") {
    if (const auto bits = number<std::uint32_t>(value, 8); bits && *bits <= 07777) permissions_ = *bits;
  } else if (key == "collective_buffering") {
    if (const auto both = buffering(value)) collective.reads = collective.writes = *both;
  } else if (key == "romio_cb_read") {
    if (const auto reads = buffering(value)) collective.reads = *reads;
  } else if (key == "romio_cb_write") {
    if (const auto writes = buffering(value)) collective.writes = *writes;
  } else if (std::find(kKept.begin(), kKept.end(), key) != kKept.end()) {
    keep(key, value);
  }
}

void Hints::take(const InfoPairs& pairs) {
  for (const auto& [key, value] : pairs) take(key, value);
}

InfoPairs Hints::pairs() const {
  InfoPairs all = kept_;
  all.emplace_back("cb_buffer_size", std::to_string(collective.buffer_bytes));
  if (collective.aggregators > 0) all.emplace_back("cb_nodes", std::to_string(collective.aggregators));
  all.emplace_back("romio_cb_read", text_of(collective.reads));
  all.emplace_back("romio_cb_write", text_of(collective.writes));
  if (collective.reads == collective.writes && collective.reads != Buffering::kAutomatic) {
    all.emplace_back("collective_buffering", collective.reads == Buffering::kAlways ? "true" : "false");
  }
  return all;
}

}  // namespace starling::io
