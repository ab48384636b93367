// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/network/job_network.hpp"

#include <optional>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "world/network/library_layout.hpp"

namespace starling::world {
namespace {

using bootstrap::JobCardView;
using transport::tcp::Listener;
using transport::tcp::SocketAddress;

std::uint32_t fingerprint(std::uint64_t layout) { return static_cast<std::uint32_t>(layout ^ (layout >> 32)); }

/// FNV-1a (Fowler, Noll and Vo).
std::uint32_t fingerprint(std::string_view text) {
  std::uint32_t hash = 0x811c9dc5;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x01000193;
  return hash;
}

Result<std::vector<Listener>> adopt_listeners(const std::vector<int>& descriptors,
                                              const std::vector<SocketAddress>& addresses) {
  std::vector<Listener> listeners;
  for (const int descriptor : descriptors) {
    Result<Listener> listener = Listener::adopt(descriptor, addresses);
    if (!listener.ok()) return std::move(listener).status();
    listeners.push_back(std::move(listener).value());
  }
  return listeners;
}

/// Where the launcher goes on without the dead, the first ranks of the nodes watch each other in a ring: other ranks
/// have somebody on their nodes who does (bootstrap::DeathWatch).
WorldRank watched_rank(const bootstrap::Job& job) {
  if (!job.exchange || job.exchange->ends_job_at_deaths() || job.local_rank != LocalRank(0)) return {};
  const memory::Placement& placement = *job.placement;
  return placement.node((placement.own_node() + 1) % placement.nodes()).ranks.front();
}

}  // namespace

Result<std::unique_ptr<JobNetwork>> JobNetwork::create(bootstrap::Job& job, std::string_view alike) {
  std::optional<JobCardView> card = std::exchange(job.card, std::nullopt);
  if (!card || card->nodes() == 1) return std::unique_ptr<JobNetwork>();
  return make(*std::move(card), {job.rank, watched_rank(job)}, job.listeners, alike);
}

Result<std::unique_ptr<JobNetwork>> JobNetwork::create(JobCardView card, WorldRank own,
                                                       const std::vector<int>& listeners, std::string_view alike) {
  return make(std::move(card), {own, WorldRank()}, listeners, alike);
}

Result<std::unique_ptr<JobNetwork>> JobNetwork::make(JobCardView card, const Ranks& ranks,
                                                     const std::vector<int>& descriptors, std::string_view alike) {
  Result<CardRoster> roster =
      CardRoster::create(std::move(card), {fingerprint(kLibraryLayout), fingerprint(alike)}, alike);
  if (!roster.ok()) return std::move(roster).status();
  auto listeners = adopt_listeners(descriptors, roster.value().addresses(ranks.own));
  if (!listeners.ok()) return std::move(listeners).status();
  return std::unique_ptr<JobNetwork>(
      new JobNetwork(std::move(roster).value(), std::move(listeners).value(), ranks.watched));
}

}  // namespace starling::world
