// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ContextIds: the context ids that one rank takes for a new communicator and tells the others, or the reason for none.
// Thread safety: a value type.
#pragma once

#include <cstdint>

#include "world/world.hpp"

namespace starling::world {

struct ContextIds {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t first = kNone;  ///< travels between ranks
  Status taken;                 ///< why the rank that had to take some got none

  static ContextIds take(World& world, const Ref<comm::SharedDomain>& domain, std::uint32_t count) {
    ContextIds ids;
    Result<std::uint32_t> first = world.take_context_ids(domain.get(), count);
    if (first.ok()) {
      ids.first = first.value();
    } else {
      ids.taken = std::move(first).status();
    }
    return ids;
  }

  /// Once `first` has travelled: the id as this process counts.
  [[nodiscard]] Result<std::uint32_t> agreed(const Ref<comm::SharedDomain>& domain) const {
    if (!taken.ok()) return Status::error(taken.error_class(), taken.message());
    if (first != kNone) return first + (domain ? domain->first_context() : 0);
    return Status::error(ErrorClass::kIntern,
                         "the rank that had to take a context id for the new communicator got none; its own message "
                         "says why");
  }
};

}  // namespace starling::world
