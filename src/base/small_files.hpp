// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says of itself in small files, and the affinity mask.
// Thread safety: no shared state.
#pragma once

#include <string>
#include <vector>

namespace starling {

/// The start of a small file; empty when it cannot be read.
[[nodiscard]] std::string read_small_file(const std::string& path);

/// All of a file, also of one whose length nobody knows, as those in /proc; what could be read where reading fails, as
/// it does when a process ends meanwhile.
[[nodiscard]] std::string read_whole_file(const std::string& path);

/// The hardware threads that the calling thread may use; empty when the kernel does not say.
[[nodiscard]] std::vector<unsigned> affinity_threads();

}  // namespace starling
