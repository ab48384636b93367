// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/one_sided.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "memory/page.hpp"

namespace starling::rma {
namespace {

STARLING_CONFIG(help_always, "RMA_ALWAYS_HELP", bool, false, kProcess, kProcess,
                "Reach windows over private memory through the target's help even where the kernel could copy.");

using memory::kPage;

std::uint64_t pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// Whether the ranks are on several nodes. Then the window lies on each of them in the segment of this job, and
/// everybody else is reached by messages; else it lies in the shared domain of the communicator.
bool spans_nodes(const comm::Communicator& comm) { return comm.shared_domain() == nullptr; }

bool has_own_memory(Flavor flavor) { return flavor == Flavor::kAllocate || flavor == Flavor::kShared; }

}  // namespace

/// What each rank says of its part.
struct OneSided::PartFacts {
  std::int64_t bytes = 0;
  std::int64_t disp_unit = 1;
  std::uint64_t address = 0;
  std::int32_t needs_handler = 0;  ///< it cannot reach all others by itself
  std::int32_t failed = 0;
};

/// One window while it is being made. Each step runs on all ranks, or on none.
class OneSided::Creation {
  static_assert(sizeof(PartFacts) == 32, "facts travel between ranks");

 public:
  Creation(OneSided& one_sided, Ref<comm::Communicator> comm, const WindowSpec& spec)
      : one_sided_(one_sided),
        segment_(spans_nodes(*comm) ? one_sided.p2p_.progress().segment() : comm->shared_domain()->segment()),
        spec_(spec),
        between_jobs_(comm->connected_jobs() && !spans_nodes(*comm)),
        ranks_are_(between_jobs_ ? RanksAre::kProcesses : one_sided.ranks_are_),
        size_(comm->size()),
        rank_(comm->rank()),
        attaching_(spec.flavor == Flavor::kDynamic ? Control::Attaching::kYes : Control::Attaching::kNo) {
    setup_.comm = std::move(comm);
    setup_.flavor = spec.flavor;
    setup_.segment = &segment_;
    find_node();
  }

  Result<std::unique_ptr<Window>> run() {
    STARLING_TRY(exchange_facts());
    STARLING_TRY(check_handlers());
    Status region = lay_out();
    if (region.ok() && leads_) region = make_region();
    STARLING_TRY(find_region(std::move(region)));
    Status ready = prepare_part();
    if (Status all = agree(std::move(ready)); !all.ok()) {
      // After a death another rank may have the window all the same: the memory stays until the job ends.
      const bool everywhere = !is_about_deaths(all.error_class());
      if (everywhere && leads_ && setup_.region) setup_.region->give_back(memory::Arena::Guard(segment_));
      return all;
    }
    const TargetMemory memory(one_sided_.p2p_, *one_sided_.target_service_, one_sided_.puts_);
    return std::make_unique<Window>(one_sided_.p2p_.progress(), memory, std::move(setup_));
  }

 private:
  /// Where the region of a node lies, as its first rank says.
  struct Found {
    memory::Region::Place place;
    const std::shared_ptr<memory::Region>* mapped = nullptr;  ///< for threads of its process
  };

  /// Which ranks are on this node, and which of them makes what they share.
  void find_node() {
    const bool spans = spans_nodes(*setup_.comm);
    for (std::int32_t rank = 0; rank < size_; ++rank) {
      locals_.push_back(spans ? local_in_job(rank) : setup_.comm->local_rank(rank));
    }
    leader_ = static_cast<std::int32_t>(
        std::ranges::find_if(locals_, [](LocalRank local) { return !local.is_none(); }) - locals_.begin());
    leads_ = leader_ == rank_;
    if (spans) setup_.messages = &one_sided_.p2p_;
  }
  /// Of a rank of this job on this node; none of any other.
  [[nodiscard]] LocalRank local_in_job(std::int32_t rank) const {
    const memory::Placement& placement = one_sided_.placement_;
    const WorldRank world(setup_.comm->process(rank).value);
    return world.index() < static_cast<std::size_t>(placement.size()) && placement.is_here(world)
               ? placement.local_of(world)
               : LocalRank();
  }
  /// Near ranks of a window over nodes are of this job, whatever jobs its communicator connects.
  [[nodiscard]] PeerId peer(std::int32_t rank) const {
    const bool as_in_job = setup_.messages != nullptr && !is_far(rank);
    return as_in_job ? peer_of(WorldRank(setup_.comm->process(rank).value)) : setup_.comm->peer(rank);
  }
  [[nodiscard]] bool is_far(std::int32_t rank) const noexcept {
    return locals_[static_cast<std::size_t>(rank)].is_none();
  }

  Status exchange_facts() {
    PartFacts mine{spec_.bytes, spec_.disp_unit, reinterpret_cast<std::uint64_t>(spec_.base)};
    if (!has_own_memory(spec_.flavor)) {
      for (std::int32_t rank = 0; rank < size_; ++rank) {
        if (reach(rank) == Reach::kTargetHandler) mine.needs_handler = 1;
      }
    }
    facts_.resize(static_cast<std::size_t>(size_));
    return one_sided_.collectives_.allgather(*setup_.comm, &mine, facts_.data(), sizeof mine);
  }

  [[nodiscard]] Reach reach(std::int32_t rank) const {
    if (is_far(rank)) return Reach::kFar;
    return rank == rank_ ? Reach::kDirect : one_sided_.reach(peer(rank), ranks_are_);
  }

  /// Target handlers serve one job only. The same answer on every rank.
  [[nodiscard]] Status check_handlers() const {
    if (!between_jobs_ || !needs_handler()) return {};
    return Status::error(ErrorClass::kRmaShared,
                         "the processes are of several jobs, and the kernel does not let them reach each other's "
                         "memory; allocate it with MPI_Win_allocate or MPI_Win_allocate_shared");
  }
  /// Others may ask this rank for what the kernel could copy. The same answer on every rank.
  [[nodiscard]] bool may_use_handlers() const {
    return !has_own_memory(spec_.flavor) && ranks_are_ == RanksAre::kProcesses && !between_jobs_;
  }
  [[nodiscard]] bool needs_handler() const {
    return std::any_of(facts_.begin(), facts_.end(), [](const PartFacts& part) { return part.needs_handler != 0; });
  }

  /// The same on every rank of a node: where each part begins in the region. Parts of other nodes take no room.
  Status lay_out() {
    std::uint64_t end = Control::bytes(size_, attaching_);
    for (std::int32_t rank = 0; rank < size_; ++rank) {
      begins_.push_back(end);
      if (!has_own_memory(spec_.flavor) || is_far(rank)) continue;
      const auto bytes = static_cast<std::uint64_t>(facts_[static_cast<std::size_t>(rank)].bytes);
      if (end + bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - kPage) {
        return Status::error(ErrorClass::kNoMem, "no machine has as much memory as the ranks ask for together");
      }
      end += bytes;
      if (spec_.layout == PartLayout::kApart) end = pages(end);
    }
    bytes_ = end;
    return {};
  }

  Status make_region() {
    auto made = memory::Region::create(segment_, bytes_);
    if (!made.ok()) return std::move(made).status();
    setup_.region = std::move(made).value();
    STARLING_TRY(setup_.region->commit(0, Control::bytes(size_, attaching_)));
    Control(setup_.region->data(), size_).initialise(attaching_);
    return {};
  }

  /// Tells and learns where the region lies. Ranks that are threads use the mapping of their leader.
  Status find_region(Status made) {
    struct Word {
      Found found;
      std::int32_t failed;
    };
    Word mine{{}, made.ok() ? 0 : 1};
    if (setup_.region) mine.found = {setup_.region->place(), &setup_.region};
    std::vector<Word> all(static_cast<std::size_t>(size_));
    STARLING_TRY(one_sided_.collectives_.allgather(*setup_.comm, &mine, all.data(), sizeof mine));
    for (std::int32_t rank = 0; rank < size_; ++rank) {
      if (all[static_cast<std::size_t>(rank)].failed == 0) continue;
      if (setup_.region) setup_.region->give_back(memory::Arena::Guard(segment_));
      return made.ok() ? somebody_failed(rank) : std::move(made);
    }
    found_ = all[static_cast<std::size_t>(leader_)].found;
    return {};
  }

  Status prepare_part() {
    if (!leads_) STARLING_TRY(share_region());
    TargetService& service = *one_sided_.target_service_;
    if (needs_handler()) STARLING_TRY(service.open_for_others());
    if (may_use_handlers() || service.agent_mode() == AgentMode::kOn) STARLING_TRY(service.open());
    if (has_own_memory(spec_.flavor)) STARLING_TRY(commit_part());
    describe_targets();
    return {};
  }

  Status share_region() {
    if (ranks_are_ == RanksAre::kThreads) {
      setup_.region = *found_.mapped;  // the leader's stays as it is until all have agreed
      return {};
    }
    auto attached = memory::Region::attach(segment_, found_.place);
    if (!attached.ok()) return std::move(attached).status();
    setup_.region = std::move(attached).value();
    return {};
  }

  /// By its owner, so that the memory is near.
  Status commit_part() {
    const std::uint64_t begin = begins_[static_cast<std::size_t>(rank_)];
    const auto bytes = static_cast<std::uint64_t>(spec_.bytes);
    setup_.base = setup_.region->data() + begin;
    return setup_.region->commit(begin, bytes);
  }

  void describe_targets() {
    if (spec_.flavor == Flavor::kCreate) setup_.base = spec_.base;
    for (std::int32_t rank = 0; rank < size_; ++rank) {
      const PartFacts& part = facts_[static_cast<std::size_t>(rank)];
      Target target;
      target.peer = peer(rank);
      target.local = locals_[static_cast<std::size_t>(rank)];
      target.disp_unit = part.disp_unit;
      target.bytes = static_cast<std::uint64_t>(part.bytes);
      if (is_far(rank)) {
        target.reach = Reach::kFar;
      } else if (has_own_memory(spec_.flavor)) {
        target.address =
            reinterpret_cast<std::uint64_t>(setup_.region->data()) + begins_[static_cast<std::size_t>(rank)];
      } else {
        target.address = part.address;
        target.reach = reach(rank);
        if (target.reach == Reach::kKernel && may_use_handlers()) target.reach = Reach::kTargetOrKernel;
      }
      target.plain = target.reach == Reach::kDirect && spec_.flavor != Flavor::kDynamic;
      setup_.targets.push_back(target);
    }
  }

  /// The ranks go on together or fail together.
  Status agree(Status mine) {
    const std::int32_t failed = mine.ok() ? 0 : 1;
    std::vector<std::int32_t> all(static_cast<std::size_t>(size_));
    STARLING_TRY(one_sided_.collectives_.allgather(*setup_.comm, &failed, all.data(), sizeof failed));
    if (!mine.ok()) return mine;
    for (std::int32_t rank = 0; rank < size_; ++rank) {
      if (all[static_cast<std::size_t>(rank)] != 0) return somebody_failed(rank);
    }
    return {};
  }

  static Status somebody_failed(std::int32_t rank) {
    return Status::error(ErrorClass::kNoMem,
                         formatted("rank {} of the communicator has no memory for its part of the window; its own "
                                   "message says why",
                                   rank));
  }

  OneSided& one_sided_;
  memory::JobSegment& segment_;
  const WindowSpec& spec_;
  bool between_jobs_;   ///< the region lies in the segment of a connection, with processes of other jobs
  RanksAre ranks_are_;  ///< those of another job are never threads of this process
  std::int32_t size_;
  std::int32_t rank_;
  Control::Attaching attaching_;
  Window::Setup setup_;
  std::vector<LocalRank> locals_;  ///< of each rank on its node, which is this one; none: it is on another
  std::int32_t leader_ = 0;        ///< the first rank of this node
  bool leads_ = false;             ///< this rank is it, and makes the region
  std::vector<PartFacts> facts_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t bytes_ = 0;
  Found found_;
};

Result<std::unique_ptr<OneSided>> OneSided::create(p2p::PointToPoint& p2p, WindowCollectives& collectives,
                                                   const memory::Placement& placement, RanksAre ranks_are,
                                                   const config::Store& config) {
  Result<std::unique_ptr<TargetService>> service = TargetService::create(p2p.progress(), config);
  if (!service.ok()) return std::move(service).status();
  return std::unique_ptr<OneSided>(
      new OneSided(p2p, collectives, placement, ranks_are, std::move(service).value(), config.get(help_always)));
}

OneSided::OneSided(p2p::PointToPoint& p2p, WindowCollectives& collectives, const memory::Placement& placement,
                   RanksAre ranks_are, std::unique_ptr<TargetService> target_service, bool always_by_handler)
    : p2p_(p2p),
      collectives_(collectives),
      placement_(placement),
      ranks_are_(ranks_are),
      target_service_(std::move(target_service)),
      puts_(p2p.progress(), *target_service_,
            [&p2p, &placement](LocalRank rank, const void* from, std::span<const transport::RemoteRun> to) {
              return p2p.memory_of(peer_of(placement.world_of(rank))).scatter(from, to);
            }),
      always_by_handler_(always_by_handler) {}

Reach OneSided::reach(PeerId peer, RanksAre ranks_are) const {
  if (always_by_handler_) return Reach::kTargetHandler;
  if (ranks_are == RanksAre::kThreads) return Reach::kDirect;
  return p2p_.memory_of(peer).permitted() ? Reach::kKernel : Reach::kTargetHandler;
}

Result<std::unique_ptr<Window>> OneSided::create_window(Ref<comm::Communicator> comm, const WindowSpec& spec) {
  if (spec.flavor == Flavor::kShared && spans_nodes(*comm)) {
    return Status::error(ErrorClass::kRmaShared,
                         "the ranks of the communicator are on several nodes, and memory for loads and stores cannot "
                         "span these; use the communicator of one node, which MPI_Comm_split_type with "
                         "MPI_COMM_TYPE_SHARED makes");
  }
  auto made = Creation(*this, std::move(comm), spec).run();
  if (made.ok() && made.value()->far_side() != nullptr) ++far_windows_;
  return made;
}

Status OneSided::free_window(std::unique_ptr<Window> window) {
  if (window->far_side() != nullptr) --far_windows_;
  // Where somebody has died epochs may still be open, and this rank may have been sent puts by now.
  static_cast<void>(window->finish_all());
  if (FarSide* const far = window->far_side()) static_cast<void>(far->origin().settle());
  target_service_->serve_own();
  Status met = collectives_.barrier(window->comm());
  // After a death the survivors free the window without a barrier, each at its time.
  if (!met.ok() && !is_about_deaths(met.error_class())) return met;
  if (FarSide* const far = window->far_side()) far->close();
  window->leave();
  return {};
}

Status OneSided::fence(Window& window, Fence fence) {
  STARLING_TRY(window.epochs().begin_fence());
  Status finished = window.finish_all();
  STARLING_TRY(collectives_.barrier(window.comm()));
  window.epochs().end_fence(fence);
  return finished;
}

}  // namespace starling::rma
