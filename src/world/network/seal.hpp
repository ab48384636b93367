// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Seal: carries a new secret to processes that know another one already, over a network that others can read: the new
// secret is combined with a proof of the old one about a number that is used once. Who does not know the old secret
// learns nothing; who can change packets can make it a wrong one, with which no connection comes about.
// Thread safety: pure functions.
#pragma once

#include "base/status.hpp"
#include "transport/tcp/proofs.hpp"

namespace starling::world {

struct Seal {
  transport::tcp::Nonce nonce{};
  transport::tcp::Secret sealed{};

  /// key: null where nothing needs a seal, because the way is shared memory.
  static Result<Seal> close(const transport::tcp::Secret& secret, const transport::tcp::Secret* key);
  [[nodiscard]] Result<transport::tcp::Secret> open(const transport::tcp::Secret* key) const;
};
static_assert(sizeof(Seal) == 48, "travels between processes");

}  // namespace starling::world
