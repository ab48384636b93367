// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The line of transport/choose for libfabric. Thread safety: as TransportKind.
#pragma once

#include <memory>
#include <optional>

#include "base/id.hpp"
#include "base/status.hpp"
#include "transport/surroundings.hpp"
#include "transport/transport.hpp"

namespace starling::transport::ofi {

std::optional<Address> reaches(const Surroundings& surroundings, WorldRank rank);
Result<std::unique_ptr<Transport>> create(const Surroundings& surroundings);

}  // namespace starling::transport::ofi
