// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/watch/hang_words.hpp"

#include "base/format.hpp"
#include "observe/analysis/diagnosis.hpp"
#include "observe/analysis/roll_call.hpp"
#include "observe/model/words.hpp"

namespace starling::launch {
namespace {

constexpr std::size_t kMostLines = 40;

}  // namespace

bool has_note(observe::Occasion occasion, const WatchSettings& settings) noexcept {
  using observe::Occasion;
  const bool ends = occasion == Occasion::kDeadlock && settings.on_deadlock == OnDeadlock::kEnd;
  if (ends || occasion == Occasion::kNone) return ends;
  return !settings.quiet && (occasion == Occasion::kLate || settings.on_deadlock != OnDeadlock::kNothing);
}

std::string hang_words(observe::Occasion occasion, const observe::Snapshot& snapshot, const WatchSettings& settings) {
  using observe::Occasion;
  const std::string sentence = observe::diagnose(snapshot).sentence;
  const std::string ranks = observe::roll_call_text(snapshot, kMostLines);
  if (occasion != Occasion::kDeadlock) return formatted("starling: note: {}.\n{}", sentence, ranks);
  if (settings.on_deadlock == OnDeadlock::kEnd) return formatted("starling: {}; the job ends.\n{}", sentence, ranks);
  return formatted("starling: note: {}.\n{}  They wait for ever; with --on-deadlock=end mpiexec ends such a job.\n",
                   sentence, ranks);
}

std::string state_words(const observe::Snapshot& snapshot) {
  return formatted("{}.\n{}", observe::diagnose(snapshot).sentence, observe::roll_call_text(snapshot, kMostLines));
}

std::string timeout_words(double timeout_s, const std::string& state) {
  return formatted("starling: the job has run for its --timeout of {} s; it ends.\nstarling: {}", timeout_s, state);
}

}  // namespace starling::launch
