// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the processes of the launcher change of themselves before they start anything: descriptors and their title.
// Thread safety: for single-threaded processes.
#pragma once

#include "commands.hpp"

namespace starling::tools {

/// Else the first files that we open would become somebody's standard output.
void open_missing_standard_descriptors();

/// An outer job's descriptors, inherited through a script, are not for our ranks.
void close_outer_job();

/// What ps and pkill see of the worker: not the command line, so that killing by it spares one of the two processes.
void take_worker_title(Arguments arguments);

}  // namespace starling::tools
