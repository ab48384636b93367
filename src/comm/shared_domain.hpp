// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SharedDomain: processes of several jobs that share a segment, as a communicator sees them. The processes of one job
// need none: their world ranks say all. A communicator whose processes are not all of this job belongs to one
// shared domain: its messages, its context ids and its shared memory are the shared domain's.
//
// Owned by its communicators; world/ makes it and closes the connection once the last of them is gone.
// Thread safety: immutable, but for collective_policy: the holder of the world's lock.
// Invariants: the context ids of a shared domain's communicators lie between first_context and first_context +
// kContexts in this process; in messages between processes they count from 0, because each process gives a shared
// domain another range.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ref.hpp"
#include "comm/extension.hpp"
#include "config/config.hpp"
#include "memory/job_segment.hpp"

namespace starling::comm {

class SharedDomain final : public RefCounted<SharedDomain> {
 public:
  /// A process of the shared domain, by its place in the shared domain's segment.
  struct Member {
    std::int32_t process = 0;  ///< as groups name it in this process
    std::int32_t peer = 0;     ///< as p2p/ reaches it
  };
  /// Context ids of one shared domain.
  static constexpr std::uint32_t kContexts = 1U << 20;
  /// Those below belong to communicators of the job, those from here on to domains, up to Communicator::kPartitioned.
  static constexpr std::uint32_t kFirstContext = 1U << 30;

  /// connection: is kept alive as long as the domain has a communicator here.
  /// config: the process's own, except that settings of Scope::kAllAlike are those of the whole domain.
  SharedDomain(memory::JobSegment& segment, std::uint32_t first_context, std::vector<Member> members,
               config::Store config, std::shared_ptr<void> connection)
      : segment_(segment),
        first_context_(first_context),
        members_(std::move(members)),
        config_(std::move(config)),
        connection_(std::move(connection)) {
    for (std::size_t place = 0; place < members_.size(); ++place) {
      places_.emplace(members_[place].process, static_cast<std::int32_t>(place));
    }
  }

  [[nodiscard]] memory::JobSegment& segment() const noexcept { return segment_; }
  [[nodiscard]] const config::Store& config() const noexcept { return config_; }
  [[nodiscard]] std::uint32_t first_context() const noexcept { return first_context_; }
  /// The place of a process, which is a member.
  [[nodiscard]] std::int32_t place_of(std::int32_t process) const { return places_.at(process); }
  [[nodiscard]] bool has(std::int32_t process) const { return places_.contains(process); }
  [[nodiscard]] std::int32_t peer_at(std::int32_t place) const noexcept {
    return members_[static_cast<std::size_t>(place)].peer;
  }

  /// What collective/ keeps here: how the shared domain's communicators run their calls.
  std::unique_ptr<Extension> collective_policy;

 private:
  memory::JobSegment& segment_;
  std::uint32_t first_context_;
  std::vector<Member> members_;
  config::Store config_;
  std::unordered_map<std::int32_t, std::int32_t> places_;
  std::shared_ptr<void> connection_;
};

}  // namespace starling::comm
