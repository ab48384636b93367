// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where clocks of several hosts still differ after their offsets are known, messages seem to arrive before they were
// sent. Each host is moved by a constant so that none does: a system of difference constraints, one for each direction
// between two hosts, solved by shortest paths (A. Duda, G. Harrus, Y. Haddad, G. Bernard: Estimating global time in
// distributed systems, 1987, has the constraints; R. Bellman, 1958, the paths). What no constants can mend stays and is
// counted.
// Thread safety: no shared state.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/log/log_clock.hpp"
#include "trace/log/trace_log.hpp"

namespace starling::trace {

/// The shortest time that a message seems to have taken from one host to another.
using ShortestTrips = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;

/// By how much each of the hosts is to be moved, so that no trip takes less than nothing; the first stays. Where no
/// such times exist, what comes nearest.
[[nodiscard]] std::vector<std::int64_t> host_shifts(std::int32_t hosts, const ShortestTrips& trips);

/// Moves the hosts of a log. Returns what is to be said of it; nothing with one host.
std::vector<std::string> correct_clocks(const TraceLog& log, LogClock* clock);

}  // namespace starling::trace
