// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/profile/profile.hpp"

#include <algorithm>
#include <bit>

namespace starling::trace {
namespace {

void add_time(MpiTime* time, const Call& call) {
  ++time->calls;
  const std::int64_t all = call.end_ns - call.begin_ns;
  time->ns += all;
  std::int64_t explained = 0;
  for (const WaitPart& part : call.waits) {
    if (part.cause == Cause::kLibrary) continue;
    time->by_cause_ns[static_cast<std::size_t>(part.cause)] += part.end_ns - part.begin_ns;
    explained += part.end_ns - part.begin_ns;
  }
  time->by_cause_ns[static_cast<std::size_t>(Cause::kLibrary)] += all - explained;
}

}  // namespace

void Profile::begin(const JobFacts& facts) {
  facts_ = facts;
  ranks_.resize(facts.host_of.size());
}

RankProfile& Profile::at(std::int32_t number, std::int64_t begin_ns, std::int64_t end_ns) {
  RankProfile& rank = ranks_[static_cast<std::size_t>(number)];
  rank.begin_ns = rank.seen ? std::min(rank.begin_ns, begin_ns) : begin_ns;
  rank.end_ns = rank.seen ? std::max(rank.end_ns, end_ns) : end_ns;
  rank.seen = true;
  return rank;
}

void Profile::call(const Call& call) {
  if (!is_rank(call.rank)) return;
  add_time(&at(call.rank, call.begin_ns, call.end_ns).mpi, call);
  add_time(&functions_[call.function], call);
  add_time(&call_sites_[{call.function, call.site}], call);
  for (const WaitPart& part : call.waits) add_wait(call, part);
  for (const MessageEnd& end : call.messages) add_sent(call.rank, end);
}

void Profile::add_wait(const Call& call, const WaitPart& part) {
  if (part.cause == Cause::kLibrary || !is_rank(part.culprit)) return;
  Lateness& late = late_[{part.culprit, call.function}];
  const std::int64_t ns = part.end_ns - part.begin_ns;
  ++late.waits;
  late.ns += ns;
  if (ns <= late.longest_ns) return;
  late.longest_ns = ns;
  late.longest_for = call.rank;
}

void Profile::message(std::int32_t rank, std::uint32_t /*thread*/, const MessageEnd& end) {
  if (!is_rank(rank)) return;
  (void)at(rank, end.at_ns, end.at_ns);
  add_sent(rank, end);
}

void Profile::add_sent(std::int32_t rank, const MessageEnd& end) {
  if (!end.sent || !is_rank(end.peer)) return;
  Traffic& traffic =
      seen_[std::uint64_t{static_cast<std::uint32_t>(rank)} << 32 | static_cast<std::uint32_t>(end.peer)];
  ++traffic.messages;
  traffic.bytes += end.bytes;
  ++sizes_[end.bytes == 0 ? 0 : static_cast<std::size_t>(std::bit_width(end.bytes) - 1)];
}

void Profile::totals(const RankTotals& totals) {
  if (!is_rank(totals.rank)) return;
  RankProfile& rank = ranks_[static_cast<std::size_t>(totals.rank)];
  rank.lost += totals.lost;
  rank.usage = totals.usage;
  rank.totals_known = !totals.traffic.empty();
  for (const RankTotals::Calls& each : totals.calls) {
    rank.mpi.all_calls += each.count;
    functions_[each.function].all_calls += each.count;
  }
  for (const RankTotals::Traffic& each : totals.traffic)
    if (is_rank(each.peer)) known_[{totals.rank, each.peer}] = {each.messages, each.bytes};
}

std::map<Profile::Pair, Traffic> Profile::traffic() const {
  std::map<Pair, Traffic> all = known_;
  for (const auto& [pair, traffic] : seen_) {
    const auto sender = static_cast<std::int32_t>(pair >> 32);
    if (!ranks_[static_cast<std::size_t>(sender)].totals_known)
      all[{sender, static_cast<std::int32_t>(pair & 0xFFFFFFFFU)}] = traffic;
  }
  return all;
}

MpiTime Profile::sum() const {
  MpiTime sum;
  for (const RankProfile& rank : ranks_) {
    sum.calls += rank.mpi.calls;
    sum.all_calls += rank.mpi.all_calls;
    sum.ns += rank.mpi.ns;
    for (std::size_t cause = 0; cause < kCauses; ++cause) sum.by_cause_ns[cause] += rank.mpi.by_cause_ns[cause];
  }
  return sum;
}

std::int64_t Profile::job_ns() const {
  std::int64_t begin = 0, end = 0;
  bool any = false;
  for (const RankProfile& rank : ranks_) {
    if (!rank.seen) continue;
    begin = any ? std::min(begin, rank.begin_ns) : rank.begin_ns;
    end = any ? std::max(end, rank.end_ns) : rank.end_ns;
    any = true;
  }
  return end - begin;
}

}  // namespace starling::trace
