// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/perfetto/trace_writer.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "trace/perfetto/vocabulary.hpp"

namespace starling::trace::perfetto {

TraceWriter::Words::Words(PacketWriter& packets)
    : call(packets.category(vocabulary::kCallCategory)),
      collective(packets.category(vocabulary::kCollectiveCategory)),
      wait(packets.category(vocabulary::kWaitCategory)),
      message(packets.category(vocabulary::kMessageCategory)),
      total(packets.category(vocabulary::kTotalCategory)),
      note(packets.category(vocabulary::kNoteCategory)),
      sent(packets.name(vocabulary::kSent)),
      received(packets.name(vocabulary::kReceived)),
      all_to_peer(packets.name(vocabulary::kAllToPeer)),
      all_calls(packets.name(vocabulary::kAllCalls)),
      usage(packets.name(vocabulary::kUsage)),
      host(packets.name(vocabulary::kHost)),
      lost(packets.name(vocabulary::kLost)),
      peer(packets.key(vocabulary::kPeer)),
      tag(packets.key(vocabulary::kTag)),
      bytes(packets.key(vocabulary::kBytes)),
      communicator(packets.key(vocabulary::kCommunicator)),
      number(packets.key(vocabulary::kNumber)),
      root(packets.key(vocabulary::kRoot)),
      skipped(packets.key(vocabulary::kSkipped)),
      culprit(packets.key(vocabulary::kCulprit)),
      inferred(packets.key(vocabulary::kInferred)),
      function(packets.key(vocabulary::kFunction)),
      call_site(packets.key(vocabulary::kCallSite)),
      count(packets.key(vocabulary::kCount)),
      peak_bytes(packets.key(vocabulary::kPeakBytes)),
      processor_time(packets.key(vocabulary::kProcessorTime)),
      taken_off(packets.key(vocabulary::kTakenOff)),
      swapped(packets.key(vocabulary::kSwapped)),
      running(packets.key(vocabulary::kRunning)),
      cores(packets.key(vocabulary::kCores)),
      quota(packets.key(vocabulary::kQuota)),
      periods(packets.key(vocabulary::kPeriods)),
      throttled(packets.key(vocabulary::kThrottled)),
      swap_ins(packets.key(vocabulary::kSwapIns)) {
  for (std::size_t cause = 0; cause < kCauses; ++cause)
    causes[cause] = packets.name(cause_name(static_cast<Cause>(cause)));
}

TraceWriter::TraceWriter(OutputFile& file) : file_(file), packets_(file), words_(packets_) {}

void TraceWriter::begin(const JobFacts& facts) {
  facts_ = facts;
  job_track_ = packets_.track(formatted("{} of {} ranks", vocabulary::kJobTrack, facts.size()), 0, 0);
  for (const std::string& name : facts.hosts)
    host_tracks_.push_back(packets_.track(name, job_track_, static_cast<std::int32_t>(host_tracks_.size())));
  for (std::int32_t rank = 0; rank < facts.size(); ++rank) {
    const auto host = static_cast<std::size_t>(facts.host_of[static_cast<std::size_t>(rank)]);
    tracks_.push_back({packets_.track(formatted("{}{}", vocabulary::kRankTrack, rank), host_tracks_[host], rank)});
  }
}

std::uint64_t TraceWriter::track_of(std::int32_t rank, std::uint32_t thread) {
  std::vector<std::uint64_t>& threads = tracks_[static_cast<std::size_t>(rank)];
  while (threads.size() <= thread) {
    const auto number = static_cast<std::int32_t>(threads.size());
    threads.push_back(
        packets_.track(formatted("{}{}, thread {}", vocabulary::kRankTrack, rank, number), threads.front(), number));
  }
  return threads[thread];
}

void TraceWriter::function(std::uint32_t number, std::string_view name) {
  functions_[number] = packets_.name(name);
  function_names_[number] = name;
}

Word TraceWriter::communicator(std::uint32_t context) {
  if (const auto known = communicators_.find(context); known != communicators_.end()) return known->second;
  const auto named = facts_.communicators.find(context);
  const bool has_name = named != facts_.communicators.end() && !named->second.empty();
  const Word word = packets_.value(has_name ? named->second : formatted("communicator {}", context));
  communicators_.emplace(context, word);
  return word;
}

void TraceWriter::put_wait(std::uint64_t track, const WaitPart& part) {
  packets_.begin_slice(track, part.begin_ns, words_.wait, words_.causes[static_cast<std::size_t>(part.cause)]);
  if (part.culprit != kNoRank) packets_.annotate(words_.culprit, part.culprit);
  if (part.inferred) packets_.annotate_true(words_.inferred);
  packets_.finish();
}

void TraceWriter::put_message(std::uint64_t track, const MessageEnd& end) {
  const Word where = communicator(end.context);
  packets_.begin_instant(track, end.at_ns, words_.message, end.sent ? words_.sent : words_.received);
  packets_.annotate(words_.peer, end.peer);
  if (end.tag >= 0) packets_.annotate(words_.tag, end.tag);
  packets_.annotate(words_.bytes, static_cast<std::int64_t>(end.bytes));
  packets_.annotate(words_.communicator, where);
  if (end.flow != 0 && end.sent) packets_.flow(end.flow);
  if (end.flow != 0 && !end.sent) packets_.last_of_flow(end.flow);
  packets_.finish();
}

void TraceWriter::message(std::int32_t rank, std::uint32_t thread, const MessageEnd& end) {
  put_message(track_of(rank, thread), end);
}

void TraceWriter::call(const Call& call) {
  const std::uint64_t track = track_of(call.rank, call.thread);
  const Word where = call.collective ? communicator(call.context) : Word();
  packets_.begin_slice(track, call.begin_ns, call.collective ? words_.collective : words_.call,
                       functions_[call.function]);
  if (call.collective) {
    packets_.annotate(words_.communicator, where);
    packets_.annotate(words_.number, static_cast<std::int64_t>(call.number));
    if (call.root >= 0) packets_.annotate(words_.root, call.root);
    packets_.annotate(words_.bytes, static_cast<std::int64_t>(call.bytes));
    if (call.flow != 0) packets_.flow(call.flow);
  }
  if (call.site != 0) packets_.annotate(words_.call_site, sites_[call.site]);
  if (call.skipped > 0) packets_.annotate(words_.skipped, call.skipped);
  packets_.finish();
  put_within(track, call);
  if (!call.open) packets_.end_slice(track, call.end_ns);
  end_ns_ = std::max(end_ns_, call.end_ns);
}

/// The waits and messages of a call, in the order of time.
void TraceWriter::put_within(std::uint64_t track, const Call& call) {
  in_order_ = call.messages;
  std::stable_sort(in_order_.begin(), in_order_.end(),
                   [](const MessageEnd& one, const MessageEnd& other) { return one.at_ns < other.at_ns; });
  std::size_t next = 0;
  const auto put_messages_until = [&](std::int64_t ns) {
    for (; next < in_order_.size() && in_order_[next].at_ns <= ns; ++next) put_message(track, in_order_[next]);
  };
  for (const WaitPart& part : call.waits) {
    if (part.begin_ns == part.end_ns) continue;
    put_messages_until(part.begin_ns);
    put_wait(track, part);
    put_messages_until(part.end_ns);
    packets_.end_slice(track, part.end_ns);
  }
  put_messages_until(call.end_ns);
}

void TraceWriter::totals(const RankTotals& totals) {
  const std::uint64_t track = track_of(totals.rank, 0);
  end_ns_ = std::max(end_ns_, totals.end_ns);
  for (const RankTotals::Calls& each : totals.calls) {
    const Word name = packets_.value(function_names_[each.function]);
    packets_.begin_instant(track, totals.end_ns, words_.total, words_.all_calls);
    packets_.annotate(words_.function, name);
    packets_.annotate(words_.count, static_cast<std::int64_t>(each.count));
    packets_.finish();
  }
  for (const RankTotals::Traffic& each : totals.traffic) {
    packets_.begin_instant(track, totals.end_ns, words_.total, words_.all_to_peer);
    packets_.annotate(words_.peer, each.peer);
    packets_.annotate(words_.count, static_cast<std::int64_t>(each.messages));
    packets_.annotate(words_.bytes, static_cast<std::int64_t>(each.bytes));
    packets_.finish();
  }
  if (totals.usage.known()) {
    packets_.begin_instant(track, totals.end_ns, words_.total, words_.usage);
    packets_.annotate(words_.peak_bytes, static_cast<std::int64_t>(totals.usage.peak_bytes));
    packets_.annotate(words_.processor_time, totals.usage.processor_ns);
    packets_.annotate(words_.taken_off, static_cast<std::int64_t>(totals.usage.taken_off));
    packets_.annotate(words_.swapped, static_cast<std::int64_t>(totals.usage.swapped_bytes));
    packets_.annotate(words_.running, static_cast<std::int64_t>(totals.usage.running_thousandths));
    packets_.finish();
  }
  if (totals.lost == 0) return;
  packets_.begin_instant(track, totals.end_ns, words_.total, words_.lost);
  packets_.annotate(words_.count, static_cast<std::int64_t>(totals.lost));
  packets_.finish();
}

void TraceWriter::totals(const HostTotals& totals) {
  packets_.begin_instant(host_tracks_[static_cast<std::size_t>(totals.host)], totals.end_ns, words_.total, words_.host);
  packets_.annotate(words_.cores, static_cast<std::int64_t>(totals.cores));
  packets_.annotate(words_.quota, static_cast<std::int64_t>(totals.quota_thousandths));
  packets_.annotate(words_.periods, static_cast<std::int64_t>(totals.periods));
  packets_.annotate(words_.throttled, static_cast<std::int64_t>(totals.throttled));
  packets_.annotate(words_.swap_ins, static_cast<std::int64_t>(totals.swap_ins));
  packets_.finish();
}

void TraceWriter::note(std::string_view sentence) {
  const Word text = packets_.name(sentence);
  packets_.begin_instant(job_track_, end_ns_, words_.note, text);
  packets_.finish();
}

}  // namespace starling::trace::perfetto
