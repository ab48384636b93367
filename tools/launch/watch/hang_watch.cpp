// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/watch/hang_watch.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "launch/watch/hang_words.hpp"
#include "observe/analysis/collective_check.hpp"
#include "observe/analysis/rank_graph.hpp"

namespace starling::launch {
namespace {

using observe::Activity;
using observe::Occasion;

constexpr std::int64_t kNsPerS = 1'000'000'000;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
/// A state that lasts is looked at again after so long at most.
constexpr std::int64_t kLongestPauseNs = 10'000'000'000;

/// How long to leave a state alone at which so many looks have proven nothing. Ranks that are quiet soon are often not
/// so in one look, as on a busy machine: the first looks follow one another.
std::int64_t pause_after(int looks) {
  constexpr int kAtOnce = 5;
  constexpr int kMostDoublings = 4;
  if (looks < kAtOnce) return 0;
  return std::min(kNsPerS << std::min(looks - kAtOnce, kMostDoublings), kLongestPauseNs);
}

observe::NoteTimes note_times(const WatchSettings& settings) {
  return {settings.still_after_ms * kMillisecond, settings.note_after_ms * kMillisecond};
}

}  // namespace

HangWatch::HangWatch(const WatchSettings& settings, Ways ways)
    : settings_(settings), ways_(std::move(ways)), rules_(note_times(settings)) {}

void HangWatch::take(const NodeScan& scan, std::int64_t now_ns) {
  if (over_ || looking_ || !settings_.speaks()) return;
  now_ns_ = now_ns;
  if (!wants_look(scan, now_ns)) return;
  if (scan.state != tried_at_) unproven_ = 0;
  tried_at_ = scan.state;
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
    next_still_look_ns_ = now_ns + settings_.still_after_ms * kMillisecond;
  }
  if (scan.idle == 0) return false;
  if (again_at_ns_ != 0 && now_ns >= again_at_ns_) {
    again_at_ns_ = 0;
    return true;
  }
  if (still_since_ns_ != 0 && now_ns >= next_still_look_ns_) return true;
  if (scan.waiting == 0) return false;
  if (scan.away_state != 0 && scan.away_state != away_looked_at_ && scan.waited_ns >= settings_.late_ns()) {
    away_looked_at_ = scan.away_state;
    return true;
  }
  if (scan.state == glanced_at_ && now_ns < next_try_ns_) return false;
  if (!scan.all_idle() && now_ns < next_glance_ns_) return false;
  glanced_at_ = scan.state;
  next_try_ns_ = now_ns + kLongestPauseNs;
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
  constexpr std::int64_t kShare = 10;
  if (!ways_.glance) next_glance_ns_ = now_ns_ + kShare * (starling::now_ns() - now_ns_);
  const observe::Diagnosis diagnosis = observe::diagnose(snapshot);
  const observe::Judgement judgement = rules_.judge(snapshot, diagnosis, now_ns_, still_since_ns_);
  if (judgement.again_ns) again_at_ns_ = now_ns_ + *judgement.again_ns;
  const bool is_proven = diagnosis.verdict == observe::Verdict::kDeadlock;
  next_try_ns_ = is_proven ? kNever : now_ns_ + pause_after(++unproven_);
  // One of the ranks may just have looked as if it went on.
  const bool is_said = is_proven || judgement.occasion != Occasion::kNone;
  if (is_said)
    next_still_look_ns_ = kNever;
  else if (now_ns_ >= next_still_look_ns_)
    next_still_look_ns_ = now_ns_ + std::max(pause_after(unproven_), kNsPerS);
  if (!has_note(judgement.occasion, settings_)) return;
  looking_ = true;
  // Large debug information takes a while to read, the more so on a busy machine. The end of a job waits less for it.
  const std::int64_t patience_ns = (ends(judgement.occasion) ? 3 : 10) * kNsPerS;
  add_positions(ways_.ask, std::move(snapshot), diagnosis, patience_ns,
                [this, occasion = judgement.occasion](const observe::Snapshot& whole) {
                  looking_ = false;
                  tell(occasion, whole);
                });
}

bool HangWatch::ends(Occasion occasion) const {
  return occasion == Occasion::kDeadlock && settings_.on_deadlock == OnDeadlock::kEnd;
}

void HangWatch::tell(Occasion occasion, const observe::Snapshot& snapshot) {
  const std::string words = hang_words(occasion, snapshot, settings_);
  if (!ends(occasion)) return ways_.say(words);
  over_ = true;
  ways_.end(words);
}

}  // namespace starling::launch
