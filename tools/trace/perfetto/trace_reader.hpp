// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// read_trace: the timeline of a file that TraceWriter has written. A file of a killed job is read as far as it goes.
// Thread safety: no shared state. Memory: the words of the file and a call for each track.
#pragma once

#include <string>

#include "base/status.hpp"
#include "trace/model/timeline_sink.hpp"

namespace starling::trace::perfetto {

/// Tells the sink what is in the file. Fails where it is no such file; a note says where it ends too early.
Status read_trace(const std::string& path, TimelineSink& sink);

}  // namespace starling::trace::perfetto
