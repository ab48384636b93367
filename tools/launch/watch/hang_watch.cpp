// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/watch/hang_watch.hpp"

#include <utility>

#include "base/clock.hpp"
#include "launch/watch/hang_words.hpp"
#include "observe/analysis/collective_check.hpp"
#include "observe/analysis/rank_graph.hpp"

namespace starling::launch {
namespace {

using observe::Activity;
using observe::Occasion;

constexpr std::int64_t kNsPerMs = 1'000'000;

observe::NoteTimes note_times(const WatchSettings& settings) {
  return {settings.still_after_ms * kNsPerMs, settings.note_after_ms * kNsPerMs};
}

}  // namespace

HangWatch::HangWatch(const WatchSettings& settings, Ways ways)
    : settings_(settings), ways_(std::move(ways)), rules_(note_times(settings)) {}

void HangWatch::take(const NodeScan& scan, std::int64_t now_ns) {
  if (over_ || looking_ || !settings_.speaks()) return;
  now_ns_ = now_ns;
  if (!wants_look(scan, now_ns)) return;
  constexpr std::int64_t kPatienceNs = 200'000'000;
  looking_ = true;
  look_at_job(ways_.ask, kPatienceNs, [this](observe::Snapshot snapshot) {
    looking_ = false;
    on_look(std::move(snapshot));
  });
}

bool HangWatch::wants_look(const NodeScan& scan, std::int64_t now_ns) {
  const bool same = still_since_ns_ != 0 && scan.state == still_state_;
  if (!scan.all_idle()) {
    still_since_ns_ = 0;
  } else if (!same) {
    still_since_ns_ = now_ns;
    still_state_ = scan.state;
    still_looked_at_ = false;
  }
  if (scan.waiting == 0) return false;
  if (again_at_ns_ != 0 && now_ns >= again_at_ns_) {
    again_at_ns_ = 0;
    return true;
  }
  const std::int64_t still_ns = settings_.still_after_ms * kNsPerMs;
  if (still_since_ns_ != 0 && !still_looked_at_ && now_ns - still_since_ns_ >= still_ns) {
    still_looked_at_ = true;
    return true;
  }
  if (scan.away_state != 0 && scan.away_state != away_looked_at_ && scan.waited_ns >= settings_.late_ns()) {
    away_looked_at_ = scan.away_state;
    return true;
  }
  if (scan.state == glanced_at_ || (!scan.all_idle() && now_ns < next_glance_ns_)) return false;
  glanced_at_ = scan.state;
  return !ways_.glance || seems_stuck(now_ns);
}

bool HangWatch::seems_stuck(std::int64_t now_ns) {
  constexpr std::int64_t kShare = 100;
  const observe::Snapshot snapshot = ways_.glance();
  bool stuck = !observe::find_mismatches(snapshot).empty();
  if (!stuck) {
    const std::size_t ranks = snapshot.ranks.size();
    const observe::RankGraph graph(snapshot, std::vector<bool>(ranks, true), std::vector<bool>(ranks, false));
    const std::vector<bool> found = graph.graph().stuck();
    for (std::size_t rank = 0; rank < ranks && !stuck; ++rank) {
      stuck = found[rank] && snapshot.ranks[rank].activity == Activity::kWaiting;
    }
  }
  next_glance_ns_ = now_ns + kShare * (starling::now_ns() - now_ns);
  return stuck;
}

void HangWatch::on_look(observe::Snapshot snapshot) {
  constexpr int kTries = 5;
  constexpr std::int64_t kShare = 10;
  if (!ways_.glance) next_glance_ns_ = now_ns_ + kShare * (starling::now_ns() - now_ns_);
  const observe::Diagnosis diagnosis = observe::diagnose(snapshot);
  const observe::Judgement judgement = rules_.judge(snapshot, diagnosis, now_ns_, still_since_ns_);
  if (judgement.again_ns) again_at_ns_ = now_ns_ + *judgement.again_ns;
  if (tried_at_ != glanced_at_) unproven_ = 0;
  tried_at_ = glanced_at_;
  // Not every rank was quiet in time: the next scan looks once more.
  if (diagnosis.verdict != observe::Verdict::kDeadlock && ++unproven_ < kTries) glanced_at_ = 0;
  if (!has_note(judgement.occasion, settings_)) return;
  looking_ = true;
  add_positions(ways_.ask, std::move(snapshot), diagnosis,
                [this, occasion = judgement.occasion](const observe::Snapshot& whole) {
                  looking_ = false;
                  tell(occasion, whole);
                });
}

void HangWatch::tell(Occasion occasion, const observe::Snapshot& snapshot) {
  const std::string words = hang_words(occasion, snapshot, settings_);
  if (occasion != Occasion::kDeadlock || settings_.on_deadlock != OnDeadlock::kEnd) return ways_.say(words);
  over_ = true;
  ways_.end(words);
}

}  // namespace starling::launch
