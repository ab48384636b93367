// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ConnectedJobs: processes of several jobs that a connection joins, as a communicator sees them. The processes of one
// job need none: their world ranks say all. A communicator whose processes are not all of this job belongs to one such
// connection: its messages and its context ids are the connection's.
//
// Owned by its communicators; world/ makes it and closes the connection once the last of them is gone.
// Thread safety: immutable, but for collective_policy: the holder of the world's lock.
// Invariants: the context ids of its communicators lie between first_context and first_context + kContexts in this
// process; in messages between processes they count from 0, because each process gives a connection another range.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "base/ref.hpp"
#include "comm/extension.hpp"
#include "comm/shared_domain.hpp"
#include "config/config.hpp"

namespace starling::comm {

class ConnectedJobs final : public RefCounted<ConnectedJobs> {
 public:
  /// A process of the connection. Their order is the same in all of them.
  struct Member {
    ProcessId process;
    PeerId peer;
    std::int32_t node = 0;
  };
  /// Context ids of one connection.
  static constexpr std::uint32_t kContexts = 1U << 20;
  /// Those below belong to communicators of the job, those from here on to connections, up to
  /// Communicator::kPartitioned.
  static constexpr std::uint32_t kFirstContext = 1U << 30;

  /// The nodes that the members are on.
  struct Nodes {
    std::int32_t count = 1;
    std::int32_t own = 0;           ///< that of this process
    std::int32_t fewest_cores = 1;  ///< that the members on any of them may use
  };
  /// What all members know alike, and the number from which this process counts their contexts.
  struct Facts {
    std::uint64_t id = 0;
    std::uint32_t first_context = 0;
    Nodes nodes;
  };

  /// domain: the memory that the members on this node share. connection: is kept alive as long as a communicator is
  /// here. config: the process's own, except that settings of Scope::kAllAlike are those of the whole connection.
  ConnectedJobs(const Facts& facts, std::vector<Member> members, Ref<SharedDomain> domain, config::Store config,
                std::shared_ptr<void> connection)
      : facts_(facts),
        members_(std::move(members)),
        domain_(std::move(domain)),
        config_(std::move(config)),
        connection_(std::move(connection)) {
    for (std::size_t place = 0; place < members_.size(); ++place) {
      places_.emplace(members_[place].process, static_cast<std::int32_t>(place));
    }
  }

  /// The same in all members, and in no other connection.
  [[nodiscard]] std::uint64_t id() const noexcept { return facts_.id; }
  [[nodiscard]] const Nodes& nodes() const noexcept { return facts_.nodes; }
  /// Of the members on this node.
  [[nodiscard]] const Ref<SharedDomain>& shared_domain() const noexcept { return domain_; }
  [[nodiscard]] const config::Store& config() const noexcept { return config_; }
  [[nodiscard]] std::uint32_t first_context() const noexcept { return facts_.first_context; }
  [[nodiscard]] bool has(ProcessId process) const { return places_.contains(process); }
  /// The place of a member in the order that all members know.
  [[nodiscard]] std::int32_t place_of(ProcessId process) const { return places_.at(process); }
  [[nodiscard]] PeerId peer_of(ProcessId process) const {
    return members_[static_cast<std::size_t>(place_of(process))].peer;
  }
  /// The number of its node among those of the connection.
  [[nodiscard]] std::int32_t node_of(ProcessId process) const {
    return members_[static_cast<std::size_t>(place_of(process))].node;
  }

  /// What collective/ keeps here: how the communicators run their calls.
  std::unique_ptr<Extension> collective_policy;

 private:
  Facts facts_;
  std::vector<Member> members_;
  Ref<SharedDomain> domain_;
  config::Store config_;
  std::unordered_map<ProcessId, std::int32_t> places_;
  std::shared_ptr<void> connection_;
};

}  // namespace starling::comm
