// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The late-rank table that a run ends with.
//
// Thread safety: pure, but for print_from_all, which is collective over MPI_COMM_WORLD.
#pragma once

#include <string>

#include "channel.hpp"

namespace starling::pap {

/// One kind of call: where it is, how often, the time in it, the time lost to lateness, who was late and by how much,
/// what was saved.
std::string channel_line(const Channel& channel);

/// This process's calls by site, with those that no schedule is for.
std::string site_lines(const Recorder& recorder, double cycle_s);

/// Rank 0 prints what all have to say.
void print_from_all(const std::string& lines);

}  // namespace starling::pap
