// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/evidence_form.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_stream.hpp"

namespace starling::observe {
namespace {

constexpr std::uint32_t kEvidenceWord = 0x32445645;  // "EVD2": raised with each change of the form

/// In place of a value that is not known; none of those that may be unknown is negative.
constexpr double kUnknown = -1;

std::optional<double> known(double value) { return value < 0 ? std::nullopt : std::optional(value); }

void put_figures(ByteWriter& to, const RankFigures& figures) {
  to.put(figures.mpi_share.value_or(kUnknown)).put(figures.calls_per_s).put(figures.messages_per_s);
  to.put(figures.bytes_per_s).put(figures.cores.value_or(kUnknown)).put(figures.processor);
  to.put(static_cast<std::uint8_t>(figures.resident_bytes.has_value())).put(figures.resident_bytes.value_or(0));
}

RankFigures get_figures(ByteReader& from) {
  RankFigures figures;
  figures.mpi_share = known(from.get<double>());
  figures.calls_per_s = from.get<double>();
  figures.messages_per_s = from.get<double>();
  figures.bytes_per_s = from.get<double>();
  figures.cores = known(from.get<double>());
  figures.processor = from.get<std::int32_t>();
  const bool has_memory = from.get<std::uint8_t>() != 0;
  const auto bytes = from.get<std::uint64_t>();
  if (has_memory) figures.resident_bytes = bytes;
  return figures;
}

void put_evidence_of_rank(ByteWriter& to, const RankEvidence& rank) {
  to.put(rank.rank).put(static_cast<std::uint64_t>(rank.host));
  put_figures(to, rank.figures);
  to.put(static_cast<std::uint8_t>(rank.since.has_value()));
  const Since since = rank.since.value_or(Since());
  to.put(since.ns).put(static_cast<std::uint8_t>(since.at_least));
  to.put(rank.running_threads).put(rank.swapped_bytes).put(static_cast<std::uint64_t>(rank.sockets_seen));
  to.put(rank.test_share).put_text(rank.tests_with).put(static_cast<std::uint64_t>(rank.awaited_alone));
  to.put(static_cast<std::uint64_t>(rank.allowed)).put(rank.moves_per_s);
  to.put_list(rank.sent,
              [](ByteWriter& writer, const SentTo& sent) { writer.put(sent.rank).put(sent.messages).put(sent.bytes); });
}

RankEvidence get_evidence_of_rank(ByteReader& from) {
  RankEvidence rank;
  rank.rank = from.get<std::int32_t>();
  rank.host = from.get<std::uint64_t>();
  rank.figures = get_figures(from);
  const bool has_since = from.get<std::uint8_t>() != 0;
  Since since;
  since.ns = from.get<std::int64_t>();
  since.at_least = from.get<std::uint8_t>() != 0;
  if (has_since) rank.since = since;
  rank.running_threads = from.get<double>();
  rank.swapped_bytes = from.get<std::uint64_t>();
  rank.sockets_seen = from.get<std::uint64_t>();
  rank.test_share = from.get<double>();
  rank.tests_with = from.get_text();
  rank.awaited_alone = from.get<std::uint64_t>();
  rank.allowed = from.get<std::uint64_t>();
  rank.moves_per_s = from.get<double>();
  rank.sent = from.get_list<SentTo>([](ByteReader& reader) {
    SentTo sent;
    sent.rank = reader.get<std::int32_t>();
    sent.messages = reader.get<std::uint64_t>();
    sent.bytes = reader.get<std::uint64_t>();
    return sent;
  });
  return rank;
}

void put_host(ByteWriter& to, const HostEvidence& host) {
  to.put_text(host.name).put(host.cores).put(static_cast<std::uint64_t>(host.sockets));
  to.put(host.swap_ins_per_s).put(host.compaction_stalls_per_s).put_text(host.huge_pages);
  to.put_list(host.groups, [](ByteWriter& writer, const GroupEvidence& group) {
    writer.put_text(group.folder).put(group.periods).put(group.throttled).put(group.cores.value_or(kUnknown));
  });
  to.put(static_cast<std::uint8_t>(host.lacks_sent));
}

HostEvidence get_host(ByteReader& from) {
  HostEvidence host;
  host.name = from.get_text();
  host.cores = from.get<double>();
  host.sockets = from.get<std::uint64_t>();
  host.swap_ins_per_s = from.get<double>();
  host.compaction_stalls_per_s = from.get<double>();
  host.huge_pages = from.get_text();
  host.groups = from.get_list<GroupEvidence>([](ByteReader& reader) {
    GroupEvidence group;
    group.folder = reader.get_text();
    group.periods = reader.get<std::uint64_t>();
    group.throttled = reader.get<std::uint64_t>();
    group.cores = known(reader.get<double>());
    return group;
  });
  host.lacks_sent = from.get<std::uint8_t>() != 0;
  return host;
}

}  // namespace

std::string serialised(const JobEvidence& evidence) {
  ByteWriter writer;
  writer.put(kEvidenceWord).put(evidence.seconds);
  writer.put(static_cast<std::uint64_t>(evidence.snapshots));
  writer.put(static_cast<std::uint64_t>(evidence.snapshots_with_waits));
  writer.put_list(evidence.hosts, put_host);
  writer.put_list(evidence.ranks, put_evidence_of_rank);
  return writer.take();
}

Result<JobEvidence> parse_evidence(std::string_view bytes, std::size_t ranks) {
  ByteReader reader(bytes);
  const bool is_form = reader.get<std::uint32_t>() == kEvidenceWord;
  JobEvidence evidence;
  evidence.seconds = reader.get<double>();
  evidence.snapshots = reader.get<std::uint64_t>();
  evidence.snapshots_with_waits = reader.get<std::uint64_t>();
  evidence.hosts = reader.get_list<HostEvidence>(get_host);
  evidence.ranks = reader.get_list<RankEvidence>(get_evidence_of_rank);
  const auto is_rank = [&](std::int32_t rank) { return rank >= 0 && static_cast<std::size_t>(rank) < ranks; };
  const auto is_sound = [&](const RankEvidence& rank) {
    return is_rank(rank.rank) && rank.host < evidence.hosts.size() &&
           std::ranges::all_of(rank.sent, is_rank, &SentTo::rank);
  };
  if (!is_form || !reader.ok_and_at_end() || !std::ranges::all_of(evidence.ranks, is_sound))
    return Status::error(ErrorClass::kOther, "what a host has said of its ranks is damaged");
  return evidence;
}

void add_part(JobEvidence& whole, JobEvidence part) {
  const std::size_t before = whole.hosts.size();
  whole.seconds = std::max(whole.seconds, part.seconds);
  whole.snapshots = std::max(whole.snapshots, part.snapshots);
  whole.snapshots_with_waits = std::max(whole.snapshots_with_waits, part.snapshots_with_waits);
  for (HostEvidence& host : part.hosts) whole.hosts.push_back(std::move(host));
  for (RankEvidence& rank : part.ranks) {
    rank.host += before;
    whole.ranks.push_back(std::move(rank));
  }
}

}  // namespace starling::observe
