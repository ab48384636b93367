// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "top_source.hpp"

#include <algorithm>
#include <chrono>

#include "base/format.hpp"
#include "job_look.hpp"
#include "launch/query/ask.hpp"
#include "launch/query/evidence_responder.hpp"
#include "launch/query/snapshot_answers.hpp"
#include "observe/analysis/diagnosis.hpp"
#include "observe/figures/traffic_matrix.hpp"
#include "observe/job/process_facts.hpp"
#include "observe/model/words.hpp"

namespace starling::tools {

TopSource::TopSource(const observe::FoundJob& job, std::int64_t interval_ns) : job_(job), interval_ns_(interval_ns) {
  if (job.segment == nullptr) return;
  here_ = std::make_unique<Here>(job);
  here_->reader.begin();
  here_->first_look_ns = now_ns();
  here_->sampler.look();
  here_->sampler.read();
}

void TopSource::look() {
  if (here_ == nullptr) return;
  here_->sampler.look();
  // Who waits is told by two looks: the first of them is one of the last before the refresh.
  constexpr std::int64_t kBetweenLooksNs = 60'000'000;
  if (now_ns() - here_->first_look_ns < kBetweenLooksNs) return;
  here_->reader.begin();
  here_->first_look_ns = now_ns();
}

std::int64_t TopSource::pause_ns() {
  constexpr std::int64_t kOverHostsNs = 50'000'000;
  return here_ != nullptr ? here_->sampler.pause_ns() : kOverHostsNs;
}

bool TopSource::refresh(Wait wait) {
  if (!observe::process_runs(job_.worker)) return false;
  if (here_ != nullptr) {
    refresh_here();
    return true;
  }
  const auto ask = [this] { answers_ = std::async(std::launch::async, ask_hosts, std::cref(job_), interval_ns_); };
  if (!answers_.valid()) ask();
  const bool has_come = answers_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (!has_come && wait == Wait::kNo) return true;
  show(answers_.get());
  ask();
  return true;
}

void TopSource::refresh_here() {
  if (now_ns() - here_->first_look_ns < observe::JobReader::kBetweenLooksNs)
    (void)here_->reader.look(0);
  else
    (void)here_->reader.look_again();
  const observe::Snapshot snapshot = here_->reader.snapshot();
  here_->reader.begin();
  here_->first_look_ns = now_ns();
  here_->sampler.look();
  here_->sampler.read();
  rows_ = observe::rank_rows(snapshot, here_->sampler.figures(), here_->sampler.since());
  say(snapshot, {});
}

TopSource::Answered TopSource::ask_hosts(const observe::FoundJob& job, std::int64_t interval_ns) {
  Answered answered;
  const Result<launch::Answers> answers = launch::ask(job, launch::evidence_query(interval_ns));
  const Result<JobLook> look = look_at(job, 0);
  for (const Status& status : {answers.status().copy(), look.status().copy()}) {
    if (!status.ok()) answered.problem = status.message();
  }
  if (!answered.problem.empty()) return answered;
  answered.evidence = launch::evidence_of(answers.value());
  answered.snapshot = look.value().snapshot;
  if (!look.value().problems.empty()) answered.problem = look.value().problems.front();
  return answered;
}

void TopSource::show(const Answered& answered) {
  const std::size_t ranks = answered.snapshot.ranks.size();
  std::vector<observe::RankFigures> figures(ranks);
  std::vector<std::optional<observe::Since>> since(ranks);
  std::vector<std::string> hosts(ranks);
  for (const observe::RankEvidence& rank : answered.evidence.ranks) {
    const auto index = static_cast<std::size_t>(rank.rank);
    if (index >= ranks) continue;
    figures[index] = rank.figures;
    since[index] = rank.since;
    hosts[index] = answered.evidence.hosts[rank.host].name;
  }
  rows_ = observe::rank_rows(answered.snapshot, figures, since);
  for (observe::RankRow& row : rows_) {
    const std::string& host = hosts[static_cast<std::size_t>(row.rank)];
    if (!host.empty()) row.what = formatted("{}: {}", host, row.what);
  }
  evidence_ = answered.evidence;
  say(answered.snapshot, answered.problem);
}

void TopSource::say(const observe::Snapshot& snapshot, const std::string& problem) {
  const observe::Diagnosis diagnosis = observe::diagnose(snapshot);
  const bool runs = diagnosis.verdict == observe::Verdict::kRuns;
  sentence_ = !problem.empty() ? problem : runs ? observe::summary_text(rows_) : diagnosis.sentence;
}

std::string TopSource::title() const {
  const std::string age = observe::duration_text(job_.age_ns + now_ns() - started_ns_);
  return formatted("job {}, {} ranks, {}: {}", job_.id, rows_.size(), age, job_.command);
}

std::vector<std::string> TopSource::matrix_lines(std::size_t columns, std::size_t lines) const {
  const std::size_t ranks = rows_.size();
  if (job_.segment == nullptr) {
    if (std::ranges::any_of(evidence_.hosts, &observe::HostEvidence::lacks_sent))
      return {"too many pairs of ranks have sent to each other: the matrix is left out"};
    return matrix_picture(observe::matrix_of(evidence_, ranks), columns, lines);
  }
  const memory::JobSegment& segment = *job_.segment;
  const observe::TrafficTable table = segment.traffic();
  if (ranks > table.columns()) return {formatted("the matrix is shown of up to {} ranks", table.columns())};
  observe::TrafficMatrix matrix(ranks);
  for (std::uint32_t from = 0; from < segment.ranks(); ++from) {
    const WorldRank home = segment.rank(LocalRank(from)).home_rank;
    if (home.is_none() || home.index() >= ranks) continue;
    for (std::size_t to = 0; to < ranks; ++to) {
      matrix.at(home.index(), to) = table.count(LocalRank(from), WorldRank(to)).read();
    }
  }
  return matrix_picture(matrix, columns, lines);
}

}  // namespace starling::tools
