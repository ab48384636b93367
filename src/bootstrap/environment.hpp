// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The variables through which the launcher speaks to its ranks. All begin with STARLING_JOB_, a prefix that the
// configuration leaves alone.
#pragma once

namespace starling::bootstrap {

inline constexpr const char* kSegmentVariable = "STARLING_JOB_FD";   ///< descriptor of the job segment
inline constexpr const char* kEventVariable = "STARLING_JOB_EVENT";  ///< socket that wakes the launcher
inline constexpr const char* kRankVariable = "STARLING_JOB_RANK";
/// In a job that a rank of another job spawned: the address of the segment where the two meet or, behind this prefix,
/// the door at which that rank is called from other hosts (world/connection/port_door.hpp).
inline constexpr const char* kParentVariable = "STARLING_JOB_PARENT";
inline constexpr const char* kParentDoorPrefix = "door:";
/// The error handler that the world begins with (mpi_initial_errhandler); unset: the standard's.
inline constexpr const char* kErrhandlerVariable = "STARLING_JOB_ERRHANDLER";
/// Set by a rank for the programs that it starts: "<rank> <pid>" of the rank they live in.
inline constexpr const char* kInsideVariable = "STARLING_JOB_INSIDE";
/// Descriptor of the job card (nodes/job_card.hpp), in a job on several nodes; unset: all ranks are on one node.
inline constexpr const char* kCardVariable = "STARLING_JOB_CARD";
/// "1" where the launcher's standard output is a terminal, which a rank behind a pipe cannot see for itself.
inline constexpr const char* kTerminalVariable = "STARLING_JOB_TERMINAL";
/// How many of the last ranks of its program are spares (mpiexec --spares); include/starling/spares.hpp reads it.
inline constexpr const char* kSparesVariable = "STARLING_JOB_SPARES";

/// The constants of the machine that the launcher has read (tuning/settings.hpp), so that all ranks choose alike;
/// empty: the defaults.
inline constexpr const char* kTuningVariable = "STARLING_JOB_TUNING";

inline constexpr const char* kJobVariables[] = {
    kSegmentVariable, kEventVariable,      kRankVariable,   kInsideVariable, kTerminalVariable,
    kParentVariable,  kErrhandlerVariable, kSparesVariable, kCardVariable,   kTuningVariable};

}  // namespace starling::bootstrap
