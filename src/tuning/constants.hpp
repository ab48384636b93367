// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The constants of a machine that the cost model of the collectives is made of: what communication costs at each
// distance, and what does not depend on it. In nanoseconds, and nanoseconds for each byte.
//
// As text they are what all ranks of a job need alike: "near.line_ns=180 ... turn_ns=2500", in the order of the lists
// below; what is not there is as by default, and a distance of which nothing is there is as the next nearer one.
// Thread safety: values.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "tuning/distance.hpp"

namespace starling::tuning {

/// Of ranks at one distance.
struct LinkCosts {
  double message_ns;    ///< one small message, sent and received
  double next_ns;       ///< each further small message of several that come at once
  double send_ns;       ///< each further small message of several that go to several ranks at once
  double byte_ns;       ///< each byte of a message that is copied twice
  double long_ns;       ///< the start of a message that is copied once, straight from the sender's memory
  double long_byte_ns;  ///< each byte of such a message
  double line_ns;       ///< until a cache line that one core wrote is seen by another that waits
  double copy_byte_ns;  ///< each byte copied into or out of shared memory
  double fold_byte_ns;  ///< each byte folded in shared memory, piece by piece

  friend bool operator==(const LinkCosts&, const LinkCosts&) = default;
};

struct Constants {
  std::array<LinkCosts, kDistances> links;
  double own_byte_ns;     ///< each byte that a rank copies within its own memory
  double reduce_byte_ns;  ///< each byte of a whole vector that is combined with another
  double turn_ns;         ///< one switch between ranks that share a core, the wake-up of the next one included

  [[nodiscard]] const LinkCosts& at(Distance distance) const noexcept {
    return links[static_cast<std::size_t>(distance)];
  }
  friend bool operator==(const Constants&, const Constants&) = default;
};

/// A constant by its name.
template <typename Record>
struct Field {
  std::string_view name;
  double Record::*value;
  const char* sentence;
};
[[nodiscard]] std::span<const Field<LinkCosts>> link_fields() noexcept;
[[nodiscard]] std::span<const Field<Constants>> machine_fields() noexcept;

/// Without a tuning file. Measured on machines of two cores, and lying between near and far cores and between older and
/// newer processors; those of the network on two nodes of one machine.
[[nodiscard]] const Constants& default_constants() noexcept;

/// Which distances have costs of their own, for text that leaves out the others.
using Measured = std::array<bool, kDistances>;

[[nodiscard]] std::string text_of(const Constants& constants, const Measured& measured);
/// Empty text: the defaults. kArg names the word that is wrong.
[[nodiscard]] Result<Constants> parse_constants(std::string_view text);

}  // namespace starling::tuning
