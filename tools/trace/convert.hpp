// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The log of a traced job, made into a file for https://ui.perfetto.dev, or into a page of HTML.
// Thread safety: no shared state. Memory: bounded (analysis/timeline.hpp); the log itself stays in its file.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"
#include "trace/model/site_namer.hpp"

namespace starling::trace {

/// Whether a trace may be written there, before the job runs. Leaves what is there as it is.
Status check_trace_path(const std::string& path);

/// Makes the log at log_path (observe/event_log.hpp) into the trace at trace_path. Appends to notes what the user
/// should know: what is missing in it. A trace that could not be written to its end holds what was written.
/// Without a namer the places of calls are shown by their addresses.
Status convert_log(const std::string& log_path, const std::string& trace_path, std::vector<std::string>* notes,
                   const SiteNamer& name_site = nullptr);

/// Makes the log into a page that says what the job did (report/page.hpp). Appends to notes as convert_log does.
Status report_log(const std::string& log_path, const std::string& page_path, std::vector<std::string>* notes,
                  const SiteNamer& name_site = nullptr);

/// Makes a trace into such a page.
Status report_trace(const std::string& trace_path, const std::string& page_path);

}  // namespace starling::trace
