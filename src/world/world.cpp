// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/world.hpp"

#include <numeric>

#include "base/format.hpp"
#include "memory/job_segment.hpp"
#include "memory/shared_settings.hpp"
#include "transport/shm/geometry.hpp"
#include "world/connection/library_layout.hpp"
#include "world/window_collectives_adapter.hpp"

namespace starling::world {
namespace {

// Context ids that every rank knows without asking. All comm_self have the same one, for their messages never leave
// their rank. Ids are even, so these numbers are doubled.
constexpr std::uint64_t kWorldContext = 0;
constexpr std::uint64_t kSelfContext = 1;
constexpr std::uint64_t kGroupsContext = 2;
constexpr std::uint64_t kFirstFreeContext = 3;

Ref<comm::Communicator> make_communicator(std::uint64_t number, std::vector<std::int32_t> world_ranks,
                                          std::int32_t rank) {
  auto group = Ref<comm::Group>::adopt(new comm::Group(std::move(world_ranks)));
  return Ref<comm::Communicator>::adopt(
      new comm::Communicator(static_cast<std::uint32_t>(number * 2), std::move(group), rank));
}

/// The lines of one text that the other text lacks, as names of variables in one line.
std::string only_in(std::string_view text, std::string_view other) {
  std::string found;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);
    text.remove_prefix(line.size());
    if (other.find(line) == std::string_view::npos) {
      found += " STARLING_" + std::string(line.substr(0, line.size() - 1));
    }
  }
  return found.empty() ? " the defaults" : found;
}

/// Settings that all ranks of a job must have alike: those of the first rank that came here hold.
Status do_as_all(memory::JobSegment& segment, std::uint32_t rank, config::Store& config,
                 std::vector<std::string>& warnings) {
  const std::string mine = config.alike();
  Result<std::string> all = memory::share_settings(segment, mine);
  if (!all.ok()) return std::move(all).status();
  if (all.value() == mine) return {};
  warnings.push_back(formatted(
      "some ranks of this job have different settings where all need the same: rank {} has{}, the first rank that "
      "started has{}, and those hold for all ranks. Give all ranks the same, as mpiexec -x does.",
      rank, only_in(mine, all.value()), only_in(all.value(), mine)));
  return config.take_alike(all.value());
}

}  // namespace

World::World(bootstrap::Job job, config::Store config, SegmentOwner owner)
    : config_(std::move(config)), job_(std::move(job)), owner_(owner) {}

World::~World() {
  // Communicators and the components use the segment until their end.
  comm_groups_ = {};
  comm_self_ = {};
  comm_world_ = {};
  rma_.reset();
  connections_.reset();
  collectives_.reset();
  p2p_.reset();
  progress_.reset();
  if (owner_ == SegmentOwner::kCaller) static_cast<void>(job_.segment.release());
}

Result<std::unique_ptr<World>> World::create(bootstrap::Job job, config::Store config, SegmentOwner owner) {
  std::unique_ptr<World> world(new World(std::move(job), std::move(config), owner));
  STARLING_TRY(world->start());
  return world;
}

Status World::start() {
  Result<progress::WaitMode> wait = progress::configured_wait_mode(config_);
  if (!wait.ok()) return std::move(wait).status();
  STARLING_TRY(agree_on_library(*job_.segment));
  progress_ = std::make_unique<progress::Engine>(*job_.segment, job_.rank, config_);
  Result<std::unique_ptr<p2p::PointToPoint>> p2p = p2p::PointToPoint::create(*progress_, config_);
  if (!p2p.ok()) return std::move(p2p).status();
  p2p_ = std::move(p2p).value();
  Result<std::unique_ptr<collective::Collectives>> collectives = collective::Collectives::create(*p2p_, config_);
  if (!collectives.ok()) return std::move(collectives).status();
  collectives_ = std::move(collectives).value();
  processes_ = std::make_unique<Processes>(job_.segment->header().id, job_.size);
  connections_ = std::make_unique<JobConnections>(*progress_, *p2p_, job_, config_);
  window_collectives_ = std::make_unique<WindowCollectivesAdapter>(*collectives_);
  const auto ranks_are = owner_ == SegmentOwner::kCaller ? rma::RanksAre::kThreads : rma::RanksAre::kProcesses;
  Result<std::unique_ptr<rma::OneSided>> rma = rma::OneSided::create(*p2p_, *window_collectives_, ranks_are, config_);
  if (!rma.ok()) return std::move(rma).status();
  rma_ = std::move(rma).value();

  std::vector<std::int32_t> everyone(job_.size);
  std::iota(everyone.begin(), everyone.end(), 0);
  comm_world_ = make_communicator(kWorldContext, everyone, rank());
  comm_groups_ = make_communicator(kGroupsContext, std::move(everyone), rank());
  comm_self_ = make_communicator(kSelfContext, {rank()}, 0);
  bootstrap::announce(job_, memory::RankState::kInitialized);
  return {};
}

Result<std::uint32_t> World::take_context_ids(const comm::SharedDomain* domain, std::uint32_t count) {
  memory::JobSegment& segment = domain != nullptr ? domain->segment() : *job_.segment;
  // The header counts from zero: those that every rank knows come before.
  const std::uint64_t number =
      segment.header().next_context_id.fetch_add(count, std::memory_order_relaxed) + kFirstFreeContext;
  const std::uint64_t limit = domain != nullptr ? comm::SharedDomain::kContexts : comm::SharedDomain::kFirstContext;
  if ((number + count) * 2 > limit) {
    return Status::error(
        ErrorClass::kIntern,
        formatted("these processes have made {} communicators, and no context id is left; keep communicators "
                  "and use them again instead of making new ones",
                  limit / 2));
  }
  return static_cast<std::uint32_t>(number * 2);
}

Status World::finalize(FinalBarrier final_barrier) {
  STARLING_TRY(p2p_->drain());
  // No rank leaves while a partner still copies from its memory or waits for its acknowledgement.
  collective::Arguments barrier;
  barrier.operation = collective::Operation::kBarrier;
  barrier.comm = comm_groups_.get();  // which no program can revoke
  if (final_barrier == FinalBarrier::kRun) STARLING_TRY(collectives_->run(barrier));
  collectives_->report_late_ranks(*comm_world_);
  STARLING_TRY(p2p_->drain());
  connections_->leave_all();
  names_.withdraw();
  bootstrap::announce(job_, memory::RankState::kFinalized);
  return {};
}

Status World::pause() {
  STARLING_TRY(p2p_->drain());
  bootstrap::announce(job_, memory::RankState::kFinalized);
  return {};
}

void World::resume() { bootstrap::announce(job_, memory::RankState::kInitialized); }

Status World::change(const config::Declaration& variable, std::string_view text) {
  config::Store changed = config_;
  STARLING_TRY(changed.set(variable.name(), text));
  Result<progress::WaitMode> mode = progress::configured_wait_mode(changed);
  if (!mode.ok()) return std::move(mode).status();
  config_ = std::move(changed);
  progress_->configure(config_);
  return {};
}

Result<std::unique_ptr<World>> join_world(const config::Overrides& overrides, std::vector<std::string>* warnings) {
  config::Store config;
  STARLING_TRY(config.read_environment(warnings));
  STARLING_TRY(config.set_all(overrides));
  Result<bootstrap::Job> job = bootstrap::join(transport::shm::geometry(1, config));
  if (!job.ok()) return std::move(job).status();
  for (std::string& warning : job.value().warnings) warnings->push_back(std::move(warning));
  job.value().warnings.clear();
  if (job.value().rank != 0) warnings->clear();  // rank 0 says what concerns all
  STARLING_TRY(do_as_all(*job.value().segment, job.value().rank, config, *warnings));
  return World::create(std::move(job).value(), std::move(config));
}

}  // namespace starling::world
