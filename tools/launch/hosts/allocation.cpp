// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/allocation.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"

namespace starling::launch {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

Status no_allocation(std::string message) { return Status::error(ErrorClass::kArg, std::move(message)); }

/// A host that an application may use, and how many of its slots are free.
struct Candidate {
  std::size_t host;
  std::uint64_t free;
};
using Candidates = std::vector<Candidate>;

std::uint64_t free_slots(const Candidates& candidates) {
  std::uint64_t sum = 0;
  for (const Candidate& candidate : candidates) sum += candidate.free;
  return sum;
}

/// Deals the ranks of one application after the other.
class Dealer {
 public:
  Dealer(const HostRequest& request, std::span<const std::uint32_t> usable_cores) : request_(request) {
    for (std::size_t i = 0; i < request.hosts.size(); ++i) {
      const Host& host = request.hosts[i];
      const std::uint32_t cores = i < usable_cores.size() ? std::max(1u, usable_cores[i]) : 1;
      slots_.push_back(std::min<std::uint64_t>(host.slots.value_or(cores), host.max_slots.value_or(kNoLimit)));
      max_.push_back(host.max_slots.value_or(kNoLimit));
    }
    if (request.hosts.empty()) {  // this machine, which has no slots to count
      slots_.push_back(kNoLimit);
      max_.push_back(kNoLimit);
    }
    load_.resize(slots_.size());
    shared_load_.resize(slots_.size());
  }

  Status deal(const RankRequest& application) {
    Result<Candidates> found = candidates_of(application);
    if (!found.ok()) return std::move(found).status();
    Candidates& candidates = found.value();
    std::uint64_t ranks = application.ranks;
    if (ranks == 0) ranks = ranks_by_slots(candidates);
    if (ranks == 0) {
      return no_allocation(
          formatted("application {} names no number of ranks, and those before it have all slots; say how many with -n",
                    allocation_.ranks.size()));
    }
    STARLING_TRY(check_room(candidates, ranks));
    is_shared_ = application.hosts.empty();
    allocation_.ranks.push_back(static_cast<std::uint32_t>(ranks));
    if (request_.deal_by == DealBy::kByNumber) {
      deal_by_number(candidates, ranks);
    } else {
      deal_by_slots(candidates, ranks);
    }
    return {};
  }

  /// An error where a host has more ranks than slots, and that is not wanted.
  [[nodiscard]] Status check_slots() const {
    if (request_.may_exceed_slots || request_.hosts.empty()) return {};
    for (std::size_t host = 0; host < slots_.size(); ++host) {
      if (load_[host] <= slots_[host]) continue;
      return no_allocation(
          formatted("host '{}' would get {} ranks and has {} slot{}, which --nooversubscribe does not allow. Ask for "
                    "fewer ranks, "
                    "name more hosts or slots, or leave the option out",
                    request_.hosts[host].name, load_[host], slots_[host], slots_[host] == 1 ? "" : "s"));
    }
    return {};
  }

  Allocation take() {
    std::vector<HostShare> shares(slots_.size());
    std::size_t next = 0;
    for (std::size_t number = 0; number < allocation_.ranks.size(); ++number) {
      for (std::uint32_t i = 0; i < allocation_.ranks[number]; ++i, ++next) {
        HostShare& share = shares[host_of_rank_[next]];
        share.host = host_of_rank_[next];
        share.ranks.push_back(WorldRank{static_cast<std::int32_t>(next)});
        share.app_numbers.push_back(static_cast<std::int32_t>(number));
      }
    }
    for (HostShare& share : shares) {
      if (!share.ranks.empty()) allocation_.shares.push_back(std::move(share));
    }
    allocation_.note = note();
    return std::move(allocation_);
  }

 private:
  [[nodiscard]] std::uint64_t unused(std::size_t host) const {
    return slots_[host] > load_[host] ? slots_[host] - load_[host] : 0;
  }
  [[nodiscard]] std::uint64_t room(std::size_t host) const {
    return max_[host] == kNoLimit ? kNoLimit : max_[host] - load_[host];
  }

  Result<Candidates> candidates_of(const RankRequest& application) const {
    Candidates candidates;
    if (application.hosts.empty()) {
      for (std::size_t host = 0; host < slots_.size(); ++host) candidates.push_back({host, unused(host)});
    }
    for (const Host& host : application.hosts) {
      const auto found = std::find_if(request_.hosts.begin(), request_.hosts.end(),
                                      [&](const Host& other) { return other.name == host.name; });
      if (found == request_.hosts.end()) return no_allocation(formatted("host '{}' is none of the job's", host.name));
      const auto place = static_cast<std::size_t>(found - request_.hosts.begin());
      candidates.push_back({place, host.slots ? *host.slots : unused(place)});
    }
    for (Candidate& candidate : candidates) candidate.free = std::min(candidate.free, room(candidate.host));
    return candidates;
  }

  [[nodiscard]] std::uint64_t ranks_by_slots(const Candidates& candidates) const {
    if (request_.deal_by == DealBy::kByNumber) return std::uint64_t{request_.ranks_per_host} * candidates.size();
    return request_.hosts.empty() ? 1 : free_slots(candidates);
  }

  Status check_room(const Candidates& candidates, std::uint64_t ranks) const {
    std::uint64_t sum = 0;
    std::string limits;
    for (const Candidate& candidate : candidates) {
      sum += room(candidate.host);
      if (limits.size() > 200) continue;
      if (max_[candidate.host] == kNoLimit) continue;
      limits += formatted("{}{} on '{}'", limits.empty() ? "" : ", ", max_[candidate.host],
                          request_.hosts[candidate.host].name);
    }
    const std::uint64_t before = host_of_rank_.size();
    if (ranks <= sum && before + ranks <= std::numeric_limits<std::int32_t>::max()) return {};
    if (ranks <= sum) return no_allocation(formatted("{} ranks are too many", before + ranks));
    return no_allocation(
        formatted("{} ranks do not fit: max_slots is {}, which leaves room for {}. Ask for fewer ranks, add hosts, or "
                  "raise max_slots",
                  ranks, limits, sum));
  }

  void place(std::size_t host) {
    host_of_rank_.push_back(host);
    ++load_[host];
    if (is_shared_) ++shared_load_[host];
  }

  void deal_by_slots(Candidates& candidates, std::uint64_t ranks) {
    for (bool placed = true; placed && ranks > 0;) {
      placed = false;
      for (Candidate& candidate : candidates) {
        const std::uint64_t most = request_.deal_by == DealBy::kNode ? 1 : candidate.free;
        for (std::uint64_t i = std::min({most, candidate.free, ranks}); i > 0; --i, --ranks, --candidate.free) {
          place(candidate.host);
          placed = true;
        }
      }
    }
    ranks_beyond_ += ranks;
    while (ranks > 0) {
      for (const Candidate& candidate : candidates) {
        if (ranks == 0 || room(candidate.host) == 0) continue;
        place(candidate.host);
        --ranks;
      }
    }
  }

  /// K to each host, and once all have them K more. Applications without hosts of their own are one sequence.
  void deal_by_number(const Candidates& candidates, std::uint64_t ranks) {
    const std::uint64_t number = std::max(1u, request_.ranks_per_host);
    std::vector<std::uint64_t> own(slots_.size());
    const auto level = [&](std::size_t host) { return (is_shared_ ? shared_load_[host] : own[host]) / number; };
    while (ranks > 0) {
      std::uint64_t lowest = kNoLimit;
      for (const Candidate& candidate : candidates) {
        if (room(candidate.host) > 0) lowest = std::min(lowest, level(candidate.host));
      }
      for (const Candidate& candidate : candidates) {
        for (; ranks > 0 && room(candidate.host) > 0 && level(candidate.host) == lowest; --ranks) {
          place(candidate.host);
          ++own[candidate.host];
          ranks_beyond_ += lowest > 0 ? 1 : 0;
        }
      }
    }
  }

  [[nodiscard]] std::string note() const {
    if (ranks_beyond_ == 0 || request_.hosts.empty()) return {};
    const char* const verb = ranks_beyond_ == 1 ? "is" : "are";
    if (request_.deal_by == DealBy::kByNumber) {
      return formatted("{} of the {} ranks {} beyond {} a host; the hosts get them in the same order", ranks_beyond_,
                       host_of_rank_.size(), verb, request_.ranks_per_host);
    }
    return formatted("{} of the {} ranks {} beyond the hosts' slots; the hosts get them in turn", ranks_beyond_,
                     host_of_rank_.size(), verb);
  }

  const HostRequest& request_;
  std::vector<std::uint64_t> slots_;
  std::vector<std::uint64_t> max_;
  std::vector<std::uint64_t> load_;
  std::vector<std::uint64_t> shared_load_;  ///< of applications that may use all hosts
  bool is_shared_ = true;                   ///< what is being dealt now
  std::uint64_t ranks_beyond_ = 0;
  std::vector<std::size_t> host_of_rank_;
  Allocation allocation_;
};

/// Whether an application may fill the host as far as its cores go.
bool uses_its_cores(std::span<const RankRequest> applications, const Host& host) {
  return std::any_of(applications.begin(), applications.end(), [&](const RankRequest& application) {
    const std::vector<Host>& own = application.hosts;
    return own.empty() || std::any_of(own.begin(), own.end(),
                                      [&](const Host& other) { return other.name == host.name && !other.slots; });
  });
}

}  // namespace

std::vector<std::size_t> hosts_to_ask(std::span<const RankRequest> applications, const HostRequest& request) {
  if (request.deal_by == DealBy::kByNumber && request.may_exceed_slots) return {};
  std::uint64_t ranks = 0;
  bool is_sequence = true;  // of a known length, over all hosts
  for (const RankRequest& application : applications) {
    ranks += application.ranks;
    is_sequence = is_sequence && application.ranks > 0 && application.hosts.empty();
  }
  if (is_sequence && request.deal_by == DealBy::kNode && ranks <= request.hosts.size()) return {};
  std::vector<std::size_t> ask;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < request.hosts.size(); ++i) {
    const Host& host = request.hosts[i];
    sum += host.slots.value_or(1);
    // The slots of a host that gets the last ranks in any case suffice, and those behind it get none.
    if (is_sequence && request.deal_by == DealBy::kSlot && sum >= ranks) return ask;
    if (!host.slots && uses_its_cores(applications, host)) ask.push_back(i);
  }
  return ask;
}

Result<Allocation> allocate(std::span<const RankRequest> applications, const HostRequest& request,
                            std::span<const std::uint32_t> usable_cores) {
  Dealer dealer(request, usable_cores);
  for (const RankRequest& application : applications) STARLING_TRY(dealer.deal(application));
  STARLING_TRY(dealer.check_slots());
  return dealer.take();
}

}  // namespace starling::launch
