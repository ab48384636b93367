// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a job card: tables that a process reads where they lie, so that all ranks of a node share one copy. What
// many ranks have in common stands in it once: a rank's entrance is the number of an address, and a port.
//
// Layout: JobCardHeader, then the tables in the order of its counts, then all texts. Thread safety: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/id.hpp"
#include "memory/placement.hpp"

namespace starling::bootstrap {

/// A stretch of the texts.
struct TextPlace {
  std::uint32_t begin = 0;
  std::uint32_t bytes = 0;
};

/// An address at which ranks of a host listen.
struct AddressRow {
  TextPlace before_port;  ///< "10.0.0.1:"
  TextPlace interface;
};

struct EntranceRow {
  std::uint32_t address = 0;  ///< its number
  std::uint32_t port = 0;     ///< 0: the text of the address is all there is
};

struct JobCardHeader {
  /// The first word: a library and a launcher of different builds understand each other, or say that they do not.
  static constexpr std::string_view kFormat = "starling-card-2";

  std::uint64_t format_bytes = kFormat.size();
  std::array<char, 16> format{};
  std::uint64_t job = 0;
  std::array<std::byte, 32> secret{};
  std::int32_t own_node = 0;

  // How many rows each table has.
  std::uint32_t nodes = 0;          ///< memory::PlacementTables::NodeRow
  std::uint32_t hosts = 0;          ///< TextPlace, of each node
  std::uint32_t ranks = 0;          ///< WorldRank, of all nodes
  std::uint32_t app_numbers = 0;    ///< std::int32_t, of the same ranks
  std::uint32_t places = 0;         ///< memory::Place, by world rank
  std::uint32_t entrance_ends = 0;  ///< std::uint32_t, by world rank: where its entrances end, and the next one's begin
  std::uint32_t entrances = 0;      ///< EntranceRow
  std::uint32_t addresses = 0;      ///< AddressRow
  std::uint32_t listener_ends = 0;  ///< std::uint32_t, by local rank; none while the card travels between hosts
  std::uint32_t listeners = 0;      ///< std::int32_t: descriptors
  std::uint32_t text_bytes = 0;
};
static_assert(sizeof(JobCardHeader) == 112 && sizeof(AddressRow) == 16 && sizeof(EntranceRow) == 8,
              "told apart by kFormat");

}  // namespace starling::bootstrap
