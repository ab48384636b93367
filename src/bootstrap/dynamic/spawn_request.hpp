// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SpawnRequest: a rank's request to a launcher of its own: the programs of a new job, and the segment through which the
// two jobs connect. It travels in an unnamed file whose descriptor the launcher inherits, because a command line
// could not carry every argument (":" divides programs there).
//
// Layout of the file: words, each ended by a zero byte: kFormat, address, door, number of commands, then for each:
// ranks, host, folder, path, error handler, number of words of argv, argv. Thread safety: a value type;
// start_launcher() may be called from any thread.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"
#include "bootstrap/segment_address.hpp"

namespace starling::bootstrap {

/// One command of MPI_Comm_spawn_multiple, with what its info object says.
struct SpawnCommand {
  std::uint32_t ranks = 1;
  std::string host;               ///< where it shall run, as --host of mpiexec takes it; empty: here
  std::string folder;             ///< where it runs; empty: here
  std::string path;               ///< folders to look for the program in, divided by ":"; empty: PATH
  std::string errhandler;         ///< mpi_initial_errhandler; empty: the standard's
  std::vector<std::string> argv;  ///< program and arguments
};

struct SpawnRequest {
  /// The first word: a library and a launcher of different builds understand each other, or say that they do not.
  static constexpr const char* kFormat = "starling-spawn-3";

  SegmentAddress meeting;  ///< place 0 is the rank that asks, place 1 the first of the new job
  std::string door;        ///< where the rank that asks is called from other hosts; empty: nowhere
  std::vector<SpawnCommand> commands;

  [[nodiscard]] std::string serialised() const;
  static Result<SpawnRequest> parse(const std::string& bytes);
};

/// The option under which the launcher gets the number of the descriptor.
inline constexpr const char* kSpawnOption = "--serve-spawn";

/// Starts a launcher for the request, which leaves this process at once: it becomes a child of the process that
/// adopts orphans here, so the program's own wait() never returns it. launcher_pid: of the launcher that started us, or
/// 0.
Status start_launcher(const SpawnRequest& request, std::int32_t launcher_pid);

}  // namespace starling::bootstrap
