// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where this program's own companions lie: beside it in a build folder, in libexec once installed.
// Thread safety: reads the file system.
#pragma once

#include <string>

namespace starling::launch {

/// The full path of this program; empty where /proc does not tell.
[[nodiscard]] std::string own_path();

/// The full path of a helper program of ours; empty when it is missing.
[[nodiscard]] std::string find_helper(const std::string& name);

}  // namespace starling::launch
