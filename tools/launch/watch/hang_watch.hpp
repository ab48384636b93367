// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// HangWatch: sees that a job does not get on, and says why, unasked: a deadlock at once, other states once they have
// lasted (observe/analysis/note_rules.hpp). It ends the job where the user wants that, for a proven deadlock.
//
// About twice a second it gets a short look at all ranks (NodeScan). Only where ranks wait that did not wait before, or
// where a note may be due, it looks closer: first at the wait-for graph of one moment, then, where that has a knot, at
// two moments. A knot that is not proven, since ranks were not quiet, is looked at again and again, with pauses that
// grow to 10 s. What a glance at a large job costs is no more than a hundredth of the launcher's time, unless all wait.
// Over hosts there is no glance; there a look at two moments takes its place, for no more than a tenth of the time.
//
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "launch/options/watch_options.hpp"
#include "launch/watch/job_looks.hpp"
#include "launch/watch/node_scan.hpp"
#include "observe/analysis/note_rules.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::launch {

/// The status of a job that was ended because of a deadlock.
inline constexpr int kExitDeadlock = 125;

class HangWatch {
 public:
  /// What it needs of the launcher.
  struct Ways {
    /// The ranks at one moment; empty: that cannot be had.
    std::function<observe::Snapshot()> glance;
    Ask ask;
    std::function<void(const std::string& lines)> say;
    /// Ends the job, with this report.
    std::function<void(const std::string& lines)> end;
  };

  HangWatch(const WatchSettings& settings, Ways ways);

  /// What the ranks do now, about twice a second.
  void take(const NodeScan& scan, std::int64_t now_ns);

 private:
  [[nodiscard]] bool wants_look(const NodeScan& scan, std::int64_t now_ns);
  /// Whether ranks wait for each other, or for nobody who is left, as far as one moment tells.
  [[nodiscard]] bool seems_stuck(std::int64_t now_ns);
  void on_look(observe::Snapshot snapshot);
  [[nodiscard]] bool ends(observe::Occasion occasion) const;
  void tell(observe::Occasion occasion, const observe::Snapshot& snapshot);

  WatchSettings settings_;
  Ways ways_;
  observe::NoteRules rules_;
  bool over_ = false;     ///< it has ended the job
  bool looking_ = false;  ///< a look is under way
  std::int64_t now_ns_ = 0;
  std::int64_t still_since_ns_ = 0;  ///< all are idle, in the same state; 0: they are not
  std::uint64_t still_state_ = 0;
  std::int64_t next_still_look_ns_ = 0;
  std::uint64_t away_looked_at_ = 0;
  std::uint64_t glanced_at_ = 0;  ///< the state at the last glance
  std::uint64_t tried_at_ = 0;    ///< the state at the last look
  int unproven_ = 0;              ///< looks at that state that proved nothing
  std::int64_t next_try_ns_ = 0;  ///< when that state is looked at again
  std::int64_t next_glance_ns_ = 0;
  std::int64_t again_at_ns_ = 0;  ///< 0: no note is expected
};

}  // namespace starling::launch
