// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The socket by which a launcher process of a job on several hosts is known on its machine: mpiexec's worker answers
// questions at it, and the name of an agent's says where mpiexec runs.
//
// The sockets are abstract ones, which leave no file behind. Their names end in a random number; they are found by the
// descriptors of the process that has bound them, so nobody else can stand in for it, whatever namespaces of processes
// and files both are in. Only the namespace of the network must be the same.
// Thread safety: reads /proc.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace starling::observe {

struct LauncherSocket {
  bool is_head = false;  ///< of mpiexec's worker; else of an agent
  std::string name;      ///< of the socket, without the zero byte in front
  std::string host;      ///< of an agent: where mpiexec runs
  pid_t mpiexec = 0;     ///< ... and its process there
};

/// A name for the socket of mpiexec's worker.
[[nodiscard]] std::string head_socket_name();
/// A name for the socket of an agent.
[[nodiscard]] std::string part_socket_name(const std::string& host, pid_t mpiexec);

/// A name for the socket at which ranks of another MPI get their places (observe/join.hpp).
[[nodiscard]] std::string see_socket_name();

/// Nothing: not a name of a launcher of ours.
[[nodiscard]] std::optional<LauncherSocket> parse_socket_name(const std::string& name);

/// The socket of a process; nothing: it has none, or its descriptors may not be read.
[[nodiscard]] std::optional<LauncherSocket> socket_of(pid_t process);

/// Whether this process reaches the sockets of another: both are in one namespace of the network. True where that
/// cannot be known.
[[nodiscard]] bool shares_network_with(pid_t process);

}  // namespace starling::observe
