// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Settings of a loop::Network: how slow and how narrow its links are. Thread safety: a value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling::transport::loop {

enum class Delay : std::uint8_t {
  kFixed,   ///< every packet takes delay_us
  kRandom,  ///< each packet takes a time of its own, up to delay_us
};

struct Settings {
  std::int64_t delay_us = 0;
  Delay delay = Delay::kFixed;
  std::uint64_t seed = 0;  ///< of random delays

  // No multiples of those of shared memory, so that no code depends on the sizes there.
  std::size_t max_payload = 6000;  ///< of a packet, bytes
  std::size_t max_inline = 200;
  std::size_t link_packets = 48;  ///< under way from one rank to another
  std::size_t link_bytes = 50'000;
  std::size_t whole_up_to = SIZE_MAX;  ///< longer payloads arrive in two parts
  std::size_t at_once = 0;  ///< of a contiguous packet that an empty link takes, part after part, as a socket does
};

}  // namespace starling::transport::loop
