// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TraceWriter: a timeline as a file for https://ui.perfetto.dev.
//
// Tracks: the job; in it the hosts; in these the ranks, and in a rank its further threads. A call is a slice; the
// causes of its waits are slices within it; messages are instants, joined by a flow; the calls of a collective are
// joined by a flow in the order in which they begin. Totals and notes are instants at the end. Thread safety: none.
// Memory: a word for each track.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/model/timeline_sink.hpp"
#include "trace/perfetto/packet_writer.hpp"

namespace starling::trace::perfetto {

class TraceWriter final : public TimelineSink {
 public:
  explicit TraceWriter(OutputFile& file);

  void begin(const JobFacts& facts) override;
  void function(std::uint32_t number, std::string_view name) override;
  void site(std::uint32_t number, std::string_view text) override { sites_[number] = packets_.value(text); }
  void call(const Call& call) override;
  void message(std::int32_t rank, std::uint32_t thread, const MessageEnd& end) override;
  void totals(const RankTotals& totals) override;
  void totals(const HostTotals& totals) override;
  void note(std::string_view sentence) override;
  [[nodiscard]] bool broken() const override { return file_.failed(); }
  /// Hands everything to the file.
  void finish() { packets_.flush(); }

 private:
  struct Words {
    explicit Words(PacketWriter& packets);
    Word call, collective, wait, message, total, note;
    Word sent, received, all_to_peer, all_calls, usage, host, lost;
    Word peer, tag, bytes, communicator, number, root, skipped, culprit, inferred, function, call_site, count,
        peak_bytes, processor_time, taken_off, swapped, running, cores, quota, periods, throttled, swap_ins;
    std::array<Word, kCauses> causes;
  };

  [[nodiscard]] std::uint64_t track_of(std::int32_t rank, std::uint32_t thread);
  [[nodiscard]] Word communicator(std::uint32_t context);
  void put_wait(std::uint64_t track, const WaitPart& part);
  void put_message(std::uint64_t track, const MessageEnd& end);
  void put_within(std::uint64_t track, const Call& call);

  OutputFile& file_;
  PacketWriter packets_;
  Words words_;
  JobFacts facts_;
  std::uint64_t job_track_ = 0;
  std::vector<std::uint64_t> host_tracks_;
  std::vector<std::vector<std::uint64_t>> tracks_;  ///< of each rank: of its threads
  std::unordered_map<std::uint32_t, Word> functions_;
  std::unordered_map<std::uint32_t, std::string> function_names_;
  std::unordered_map<std::uint32_t, Word> sites_;
  std::unordered_map<std::uint32_t, Word> communicators_;
  std::vector<MessageEnd> in_order_;  ///< its memory is used again
  std::int64_t end_ns_ = 0;
};

}  // namespace starling::trace::perfetto
