// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/failure_report.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_stream.hpp"
#include "base/format.hpp"
#include "observe/model/words.hpp"

namespace starling::launch {
namespace {

constexpr std::size_t kMostLines = 48;

/// Trails merged as far as they are the same.
struct CallTree {
  std::string text;
  std::vector<std::int32_t> ranks;
  std::vector<CallTree> below;

  CallTree& child(const std::string& words) {
    const auto found = std::ranges::find(below, words, &CallTree::text);
    if (found != below.end()) return *found;
    below.push_back({words, {}, {}});
    return below.back();
  }
  void sort() {
    std::ranges::sort(ranks);
    for (CallTree& each : below) each.sort();
    std::ranges::sort(below, {}, [](const CallTree& each) { return each.ranks.front(); });
  }
};

void add_lines(const CallTree& tree, std::size_t indent, std::vector<std::string>& lines) {
  const std::string space(indent, ' ');
  for (const CallTree& each : tree.below) {
    const bool is_apart = each.ranks != tree.ranks || tree.text.empty();
    lines.push_back(space + (is_apart ? observe::rank_names(each.ranks) + ": " : std::string()) + each.text + "\n");
    add_lines(each, indent + (is_apart ? 2 : 0), lines);
  }
}

Status damaged() { return Status::error(ErrorClass::kOther, "a damaged report of a failure"); }

}  // namespace

void RankPlaces::add(const RankPlaces& others) {
  for (const auto& [trail, ranks] : others.trails_) {
    std::vector<std::int32_t>& all = trails_[trail];
    all.insert(all.end(), ranks.begin(), ranks.end());
  }
}

std::string RankPlaces::text() const {
  if (trails_.empty()) return {};
  const auto lines_of = [this](std::string CallWords::*words, std::size_t depth) {
    CallTree tree;
    for (const auto& [trail, ranks] : trails_) {
      CallTree* at = &tree;
      for (std::size_t i = 0; i < trail.size() && i < depth; ++i) {
        at = &at->child(trail[i].*words);
        at->ranks.insert(at->ranks.end(), ranks.begin(), ranks.end());
      }
    }
    tree.sort();
    std::vector<std::string> lines;
    add_lines(tree, 4, lines);
    return lines;
  };
  constexpr std::size_t kAll = 100;
  const char* left_out = "";
  std::vector<std::string> lines = lines_of(&CallWords::text, kAll);
  for (const std::size_t depth : {kAll, std::size_t{2}, std::size_t{1}}) {
    if (lines.size() <= kMostLines) break;
    left_out = "; without peers, roots and tags";
    lines = lines_of(&CallWords::brief, depth);
  }
  std::string text = formatted("  the other ranks then, and their calls before, the latest first{}:\n", left_out);
  for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i) text += lines[i];
  if (lines.size() > kMostLines) text += formatted("    and ranks at {} other places\n", lines.size() - kMostLines);
  return text;
}

std::string RankPlaces::serialised() const {
  ByteWriter writer;
  writer.put(static_cast<std::uint64_t>(trails_.size()));
  for (const auto& [trail, ranks] : trails_) {
    writer.put_list(trail, [](ByteWriter& to, const CallWords& call) { to.put_text(call.text).put_text(call.brief); });
    writer.put_list(ranks, [](ByteWriter& to, std::int32_t rank) { to.put(rank); });
  }
  return writer.take();
}

Result<RankPlaces> RankPlaces::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  RankPlaces found;
  for (auto left = reader.get<std::uint64_t>(); left > 0 && reader.ok(); --left) {
    const CallTrail trail = reader.get_list<CallWords>([](ByteReader& from) {
      std::string text = from.get_text();
      return CallWords{std::move(text), from.get_text()};
    });
    auto ranks = reader.get_list<std::int32_t>([](ByteReader& from) { return from.get<std::int32_t>(); });
    if (trail.empty() || ranks.empty()) return damaged();
    found.trails_[trail] = std::move(ranks);
  }
  if (!reader.ok_and_at_end()) return damaged();
  return found;
}

std::string FailureReport::serialised() const {
  ByteWriter writer;
  writer.put_text(lines).put(static_cast<std::uint8_t>(others.has_value()));
  writer.put_text(others ? others->serialised() : std::string());
  return writer.take();
}

Result<FailureReport> FailureReport::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  FailureReport report{reader.get_text(), {}};
  const bool has_others = reader.get<std::uint8_t>() != 0;
  const std::string others = reader.get_text();
  if (!reader.ok_and_at_end()) return damaged();
  if (!has_others) return report;
  Result<RankPlaces> places = RankPlaces::parse(others);
  if (!places.ok()) return std::move(places).status();
  report.others = std::move(places).value();
  return report;
}

}  // namespace starling::launch
