// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A schedule as a drawing: processes down, time across, one colour for each segment.
#pragma once

#include <string>

#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"

namespace starling::tools {

/// An SVG document. Long stretches in which nothing happens are drawn short, with a broken axis.
std::string draw_schedule(const arrival::Pattern& pattern, const arrival::Schedule& schedule);

}  // namespace starling::tools
