// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/launcher_settings.hpp"

namespace starling::bootstrap {
namespace {

STARLING_CONFIG(
    launch_deadline_ms, "LAUNCH_DEADLINE_MS", std::int64_t, 10'000, kProcess, kProcess,
    "Milliseconds that each host of a job has for each step of its start: to be reached and answer mpiexec, "
    "and to find the programs and open ports.");

}  // namespace

std::int64_t start_deadline_ms(const config::Store& config) { return config.get(launch_deadline_ms); }

}  // namespace starling::bootstrap
