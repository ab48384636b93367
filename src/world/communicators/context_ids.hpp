// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ContextIds: the context ids that one rank takes for new communicators and tells the others, or the reason for none.
// ContextIdRange: those ids, once all know them, as this process counts. Thread safety: value types.
#pragma once

#include <cstdint>

#include "world/world.hpp"

namespace starling::world {

struct ContextIdRange {
  std::uint32_t first = 0;
  std::uint32_t step = 2;  ///< from one id to the next

  [[nodiscard]] std::uint32_t at(std::uint32_t index) const noexcept { return first + index * step; }
  [[nodiscard]] ContextIdRange from(std::uint32_t index) const noexcept { return {at(index), step}; }
};

struct ContextIds {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t first = kNone;  ///< travels between ranks
  Status taken;                 ///< why the rank that had to take some got none

  static ContextIds take(World& world, const Ref<comm::ConnectedJobs>& jobs, std::uint32_t count) {
    ContextIds ids;
    Result<std::uint32_t> first = world.take_context_ids(jobs.get(), count);
    if (first.ok()) {
      ids.first = first.value();
    } else {
      ids.taken = std::move(first).status();
    }
    return ids;
  }

  /// Once `first` has travelled.
  [[nodiscard]] Result<ContextIdRange> agreed(const World& world, const Ref<comm::ConnectedJobs>& jobs) const {
    if (!taken.ok()) return Status::error(taken.error_class(), taken.message());
    if (first != kNone) {
      return ContextIdRange{first + (jobs ? jobs->first_context() : 0), world.context_id_step(jobs.get())};
    }
    return Status::error(ErrorClass::kIntern,
                         "the rank that had to take a context id for the new communicator got none; its own message "
                         "says why");
  }
};

}  // namespace starling::world
