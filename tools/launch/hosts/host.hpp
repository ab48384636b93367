// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Hosts of a job as they are asked for, and the ranks that each of them gets. Thread safety: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"

namespace starling::launch {

/// No host has more: Linux has no more numbers for processes.
inline constexpr std::uint32_t kMostSlots = 4'000'000;

/// A host that a command line or a host file names.
struct Host {
  std::string name;                    ///< as it was written, without user and slots: "b", "10.0.0.2", "2001:db8::2"
  std::string user;                    ///< of user@host; empty: whoever the remote shell takes
  std::optional<std::uint32_t> slots;  ///< none: as many as the host has usable cores
  std::optional<std::uint32_t> max_slots;  ///< never more ranks than these

  friend bool operator==(const Host&, const Host&) = default;
};

/// How ranks are dealt to hosts.
enum class DealBy : std::uint8_t {
  kSlot,     ///< fill each host's slots before the next host
  kNode,     ///< one to each host in turn
  kByNumber  ///< so many to each host (-N, -ppn, --map-by ppr:K:node)
};

/// How a program is started on another host.
enum class ShellKind : std::uint8_t {
  kAutomatic,  ///< HostRequest::remote_shell if there is one, srun inside a Slurm allocation, else ssh
  kSsh,
  kRsh,
  kSrun
};

/// What the command line says about hosts.
struct HostRequest {
  std::vector<Host> hosts;  ///< each once; empty: this machine
  DealBy deal_by = DealBy::kSlot;
  std::uint32_t ranks_per_host = 0;  ///< with kByNumber
  bool may_exceed_slots = true;      ///< more ranks than slots are dealt in turn; else they are an error
  ShellKind shell_kind = ShellKind::kAutomatic;
  std::string remote_shell;  ///< --rsh-agent: called as CMD HOST COMMAND...; with kSrun: the program in place of srun

  friend bool operator==(const HostRequest&, const HostRequest&) = default;
};

/// The ranks that an application asks for, and where they may go.
struct RankRequest {
  std::uint32_t ranks = 0;  ///< 0: one for each slot
  std::vector<Host> hosts;  ///< only these, which HostRequest::hosts has, too; empty: any of those

  friend bool operator==(const RankRequest&, const RankRequest&) = default;
};

/// The ranks of a host, ascending, with the application that each of them runs (MPI_APPNUM).
struct HostShare {
  std::size_t host = 0;  ///< its place in HostRequest::hosts
  std::vector<WorldRank> ranks;
  std::vector<std::int32_t> app_numbers;

  friend bool operator==(const HostShare&, const HostShare&) = default;
};

/// The nodes of a job, in the order of HostRequest::hosts; a host without ranks is left out.
struct Allocation {
  std::vector<HostShare> shares;
  std::vector<std::uint32_t> ranks;  ///< of each application
  std::string note;  ///< a sentence that the user should see, as that there are more ranks than slots; empty: none

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

}  // namespace starling::launch
