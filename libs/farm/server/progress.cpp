// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace starling::farm {
namespace {

constexpr std::size_t kSlowestShown = 5;

template <class... Args>
void add(std::string& text, const char* format, Args... args) {
  char line[256];
  std::snprintf(line, sizeof line, format, args...);
  text += line;
}

std::string bar_of(double share) {
  constexpr int kWidth = 30;
  const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kWidth);
  std::string text = "[";
  text.append(full, '#').append(kWidth - full, '.').append("] ");
  return text;
}

}  // namespace

std::string progress_text(std::uint64_t done, std::uint64_t expected, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string text;
  add(text, "%llu tasks, %.3g/s", static_cast<unsigned long long>(done), rate);
  if (expected > 0 && done > 0) {
    add(text, ", %.0f %%, %.0f s left", 100.0 * static_cast<double>(done) / static_cast<double>(expected),
        static_cast<double>(expected - std::min(done, expected)) / rate);
  }
  return text;
}

ProgressBar::ProgressBar(const Options& options)
    : expected_(options.expected),
      terminal_(options.progress == Progress::kAuto && isatty(STDERR_FILENO) != 0),
      on_(options.progress != Progress::kOff) {}

void ProgressBar::show(std::uint64_t done) {
  const Clock::time_point now = Clock::now();
  if (!on_ || s_between(shown_, now) < (terminal_ ? 0.2 : 10)) return;
  print(done, now);
}

void ProgressBar::print(std::uint64_t done, Clock::time_point now) {
  shown_ = now;
  std::string text = progress_text(done, expected_, s_between(started_, now));
  if (terminal_ && expected_ > 0) text = bar_of(static_cast<double>(done) / static_cast<double>(expected_)) + text;
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "farm: %s\n", text.c_str());
  std::fflush(stderr);
}

void ProgressBar::finish(std::uint64_t done) {
  if (!on_ || (!terminal_ && shown_ == started_)) return;  // the summary says it all where no line has been printed
  print(done, Clock::now());
  if (terminal_) std::fputc('\n', stderr);
}

void note_slow(Summary& summary, std::uint64_t number, std::uint64_t cost_ns) {
  std::vector<SlowTask>& slowest = summary.slowest;
  const double seconds = static_cast<double>(cost_ns) * 1e-9;
  if (slowest.size() == kSlowestShown && seconds <= slowest.back().seconds) return;
  if (slowest.size() == kSlowestShown) slowest.pop_back();
  const auto place =
      std::find_if(slowest.begin(), slowest.end(), [&](const SlowTask& s) { return s.seconds < seconds; });
  slowest.insert(place, {number, seconds});
}

std::string text_of(const LostShare& share) {
  std::string text;
  const auto came = static_cast<unsigned long long>(share.came);
  const auto lost = static_cast<unsigned long long>(share.lost);
  if (share.of == LostShare::Of::kInput) {
    add(text, "Input %d (rank %d) died: %llu of its pieces came", share.index, share.rank, came);
    if (share.lost > 0) add(text, ", the data of %llu of them were lost with it", lost);
    text += ", and what it had not given is missing";
  } else {
    add(text, "Output %d (rank %d) died: it had taken %llu results, and %llu more were on their way to it", share.index,
        share.rank, came, lost);
  }
  return text;
}

std::string summary_text(const Summary& summary) {
  std::string text;
  add(text, "farm: %llu tasks in %.3g s on %d threads of %d processes", static_cast<unsigned long long>(summary.tasks),
      summary.wall_s, summary.threads, summary.processes);
  if (summary.skipped > 0) add(text, ", %llu done before", static_cast<unsigned long long>(summary.skipped));
  if (summary.retries > 0) add(text, ", %llu retries", static_cast<unsigned long long>(summary.retries));
  if (summary.duplicates > 0)
    add(text, ", %llu results came twice", static_cast<unsigned long long>(summary.duplicates));
  if (summary.lost_processes > 0) add(text, ", %d processes died", summary.lost_processes);
  if (summary.restarted > 0) add(text, ", %d came back", summary.restarted);
  if (summary.share_lost) text += "; not complete";
  text += summary.drained ? "; stopped early\n" : "\n";
  for (const LostShare& share : summary.lost_shares) text += "  share lost: " + text_of(share) + "\n";
  for (const std::string& name : summary.given_up) text += "  given up: node '" + name + "', whose processes died\n";
  if (summary.not_given > 0) {
    add(text,
        "  the journal has the results of %llu pieces that Input did not give this time: they stay in the output; a "
        "resumed run wants the same pieces in the same order\n",
        static_cast<unsigned long long>(summary.not_given));
  }
  for (const NodeReport& node : summary.nodes) {
    add(text, "  rank %d: %llu tasks, %d threads, %.0f %% busy", node.rank, static_cast<unsigned long long>(node.tasks),
        node.threads, 100 * node.busy_share());
    if (node.messages > 0) {
      add(text, ", %llu messages of %.3g MiB for %.3g s", static_cast<unsigned long long>(node.messages),
          static_cast<double>(node.bytes) / (1 << 20), node.relay_s);
    }
    if (node.left_behind > 0) {
      add(text, ", %llu threads left behind in tasks beyond the limit",
          static_cast<unsigned long long>(node.left_behind));
    }
    text += "\n";
  }
  if (!summary.slowest.empty()) text += "  slowest:";
  for (const SlowTask& task : summary.slowest) {
    add(text, " task %llu %.3g s;", static_cast<unsigned long long>(task.number), task.seconds);
  }
  if (!summary.slowest.empty()) text.back() = '\n';
  for (const Quarantined& task : summary.quarantine) {
    add(text, "  quarantine: task %llu failed %d times, last: ", static_cast<unsigned long long>(task.number),
        task.failures);
    text += task.last_error + "\n";
  }
  return text;
}

}  // namespace starling::farm
