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

constexpr std::size_t kMostPlaces = 12;

Status damaged() { return Status::error(ErrorClass::kOther, "a damaged report of a failure"); }

}  // namespace

void RankPlaces::add(const RankPlaces& others) {
  for (const auto& [place, ranks] : others.places_) {
    std::vector<std::int32_t>& all = places_[place];
    all.insert(all.end(), ranks.begin(), ranks.end());
  }
}

std::string RankPlaces::text() const {
  std::vector<std::pair<std::vector<std::int32_t>, std::string>> lines;
  for (const auto& [place, ranks] : places_) lines.emplace_back(ranks, place);
  if (lines.empty()) return {};
  std::ranges::sort(lines, {}, [](const auto& line) { return *std::ranges::min_element(line.first); });
  std::string text = "  the other ranks then:\n";
  for (std::size_t i = 0; i < lines.size() && i < kMostPlaces; ++i)
    text += formatted("    {}: {}\n", observe::rank_names(lines[i].first), lines[i].second);
  if (lines.size() > kMostPlaces) text += formatted("    and ranks at {} other places\n", lines.size() - kMostPlaces);
  return text;
}

std::string RankPlaces::serialised() const {
  ByteWriter writer;
  writer.put(static_cast<std::uint64_t>(places_.size()));
  for (const auto& [place, ranks] : places_) {
    writer.put_text(place);
    writer.put_list(ranks, [](ByteWriter& to, std::int32_t rank) { to.put(rank); });
  }
  return writer.take();
}

Result<RankPlaces> RankPlaces::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  RankPlaces found;
  for (auto left = reader.get<std::uint64_t>(); left > 0 && reader.ok(); --left) {
    const std::string place = reader.get_text();
    auto ranks = reader.get_list<std::int32_t>([](ByteReader& from) { return from.get<std::int32_t>(); });
    if (ranks.empty()) return damaged();
    found.places_[place] = std::move(ranks);
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
