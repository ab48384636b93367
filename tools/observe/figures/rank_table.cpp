// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/rank_table.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/format.hpp"
#include "observe/analysis/rank_graph.hpp"
#include "observe/analysis/sentences.hpp"
#include "observe/model/words.hpp"

namespace starling::observe {
namespace {

constexpr std::size_t kWide = 96;

std::string percent_or_unknown(std::optional<double> share) {
  return share ? formatted("{:.0f}%", *share * 100) : std::string("?");
}

std::string since_text(const std::optional<Since>& since) {
  if (!since) return "";
  return formatted("{}{}", since->at_least ? ">" : "", duration_text(since->ns));
}

/// "MPI_Barrier, for 2 and 3"
std::string waiting_what(const Snapshot& snapshot, const RankGraph& graph, std::int32_t rank) {
  const std::vector<std::int32_t> awaited = graph.awaited_ranks(rank);
  const std::string text = wait_text(snapshot, rank);
  if (awaited.empty()) return text;
  if (awaited.size() + 1 == snapshot.ranks.size() && graph.waits_for_one(rank)) return text + ", for anyone";
  return formatted("{}, for {}", text, rank_numbers(awaited, graph.waits_for_one(rank) ? "or" : "and"));
}

std::string other_what(const RankSnapshot& rank) {
  switch (rank.activity) {
    case Activity::kStarting: return "has not reached MPI_Init";
    case Activity::kOutside: return "outside MPI";
    case Activity::kActive: return rank.call.empty() ? "goes on" : "goes on, " + rank.call;
    case Activity::kInside: return rank.call;
    case Activity::kTesting: return formatted("loop of {} that finds nothing", rank.call);
    case Activity::kWaiting: return rank.call;
    case Activity::kFinalized: return "has called MPI_Finalize";
    case Activity::kExited: return "has exited";
    case Activity::kStopped: return "stopped, as by a debugger";
    case Activity::kElsewhere: return "on another host, not seen here";
  }
  return {};
}

std::vector<std::size_t> waiters_of(const Snapshot& snapshot, const RankGraph& graph) {
  std::vector<std::size_t> waiters(snapshot.ranks.size(), 0);
  for (std::int32_t rank = 0; static_cast<std::size_t>(rank) < waiters.size(); ++rank) {
    if (snapshot.rank(rank).activity != Activity::kWaiting || graph.waits_for_one(rank)) continue;
    for (const std::int32_t awaited : graph.awaited_ranks(rank)) ++waiters[static_cast<std::size_t>(awaited)];
  }
  return waiters;
}

/// The snapshot knows of waits exactly, of other times to a second; who has looked often may have seen the rank come.
std::optional<Since> since_of(const RankSnapshot& rank, const std::optional<Since>& seen) {
  if (seen && !seen->at_least) return seen;
  if (rank.time_ns) return Since{std::max(*rank.time_ns, seen ? seen->ns : 0), false};
  return seen;
}

std::int64_t time_of(const RankRow& row) { return row.since ? row.since->ns : -1; }

double weight(const RankRow& row, RankOrder order) {
  switch (order) {
    case RankOrder::kLate:
    case RankOrder::kRank: break;
    case RankOrder::kTime: return static_cast<double>(time_of(row));
    case RankOrder::kMpi: return row.figures.mpi_share.value_or(-1);
    case RankOrder::kCalls: return row.figures.calls_per_s;
    case RankOrder::kBytes: return row.figures.bytes_per_s;
    case RankOrder::kCpu: return row.figures.cores.value_or(-1);
    case RankOrder::kMemory: return static_cast<double>(row.figures.resident_bytes.value_or(0));
  }
  return -row.rank;
}

}  // namespace

std::vector<RankRow> rank_rows(const Snapshot& snapshot, const std::vector<RankFigures>& figures,
                               const std::vector<std::optional<Since>>& since) {
  const std::size_t count = snapshot.ranks.size();
  const RankGraph graph(snapshot, std::vector<bool>(count, true), std::vector<bool>(count, false));
  const std::vector<std::size_t> waiters = waiters_of(snapshot, graph);
  std::vector<RankRow> rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    const RankSnapshot& rank = snapshot.ranks[i];
    RankRow& row = rows[i];
    row.rank = static_cast<std::int32_t>(i);
    row.waiters = waiters[i];
    const bool waits = rank.activity == Activity::kWaiting;
    row.what = waits ? waiting_what(snapshot, graph, row.rank) : other_what(rank);
    if (i < figures.size()) row.figures = figures[i];
    const bool stays = rank.activity == Activity::kOutside || rank.activity == Activity::kInside;
    row.since = since_of(rank, stays && i < since.size() ? since[i] : std::nullopt);
  }
  return rows;
}

void sort_rows(std::vector<RankRow>& rows, RankOrder order, bool reversed) {
  const auto comes_first = [order](const RankRow& a, const RankRow& b) {
    if (order != RankOrder::kLate) return weight(a, order) > weight(b, order);
    return std::tuple(a.waiters, time_of(a)) > std::tuple(b.waiters, time_of(b));
  };
  std::ranges::sort(rows, {}, &RankRow::rank);
  std::ranges::stable_sort(rows, comes_first);
  if (reversed) std::ranges::reverse(rows);
}

std::string short_number(double value) {
  constexpr double kStep = 1000;
  const char* unit = "";
  for (const char* next : {"k", "M", "G", "T"}) {
    if (value < kStep - 0.5) break;
    value /= kStep;
    unit = next;
  }
  return value >= 9.95 || value < 0.05 || (*unit == 0 && value == std::floor(value))
             ? formatted("{:.0f}{}", value, unit)
             : formatted("{:.1f}{}", value, unit);
}

std::string printable(const std::string& text, std::size_t width) {
  std::string shown;
  std::size_t columns = 0;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    const bool continues = (byte & 0xc0) == 0x80;  // of a character in UTF-8
    if (!continues && width != 0 && columns == width) break;
    if (!continues) ++columns;
    shown += byte < 0x20 || byte == 0x7f ? '?' : each;
  }
  return shown;
}

std::string table_heading(std::size_t width) {
  std::string text = formatted("{:>4} {:>8} {:>7} {:>4} {:>7} ", "RANK", "SINCE", "WAITERS", "MPI", "CALLS/S");
  if (width == 0 || width >= kWide) text += formatted("{:>7} ", "SENDS/S");
  text += formatted("{:>7} {:>5} ", "BYTES/S", "CPU");
  if (width == 0 || width >= kWide) text += formatted("{:>4} ", "CORE");
  return printable(text + formatted("{:>6}  {}", "RSS", "DOES"), width);
}

std::string table_line(const RankRow& row, std::size_t width) {
  const RankFigures& figures = row.figures;
  const std::string waiters = row.waiters > 0 ? formatted("{}", row.waiters) : std::string();
  std::string text = formatted("{:>4} {:>8} {:>7} {:>4} {:>7} ", row.rank, since_text(row.since), waiters,
                               percent_or_unknown(figures.mpi_share), short_number(figures.calls_per_s));
  if (width == 0 || width >= kWide) text += formatted("{:>7} ", short_number(figures.messages_per_s));
  text += formatted("{:>7} {:>5} ", short_number(figures.bytes_per_s), percent_or_unknown(figures.cores));
  if (width == 0 || width >= kWide)
    text += formatted("{:>4} ", figures.processor >= 0 ? formatted("{}", figures.processor) : std::string("?"));
  const std::string memory =
      figures.resident_bytes ? short_number(static_cast<double>(*figures.resident_bytes)) : std::string("?");
  return printable(text + formatted("{:>6}  {}", memory, row.what), width);
}

std::string summary_text(const std::vector<RankRow>& rows) {
  double share = 0;
  double messages = 0;
  double bytes = 0;
  double cores = 0;
  std::size_t seen = 0;
  for (const RankRow& row : rows) {
    messages += row.figures.messages_per_s;
    bytes += row.figures.bytes_per_s;
    cores += row.figures.cores.value_or(0);
    if (row.figures.mpi_share) share += *row.figures.mpi_share, ++seen;
  }
  const std::string mean = seen > 0 ? formatted("{:.0f} %", share / static_cast<double>(seen) * 100) : "?";
  return formatted("{} of the time in MPI; {} messages and {} bytes sent a second; {:.1f} cores used", mean,
                   short_number(messages), short_number(bytes), cores);
}

}  // namespace starling::observe
