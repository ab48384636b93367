// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What an Address of the shared-memory transport counts: local ranks of the segment. Thread safety: pure functions.
#pragma once

#include "base/id.hpp"
#include "transport/address.hpp"

namespace starling::transport::shm {

[[nodiscard]] constexpr Address address_of(LocalRank rank) noexcept { return Address(rank.value); }
[[nodiscard]] constexpr LocalRank rank_at(Address address) noexcept { return LocalRank(address.value); }

}  // namespace starling::transport::shm
