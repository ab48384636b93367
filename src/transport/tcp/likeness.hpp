// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Likeness: what a rank says of itself so that it and another can find out whether they understand each other, and the
// sentence where they do not. Thread safety: values.
#pragma once

#include <string>

#include "transport/tcp/handshake.hpp"
#include "transport/tcp/roster.hpp"

namespace starling::transport::tcp {

struct Likeness {
  Alike alike;
  SettingsText settings{};
};

/// Why a rank and another one, which differ, cannot exchange messages, and what to do.
[[nodiscard]] std::string text_of_unlikeness(const Roster& roster, WorldRank own, WorldRank peer,
                                             const Likeness& peers);

}  // namespace starling::transport::tcp
