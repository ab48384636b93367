// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/report/page.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "trace/profile/quantities.hpp"
#include "trace/profile/rankings.hpp"
#include "trace/report/advice.hpp"
#include "trace/report/drawings.hpp"
#include "trace/report/html.hpp"
#include "trace/report/style.hpp"

namespace starling::trace::report {
namespace {

constexpr std::size_t kMostRows = 40;

std::int64_t time_of_all_ranks(const Profile& profile) {
  std::int64_t whole = 0;
  for (const RankProfile& rank : profile.ranks()) whole += rank.age_ns();
  return whole;
}

std::string tile(const std::string& value, std::string_view name) {
  return formatted("<div><b>{}</b><span>{}</span></div>\n", value, name);
}

std::string tiles(const Profile& profile) {
  const MpiTime sum = profile.sum();
  const std::int64_t whole = time_of_all_ranks(profile);
  Traffic all;
  for (const auto& [pair, traffic] : profile.traffic()) {
    all.messages += traffic.messages;
    all.bytes += traffic.bytes;
  }
  return "<div class=\"tiles\">\n" + tile(formatted("{}", profile.ranks().size()), "ranks") +
         tile(formatted("{}", profile.facts().hosts.size()), profile.facts().hosts.size() == 1 ? "host" : "hosts") +
         tile(time_text(profile.job_ns()), "from the first call to the last") +
         tile(share_text(sum.ns, whole), "of the time in MPI") +
         tile(share_text(sum.waited_ns(), whole), "waiting for others") +
         tile(count_text(sum.all_calls > 0 ? sum.all_calls : sum.calls), "MPI calls") +
         tile(bytes_text(all.bytes), formatted("in {} messages", count_text(all.messages))) + "</div>\n";
}

std::string advice_list(const Profile& profile) {
  std::string list = "<ol class=\"advice\">\n";
  for (const std::string& each : advice(profile)) list += formatted("<li>{}</li>\n", escaped(each));
  return list + "</ol>\n";
}

std::string late_table(const Profile& profile) {
  const std::vector<LateRank> ranks = late_ranks(profile);
  if (ranks.empty()) return "<p>Nobody made others wait, as far as is recorded.</p>\n";
  const std::int64_t whole = time_of_all_ranks(profile);
  Table table({"late rank", "others waited", "of all time", "waits", "longest", "most of it in"});
  table.end_in_words();
  for (std::size_t at = 0; at < std::min(ranks.size(), kMostRows); ++at) {
    const LateRank& each = ranks[at];
    std::string where;
    for (std::size_t in = 0; in < std::min<std::size_t>(each.in.size(), 2); ++in)
      where += formatted("{}{} ({})", in == 0 ? "" : ", ", escaped(profile.name_of(each.in[in].function)),
                         time_text(each.in[in].lateness.ns));
    table.row({formatted("rank {}", each.rank), time_text(each.all.ns), share_text(each.all.ns, whole),
               count_text(each.all.waits),
               formatted("{} by rank {}", time_text(each.all.longest_ns), each.all.longest_for), where});
  }
  if (ranks.size() > kMostRows) table.below(formatted("and {} more ranks", ranks.size() - kMostRows));
  return table.html();
}

std::string function_table(const Profile& profile) {
  const std::vector<std::uint32_t> order = longest_functions(profile);
  Table table({"function", "calls", "on the timeline", "time", "late sender", "late receiver", "collective",
               "other wait", "library"});
  for (std::size_t at = 0; at < std::min(order.size(), kMostRows); ++at) {
    const MpiTime& time = profile.functions().at(order[at]);
    std::vector<std::string> cells = {escaped(profile.name_of(order[at])),
                                      time.all_calls == 0 ? "-" : count_text(time.all_calls), count_text(time.calls),
                                      time_text(time.ns)};
    for (const std::int64_t ns : time.by_cause_ns) cells.push_back(time_text(ns));
    table.row(cells);
  }
  if (order.size() > kMostRows) table.below(formatted("and {} more functions", order.size() - kMostRows));
  return table.html();
}

std::string call_site_table(const Profile& profile) {
  const std::vector<Profile::CallAt> order = longest_call_sites(profile);
  const std::int64_t whole = profile.sum().ns;
  Table table(
      {"call", "calls", "time", "of all MPI", "late sender", "late receiver", "collective", "other wait", "library"});
  for (std::size_t at = 0; at < std::min(order.size(), kMostRows); ++at) {
    const MpiTime& time = profile.call_sites().at(order[at]);
    std::vector<std::string> cells = {escaped(call_site_text(profile, order[at])), count_text(time.calls),
                                      time_text(time.ns), share_text(time.ns, whole)};
    for (const std::int64_t ns : time.by_cause_ns) cells.push_back(time_text(ns));
    table.row(cells);
  }
  if (order.size() > kMostRows) table.below(formatted("and {} more call sites", order.size() - kMostRows));
  return table.html();
}

std::string pair_table(const Profile& profile) {
  constexpr std::size_t kMostPairs = 10;
  const std::vector<PairTraffic> order = biggest_pairs(profile);
  Table table({"from and to", "messages", "bytes", "average"});
  for (std::size_t at = 0; at < std::min(order.size(), kMostPairs); ++at) {
    const Traffic& traffic = order[at].traffic;
    table.row({formatted("rank {} to rank {}", order[at].pair.first, order[at].pair.second),
               count_text(traffic.messages), bytes_text(traffic.bytes),
               bytes_text(traffic.messages == 0 ? 0 : traffic.bytes / traffic.messages)});
  }
  if (order.size() > kMostPairs) table.below(formatted("and {} more pairs", order.size() - kMostPairs));
  return order.empty() ? std::string() : table.html();
}

std::string threads_text(double threads) { return threads == 0 ? "-" : formatted("{:.1f}", threads); }

/// What the hosts had, and what the ranks wanted.
std::string host_table(const Profile& profile) {
  if (profile.hosts().empty()) return "<p>Not recorded.</p>\n";
  Table table({"host", "ranks", "cores", "threads at once", "stopped by its group", "pages from swap"});
  for (const auto& [host, had] : profile.hosts()) {
    const HostLoad load = load_of(profile, host);
    const auto throttled = static_cast<std::int64_t>(had.throttled), periods = static_cast<std::int64_t>(had.periods);
    table.row({escaped(profile.facts().hosts[static_cast<std::size_t>(host)]), count_text(load.ranks),
               count_text(had.cores), threads_text(load.threads),
               periods == 0 ? "no limit" : formatted("in {} of its periods", share_text(throttled, periods)),
               count_text(had.swap_ins)});
  }
  return table.html();
}

/// Every rank; those that have used the most memory come first.
std::string usage_table(const Profile& profile) {
  std::vector<std::size_t> order;
  for (std::size_t rank = 0; rank < profile.ranks().size(); ++rank)
    if (profile.ranks()[rank].usage.known()) order.push_back(rank);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return profile.ranks()[one].usage.peak_bytes > profile.ranks()[other].usage.peak_bytes;
  });
  if (order.empty()) return "<p>Not recorded.</p>\n";
  Table table({"rank", "most memory", "of it in swap", "processor time", "of its time", "threads that ran",
               "its core was taken"});
  for (const std::size_t number : order) {
    const RankProfile& rank = profile.ranks()[number];
    table.row({formatted("rank {}", number), bytes_text(rank.usage.peak_bytes), bytes_text(rank.usage.swapped_bytes),
               time_text(rank.usage.processor_ns), share_text(rank.usage.processor_ns, rank.age_ns()),
               threads_text(static_cast<double>(rank.usage.running_thousandths) / 1000),
               formatted("{} times", count_text(rank.usage.taken_off))});
  }
  if (order.size() > kMostRows) table.scroll();
  return table.html();
}

std::string gaps(const Profile& profile) {
  const MpiTime sum = profile.sum();
  std::string list;
  if (sum.all_calls > sum.calls)
    list += formatted("<li>{} calls were only counted: they neither waited nor moved more than 1 KiB.</li>\n",
                      count_text(sum.all_calls - sum.calls));
  for (const std::string& note : profile.notes()) list += formatted("<li>{}</li>\n", escaped(note));
  return list.empty() ? "<p>Nothing: every call was recorded.</p>\n" : "<ul>\n" + list + "</ul>\n";
}

}  // namespace

std::string page(const Profile& profile) {
  const std::string title = formatted("MPI report: {} ranks, {}", profile.ranks().size(), time_text(profile.job_ns()));
  std::string html = formatted(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>{}</style></head>\n<body><main>\n"
      "<h1>{}</h1>\n",
      title, kStyle, title);
  html += tiles(profile);
  html +=
      section("What to try next", "What the figures below suggest, the most promising first.", advice_list(profile));
  html += section("Where the time went",
                  "A bar for each rank. Blue is the library at work; grey, orange and violet are waits.",
                  time_drawing(profile));
  html += section("Who was late, and what it cost",
                  "How long others waited for a rank that had not yet sent, received, or begun a collective.",
                  late_table(profile));
  html += section("Time by call site",
                  "Of all ranks together, the calls on the timeline, by the line of the program that makes them. A "
                  "program without debug information (-g) shows functions and addresses.",
                  call_site_table(profile));
  html += section("Time by function", "Of all ranks together.", function_table(profile));
  html += section("Who talks to whom", "The stronger the colour, the more bytes; the scale is logarithmic.",
                  matrix_drawing(profile) + pair_table(profile));
  html += section("Message sizes", "Messages on the timeline, by their smallest size.", size_drawing(profile));
  html +=
      section("Machines",
              "The cores that the ranks may use, and whether they had them: threads that ran or wanted to, looked at "
              "once a second, and periods in which a control group stopped them.",
              host_table(profile));
  html += section("Memory and processors", "Of each rank's process, with what it has started; the largest first.",
                  usage_table(profile));
  html += section("What is missing", "What was not recorded, or only counted.", gaps(profile));
  html +=
      "<footer>Made by Starling. Late sender: a receive waited for a message that was not yet sent. Late receiver: a "
      "send "
      "waited for its receive. Wait at collective: a rank without which the collective cannot end had not begun it. "
      "Library: all other time in MPI.</footer>\n</main></body></html>\n";
  return html;
}

}  // namespace starling::trace::report
