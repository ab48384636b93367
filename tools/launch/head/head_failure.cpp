// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/head/head_failure.hpp"

namespace starling::launch {

void HeadFailure::begin(std::int32_t node, std::set<std::int32_t> others) {
  node_ = node;
  awaited_ = std::move(others);
}

void HeadFailure::on_report(std::int32_t node, const std::string& body) {
  Result<FailureReport> report = FailureReport::parse(body);
  if (node != node_ || !report.ok()) return;
  finish();  // of an earlier one
  report_ = std::move(report).value();
  if (awaited_.empty() || !report_->others) return finish();
  constexpr std::int64_t kPatienceNs = 500'000'000;
  loop_.after(kPatienceNs, [this] { finish(); });
}

void HeadFailure::on_places(std::int32_t node, const std::string& body) {
  const Result<RankPlaces> places = RankPlaces::parse(body);
  if (awaited_.contains(node) && places.ok()) places_.add(places.value());
  on_gone(node);
}

void HeadFailure::on_gone(std::int32_t node) {
  if (awaited_.erase(node) != 0 && awaited_.empty()) finish();
}

void HeadFailure::finish() {
  if (!report_) return;
  FailureReport whole = *std::exchange(report_, std::nullopt);
  if (whole.others) whole.others->add(places_);
  say_(whole.text());
}

}  // namespace starling::launch
