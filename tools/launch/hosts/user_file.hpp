// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A file that the command names, as a host file: a folder, a device without end and one that may not be read are
// mistakes of the user's, and said as such.
// Thread safety: reads the file system; no shared state.
#pragma once

#include <string>

#include "base/status.hpp"

namespace starling::launch {

/// All of it. The message of an error goes on from "the file 'NAME'": "cannot be read: Is a directory", that it has
/// more than 16 MiB, or that it is no text.
Result<std::string> read_user_file(const std::string& path);

}  // namespace starling::launch
