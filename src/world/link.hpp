// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Link: a segment that processes of several jobs share, as one of them has it open. Each process has a place in it. The
// communicators of these processes live in the link's realm.
//
//   made or opened -> everybody is there -> realm -> its last communicator is gone: left -> all have left: closed
//
// Owned by the World. A process that has left keeps the segment open and goes on polling it until all others have left
// or died, for they may wait for acknowledgements; World::close_links() looks.
// Thread safety: the holder of the world's lock.
// Invariants: RankBlock::state of a place is kInitialized once its process has opened the link, kFinalized once it has
// left. JobHeader::abort_rank of a link is set when the jobs' connection has failed; then text_ of that place says why.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bootstrap/job.hpp"
#include "bootstrap/segment_address.hpp"
#include "comm/realm.hpp"
#include "config/config.hpp"
#include "p2p/engine.hpp"
#include "progress/engine.hpp"

namespace starling::world {

class Link final : private progress::Poller {
 public:
  /// What a link needs of the world that it is in.
  struct Host {
    progress::Engine& progress;
    p2p::Engine& p2p;
    bootstrap::Job& job;
    const config::Store& config;
    std::uint32_t first_context;
  };

  /// A new segment. The maker of a link has its first place.
  static Result<std::unique_ptr<Link>> make(const Host& host, const memory::JobGeometry& geometry);
  static Result<std::unique_ptr<Link>> open(const Host& host, const bootstrap::SegmentAddress& address,
                                            std::uint32_t place);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] bootstrap::SegmentAddress address() const { return bootstrap::SegmentAddress::of(*segment_); }
  [[nodiscard]] memory::JobSegment& segment() noexcept { return *segment_; }
  [[nodiscard]] std::uint32_t place() const noexcept { return place_; }

  /// Waits until all places are taken, or gives_up() says why that will not be; kSpawn, with the reason, when the
  /// connection has failed.
  Status wait_for_all(const std::function<Status()>& gives_up = {});

  /// The realm of the processes, given in order of their places. Once for each link. What `also` holds is held as long.
  Ref<comm::Realm> realm(const std::vector<std::int32_t>& processes, std::shared_ptr<void> also);

  /// Tells the others that this process has no use for the link any more.
  void leave() noexcept;
  /// The same when the call that was to connect the processes has failed here: the others shall not wait for this one,
  /// which is as good as dead to them on this link.
  void give_up() noexcept;
  // When a process dies, in a job that goes on after deaths.
  /// A rank of this job is dead: tells all who share the link.
  void publish_death_of(std::uint32_t rank_of_this_job) noexcept;
  /// The peers, as p2p/ knows them, whose death has been published.
  [[nodiscard]] std::vector<std::int32_t> dead_peers() const;

  /// Whether nobody needs it, here or elsewhere.
  [[nodiscard]] bool over();

 private:
  Link(const Host& host, std::unique_ptr<memory::JobSegment> segment, std::uint32_t place);
  Status join();
  bool poll() override;
  void enter(memory::RankState state) noexcept;
  [[nodiscard]] Status failure() const;
  [[nodiscard]] bool all_there() const noexcept;
  bool look_for_deaths();
  [[nodiscard]] bool is_gone(std::uint32_t place) const noexcept;

  Host host_;
  config::Store config_;  ///< the host's, with the settings that all in the link share
  std::unique_ptr<memory::JobSegment> segment_;
  std::uint32_t place_;
  std::int32_t first_peer_ = 0;
  bool joined_ = false;
  bool complete_ = false;  ///< everybody was there
  bool left_ = false;
  std::uint32_t news_told_ = 0;
  std::int64_t looked_at_ns_ = 0;
};

}  // namespace starling::world
