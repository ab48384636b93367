// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// GivenNetwork: a network that whoever starts the ranks brings along, as the simulator does (src/simulate). It makes
// each rank's transport. Thread safety: as its maker says.
#pragma once

#include <memory>

#include "base/status.hpp"
#include "transport/surroundings.hpp"
#include "transport/transport.hpp"

namespace starling::transport {

class GivenNetwork {
 public:
  /// The transport of surroundings.rank to all other ranks, at the address of each rank's number.
  [[nodiscard]] virtual Result<std::unique_ptr<Transport>> join(const Surroundings& surroundings) = 0;

  static std::optional<Address> reaches(const Surroundings& surroundings, WorldRank rank) {
    if (surroundings.networks.given == nullptr || rank == surroundings.rank) return std::nullopt;
    return Address(rank.value);
  }
  static Result<std::unique_ptr<Transport>> create(const Surroundings& surroundings) {
    return surroundings.networks.given->join(surroundings);
  }

 protected:
  ~GivenNetwork() = default;
};

}  // namespace starling::transport
