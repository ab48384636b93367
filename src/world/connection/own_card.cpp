// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/connection/own_card.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/small_files.hpp"
#include "base/usable_cores.hpp"
#include "bootstrap/machine.hpp"
#include "transport/shm/geometry.hpp"
#include "world/network/network_hooks.hpp"

namespace starling::world {
namespace {

using bootstrap::Entrance;
using bootstrap::JobCard;
using bootstrap::JobCardView;
using bootstrap::RankCard;

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unnamed host";
}

Result<JobCardView> view_of(const JobCard& card) {
  const std::string bytes = card.serialised();
  const auto aligned = std::make_shared<std::vector<std::uint64_t>>(bytes.size() / sizeof(std::uint64_t) + 1);
  std::memcpy(aligned->data(), bytes.data(), bytes.size());
  return JobCardView::of_bytes({reinterpret_cast<const char*>(aligned->data()), bytes.size()}, aligned);
}

Result<std::unique_ptr<memory::JobSegment>> open_segment(const std::string& text) {
  Result<bootstrap::SegmentAddress> address = bootstrap::SegmentAddress::parse(text);
  if (!address.ok()) return std::move(address).status();
  return address.value().open();
}

}  // namespace

Result<std::unique_ptr<memory::JobSegment>> OwnCard::make_segment(std::size_t processes, const config::Store& config) {
  auto made = memory::JobSegment::create(transport::shm::geometry(static_cast<std::uint32_t>(processes), config));
  if (made.ok()) bootstrap::describe_machine(made.value()->header());
  return made;
}

Result<OwnCard> OwnCard::make(const config::Store& config, WorldRank node_leader,
                              std::unique_ptr<memory::JobSegment> segment) {
  Result<bootstrap::OpenEntrances> opened = network_hooks(config).open();
  if (!opened.ok()) return std::move(opened).status();
  OwnCard own;
  own.segment_ = std::move(segment);
  own.entrances_ = std::move(opened.value().entrances);
  for (const int listener : opened.value().listeners) own.listeners_.emplace_back(listener);
  RankCard card;
  card.node_leader = node_leader;
  card.threads = affinity_threads();
  card.quota_cores = core_limits().quota_cores.value_or(0);
  if (own.segment_) card.segment = bootstrap::SegmentAddress::of(*own.segment_).text();
  card.host = this_host();
  card.entrances = own.entrances_;
  own.text_ = card.text();
  return own;
}

Result<JobConnection*> OwnCard::join(JobConnections& connections, const config::Store& config,
                                     const std::vector<RankCard>& cards, WorldRank place, const Common& common) {
  if (!segment_) {
    auto opened = open_segment(cards[cards[place.index()].node_leader.index()].segment);
    if (!opened.ok()) return std::move(opened).status();
    segment_ = std::move(opened).value();
  }
  JobCard card = job_card_of(cards, place);
  card.job = common.id;
  card.secret = common.secret;
  card.listeners.clear();
  STARLING_TRY(network_hooks(config).choose(card));
  Result<JobCardView> view = view_of(card);
  if (!view.ok()) return std::move(view).status();
  std::vector<int> listeners = listeners_at(view.value().entrances_of(place));
  return connections.span(std::move(segment_), {std::move(view).value(), place, std::move(listeners), common.alike});
}

std::vector<int> OwnCard::listeners_at(const std::vector<Entrance>& chosen) {
  std::vector<int> listeners;
  for (const Entrance& entrance : chosen) {
    const auto at = std::ranges::find(entrances_, entrance.address, &Entrance::address);
    if (at == entrances_.end()) continue;
    listeners.push_back(listeners_[static_cast<std::size_t>(at - entrances_.begin())].release());
  }
  listeners_.clear();
  return listeners;
}

}  // namespace starling::world
