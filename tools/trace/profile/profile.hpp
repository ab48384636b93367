// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Profile: a timeline added up: the time of each rank by cause, who made others wait, which ranks talk to each other.
// Thread safety: none. Memory: by ranks, functions, places that call them and pairs of ranks that talk, not by
// events.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/model/timeline_sink.hpp"

namespace starling::trace {

/// Time in MPI, and how many calls.
struct MpiTime {
  std::uint64_t calls = 0;      ///< that are on the timeline
  std::uint64_t all_calls = 0;  ///< also those that were only counted; 0: not known
  std::int64_t ns = 0;
  std::array<std::int64_t, kCauses> by_cause_ns{};
  [[nodiscard]] std::int64_t of(Cause cause) const { return by_cause_ns[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] std::int64_t waited_ns() const { return ns - of(Cause::kLibrary); }
};

struct RankProfile {
  MpiTime mpi;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool seen = false;
  std::uint64_t lost = 0;
  RankUsage usage;
  bool totals_known = false;  ///< traffic is of all messages, not only of those on the timeline
  [[nodiscard]] std::int64_t age_ns() const { return end_ns - begin_ns; }
};

/// How long a rank made others wait in one function.
struct Lateness {
  std::uint64_t waits = 0;
  std::int64_t ns = 0;
  std::int64_t longest_ns = 0;
  std::int32_t longest_for = kNoRank;  ///< the rank that waited longest
};

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

class Profile final : public TimelineSink {
 public:
  using Pair = std::pair<std::int32_t, std::int32_t>;      ///< sender and receiver
  using LateIn = std::pair<std::int32_t, std::uint32_t>;   ///< the late rank, and the function of those that waited
  using CallAt = std::pair<std::uint32_t, std::uint32_t>;  ///< a function, and the number of the place that calls it
  static constexpr std::size_t kSizes = 64;

  void begin(const JobFacts& facts) override;
  void function(std::uint32_t number, std::string_view name) override { names_[number] = name; }
  void site(std::uint32_t number, std::string_view text) override { sites_[number] = text; }
  void call(const Call& call) override;
  void message(std::int32_t rank, std::uint32_t thread, const MessageEnd& end) override;
  void totals(const RankTotals& totals) override;
  void totals(const HostTotals& totals) override { hosts_[totals.host] = totals; }
  void note(std::string_view sentence) override { notes_.emplace_back(sentence); }

  [[nodiscard]] const JobFacts& facts() const { return facts_; }
  [[nodiscard]] const std::vector<RankProfile>& ranks() const { return ranks_; }
  [[nodiscard]] const std::map<std::uint32_t, MpiTime>& functions() const { return functions_; }
  [[nodiscard]] const std::string& name_of(std::uint32_t function) const { return names_.at(function); }
  /// Of the calls on the timeline.
  [[nodiscard]] const std::map<CallAt, MpiTime>& call_sites() const { return call_sites_; }
  /// "iterate at solver.c:88"; "an unknown place" of number 0.
  [[nodiscard]] const std::string& name_of_site(std::uint32_t site) const { return sites_.at(site); }
  [[nodiscard]] const std::map<LateIn, Lateness>& late() const { return late_; }
  /// Of a rank whose totals are known all messages that it sent, else those on the timeline.
  [[nodiscard]] std::map<Pair, Traffic> traffic() const;
  /// Messages on the timeline by size: those of 2^i to 2^(i+1)-1 bytes; the first has the empty ones as well.
  [[nodiscard]] const std::array<std::uint64_t, kSizes>& sizes() const { return sizes_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// By host; those of which nothing is known are not there.
  [[nodiscard]] const std::map<std::int32_t, HostTotals>& hosts() const { return hosts_; }
  /// Of all ranks together.
  [[nodiscard]] MpiTime sum() const;
  /// From the first to the last moment that is known.
  [[nodiscard]] std::int64_t job_ns() const;

 private:
  [[nodiscard]] RankProfile& at(std::int32_t rank, std::int64_t begin_ns, std::int64_t end_ns);
  [[nodiscard]] bool is_rank(std::int32_t number) const {
    return number >= 0 && static_cast<std::size_t>(number) < ranks_.size();
  }
  void add_sent(std::int32_t rank, const MessageEnd& end);
  void add_wait(const Call& call, const WaitPart& part);

  JobFacts facts_;
  std::vector<RankProfile> ranks_;
  std::map<std::int32_t, HostTotals> hosts_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::unordered_map<std::uint32_t, std::string> sites_{{0, "an unknown place"}};
  std::map<std::uint32_t, MpiTime> functions_;
  std::map<CallAt, MpiTime> call_sites_;
  std::map<LateIn, Lateness> late_;
  std::unordered_map<std::uint64_t, Traffic> seen_;  ///< by sender << 32 | receiver
  std::map<Pair, Traffic> known_;
  std::array<std::uint64_t, kSizes> sizes_{};
  std::vector<std::string> notes_;
};

}  // namespace starling::trace
