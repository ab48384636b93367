// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One word that names a host: NAME, USER@NAME, NAME:SLOTS, [IPV6]:SLOTS. A name goes to a remote shell as a word of its
// command line, so it has no character that is special to a shell and does not begin with a dash.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "launch/hosts/host.hpp"

namespace starling::launch {

/// What a word names; no slots where it has no number. An error is a sentence about the word without where it stands.
Result<Host> parse_host(std::string_view word);

/// A number of slots, from 1 on; a larger one than Linux has process numbers is refused.
Result<std::uint32_t> parse_slots(std::string_view text);

/// A word of a file or a command line as a message shows it: cut when it is long, and without control characters.
[[nodiscard]] std::string shown_word(std::string_view word);

}  // namespace starling::launch
