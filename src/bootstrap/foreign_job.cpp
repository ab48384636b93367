// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/foreign_job.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/random_bytes.hpp"
#include "base/small_files.hpp"
#include "base/usable_cores.hpp"
#include "bootstrap/machine.hpp"
#include "bootstrap/nodes/rank_card.hpp"
#include "bootstrap/segment_address.hpp"
#include "tuning/machine.hpp"

namespace starling::bootstrap {
namespace {

constexpr std::string_view kRankCardKey = "rank";
constexpr std::string_view kJobCardKey = "job";

std::string own_host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// One process's way into the job: between two fences it does what others wait for.
class Joining {
 public:
  Joining(Exchange& exchange, const memory::JobGeometry& geometry, const NetworkHooks& network,
          const std::string& tuning)
      : exchange_(exchange), place_(exchange.place()), geometry_(geometry), network_(network), tuning_(tuning) {}

  Result<ForeignJob> run() {
    STARLING_TRY(check_place());
    if (is_leader()) STARLING_TRY(make_segment());
    STARLING_TRY(leave_card());
    STARLING_TRY(exchange_.fence("come to MPI_Init"));
    STARLING_TRY(is_leader() ? describe_node() : open_segment());
    job_.segment->rank(local_rank()).pid.store(getpid(), std::memory_order_release);
    STARLING_TRY(exchange_.fence("open the memory of their nodes in MPI_Init"));
    if (has_several_nodes()) {
      STARLING_TRY(take_job_card());
      STARLING_TRY(take_tuning());
    }
    job_.local_rank = local_rank();
    return std::move(job_);
  }

 private:
  [[nodiscard]] WorldRank leader() const { return place_.on_own_node.front(); }
  [[nodiscard]] bool is_leader() const { return place_.rank == leader(); }
  [[nodiscard]] bool has_several_nodes() const {
    return place_.on_own_node.size() < static_cast<std::size_t>(place_.size);
  }
  [[nodiscard]] LocalRank local_rank() const {
    const auto own = std::ranges::find(place_.on_own_node, place_.rank);
    return LocalRank(static_cast<std::size_t>(own - place_.on_own_node.begin()));
  }

  [[nodiscard]] Status check_place() const {
    const std::vector<WorldRank>& here = place_.on_own_node;
    const bool has_own = std::ranges::find(here, place_.rank) != here.end();
    if (has_own && here.front() >= WorldRank(0) && here.back() < WorldRank(place_.size)) return {};
    return Status::error(ErrorClass::kOther,
                         formatted("the launcher says that this is rank {} of {}, and that its node has other ranks",
                                   place_.rank.value, place_.size));
  }

  /// As a launcher of ours does.
  Status make_segment() {
    memory::JobGeometry geometry = geometry_;
    geometry.ranks = static_cast<std::uint32_t>(place_.on_own_node.size());
    geometry.world_ranks = static_cast<std::uint32_t>(place_.size);
    Result<std::unique_ptr<memory::JobSegment>> segment = memory::JobSegment::create(geometry);
    if (!segment.ok()) return std::move(segment).status();
    job_.segment = std::move(segment).value();
    describe_machine(job_.segment->header());
    for (std::size_t local = 0; local < place_.on_own_node.size(); ++local) {
      job_.segment->rank(LocalRank(local)).home_rank = place_.on_own_node[local];
    }
    return {};
  }

  Status leave_card() {
    RankCard card;
    const CoreLimits limits = core_limits();
    card.node_leader = leader();
    card.app_number = place_.app_number;
    card.threads = affinity_threads();
    card.quota_cores = limits.quota_cores.value_or(0);
    if (is_leader()) card.segment = SegmentAddress::of(*job_.segment).text();
    if (has_several_nodes()) STARLING_TRY(add_network(card));
    return exchange_.put(kRankCardKey, card.text());
  }

  Status add_network(RankCard& card) {
    if (!network_.open || !network_.choose) {
      return Status::error(ErrorClass::kOther,
                           "the launcher has started ranks on several nodes, and this program has "
                           "no network to reach them");
    }
    Result<OpenEntrances> opened = network_.open();
    if (!opened.ok()) return std::move(opened).status();
    opened_ = std::move(opened).value();
    card.host = own_host_name();
    card.entrances = opened_.entrances;
    if (place_.rank != WorldRank(0)) return {};
    card.job = job_.segment->header().id;
    card.tuning = tuning_;
    return fill_randomly(card.secret);
  }

  Result<RankCard> card_of(WorldRank rank) {
    Result<std::string> text = exchange_.get(rank, kRankCardKey);
    if (!text.ok()) return std::move(text).status();
    return RankCard::parse(text.value(), place_.size);
  }

  /// The cards of these ranks, at their places; those of others are empty.
  Status read_cards(const std::vector<WorldRank>& ranks, std::vector<RankCard>& cards) {
    cards.resize(static_cast<std::size_t>(place_.size));
    for (const WorldRank rank : ranks) {
      Result<RankCard> card = card_of(rank);
      if (!card.ok()) return std::move(card).status();
      cards[rank.index()] = std::move(card).value();
    }
    return {};
  }

  /// The leader's: what the others find in the segment, and the job card.
  Status describe_node() {
    std::vector<WorldRank> ranks = place_.on_own_node;
    if (has_several_nodes()) {
      ranks.clear();
      for (std::int32_t rank = 0; rank < place_.size; ++rank) ranks.emplace_back(rank);
    }
    std::vector<RankCard> cards;
    STARLING_TRY(read_cards(ranks, cards));
    for (std::size_t local = 0; local < place_.on_own_node.size(); ++local) {
      job_.segment->rank(LocalRank(local)).app_number = cards[place_.on_own_node[local].index()].app_number;
    }
    const JobCard card = job_card_of(cards, place_.rank);
    const JobCard::Node& node = card.nodes[static_cast<std::size_t>(card.own_node)];
    job_.segment->header().usable_cores = static_cast<std::uint32_t>(node.usable_cores);
    job_.segment->header().spread = static_cast<std::uint32_t>(tuning::spread_of(threads_of(cards, leader())));
    return has_several_nodes() ? publish(card) : Status();
  }

  Status publish(JobCard card) {
    STARLING_TRY(network_.choose(card));
    Result<Descriptor> file = card.to_file();
    if (!file.ok()) return std::move(file).status();
    job_.card_file = std::move(file).value();
    const SegmentAddress address{static_cast<std::int32_t>(getpid()), job_.card_file.get(), card.job};
    return exchange_.put(kJobCardKey, address.text());
  }

  Status open_segment() {
    Result<RankCard> card = card_of(leader());
    if (!card.ok()) return std::move(card).status();
    Result<SegmentAddress> address = SegmentAddress::parse(card.value().segment);
    if (!address.ok()) return std::move(address).status();
    Result<std::unique_ptr<memory::JobSegment>> segment = address.value().open();
    if (!segment.ok()) return std::move(segment).status();
    job_.segment = std::move(segment).value();
    return {};
  }

  Status take_job_card() {
    Result<std::string> text = exchange_.get(leader(), kJobCardKey);
    if (!text.ok()) return std::move(text).status();
    Result<SegmentAddress> address = SegmentAddress::parse(text.value());
    if (!address.ok()) return std::move(address).status();
    const Descriptor file = open_descriptor_of(address.value().pid, address.value().descriptor);
    const Result<JobCardView> card = JobCardView::of_file(file.get());
    if (!card.ok()) return card.status().copy();
    job_.card = card.value();
    job_.listeners = listeners_at(job_.card->entrances_of(place_.rank));
    return {};
  }

  /// Hosts may have tuning files of their own, and all ranks choose alike.
  Status take_tuning() {
    Result<RankCard> first = card_of(WorldRank(0));
    if (!first.ok()) return std::move(first).status();
    job_.tuning = std::move(first.value().tuning);
    return {};
  }

  /// Those at the entrances that were chosen, in their order; the others are closed.
  std::vector<int> listeners_at(const std::vector<Entrance>& chosen) {
    std::vector<int> listeners;
    for (const Entrance& entrance : chosen) {
      const auto at = std::ranges::find(opened_.entrances, entrance);
      if (at == opened_.entrances.end()) continue;
      listeners.push_back(
          std::exchange(opened_.listeners[static_cast<std::size_t>(at - opened_.entrances.begin())], -1));
    }
    for (const int other : opened_.listeners) {
      if (other >= 0) close(other);
    }
    return listeners;
  }

  Exchange& exchange_;
  const Exchange::Place& place_;
  const memory::JobGeometry& geometry_;
  const NetworkHooks& network_;
  const std::string& tuning_;
  OpenEntrances opened_;
  ForeignJob job_;
};

}  // namespace

Result<ForeignJob> join_by_exchange(Exchange& exchange, const memory::JobGeometry& geometry,
                                    const NetworkHooks& network, const std::string& tuning) {
  return Joining(exchange, geometry, network, tuning).run();
}

void fail_to_join(Exchange& exchange, const Status& why) noexcept {
  const Exchange::Place& place = exchange.place();
  // Those that have waited for the same rank all say the same: the lowest of them begins, and the launcher ends the
  // others meanwhile.
  constexpr std::int32_t kTurns = 10;
  constexpr useconds_t kTurnUs = 500'000;
  if (is_about_deaths(why.error_class())) {
    usleep(kTurnUs * static_cast<useconds_t>(std::min(place.rank.value, kTurns)));
  }
  const std::string text = formatted("rank {} of {} (process {}) cannot join its job, which ends: {}", place.rank.value,
                                     place.size, getpid(), why.message());
  std::fflush(stdout);
  std::fprintf(stderr, "starling: %s\n", text.c_str());
  end_foreign_job(exchange, EXIT_FAILURE, text);
  _exit(EXIT_FAILURE);
}

bool is_first_to_end(memory::JobSegment& segment, LocalRank own) noexcept {
  std::int32_t nobody = -1;
  return segment.header().abort_rank.compare_exchange_strong(nobody, own.value);
}

void leave_to_the_first(int code) noexcept {
  constexpr useconds_t kFirstIsHeardUs = 1'000'000;
  usleep(kFirstIsHeardUs);
  _exit(code);
}

void end_foreign_job(Exchange& exchange, int code, std::string_view why) noexcept {
  // A launcher that ends its processes may not pass on what it has not read yet.
  constexpr useconds_t kTextTravelsUs = 100'000;
  usleep(kTextTravelsUs);
  exchange.abort(code, why);
}

std::unique_ptr<DeathWatch> watch_deaths(Exchange& exchange, memory::JobSegment& segment,
                                         std::shared_ptr<const memory::Placement> placement, WorldRank own) {
  if (exchange.ends_job_at_deaths()) return nullptr;
  const LocalRank place = placement->local_of(own);
  const auto end_job = [&exchange, &segment, placement = std::move(placement), own, place](LocalRank dead) {
    const std::string text =
        formatted("rank {} of {} (process {}) has died or left without MPI_Finalize, so rank {} ends the job",
                  placement->world_of(dead).value, placement->size(), segment.rank(dead).pid.load(), own.value);
    if (!is_first_to_end(segment, place)) leave_to_the_first(EXIT_FAILURE);
    std::fprintf(stderr, "starling: %s\n", text.c_str());
    end_foreign_job(exchange, EXIT_FAILURE, text);
    _exit(EXIT_FAILURE);
  };
  return DeathWatch::start(segment, place, end_job);
}

}  // namespace starling::bootstrap
