// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/stack/stack_report.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "observe/analysis/roll_call.hpp"
#include "observe/model/words.hpp"
#include "observe/stack/shortened.hpp"
#include "observe/stack/stack_tree.hpp"

namespace starling::observe {
namespace {

using Frames = std::vector<std::string>;

class Reporting {
 public:
  Reporting(const Snapshot& snapshot, StackDetail detail) : snapshot_(snapshot), detail_(detail) {
    for (const RollCallLine& line : roll_call(snapshot)) {
      for (const std::int32_t rank : line.ranks) doing_[rank] = {line.text, snapshot.rank(rank).time_ns};
    }
  }

  void add(std::int32_t rank, const RankStacks* stacks) {
    if (stacks != nullptr) note(rank, *stacks);
    if (stacks == nullptr || stacks->threads.empty()) return main_.add(rank, {}, doing_[rank]);
    std::vector<const ThreadStack*> shown;
    for (const ThreadStack& thread : stacks->threads) {
      const bool is_folded = detail_ == StackDetail::kUsers && sleeps_outside_the_program(thread);
      if (is_folded) asleep_.push_back(rank);
      if (!is_folded) shown.push_back(&thread);
    }
    std::vector<Frames> frames;
    for (const ThreadStack* const thread : shown) frames.push_back(texts(*thread));
    const std::size_t in_call = thread_in_call(rank, frames);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const bool has_end = i == in_call;
      if (has_end && stands_for_call(rank, frames[i])) frames[i].pop_back();
      (shown[i]->is_main ? main_ : others_).add(rank, frames[i], has_end ? doing_[rank] : StackEnd());
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text = main_.text();
    if (!others_.empty()) text += "other threads:\n" + others_.text();
    if (!asleep_.empty()) {
      const bool is_one = asleep_.size() == 1;
      text += formatted("{} of {} {} asleep in {} ({} shows {})\n",
                        is_one ? "1 other thread" : formatted("{} other threads", asleep_.size()), rank_names(asleep_),
                        is_one ? "is" : "are", "libraries", "--all", is_one ? "it" : "them");
    }
    for (const auto& [problem, ranks] : problems_) {
      text += formatted("{} {} not shown whole: {}\n", rank_names(ranks), ranks.size() == 1 ? "is" : "are", problem);
    }
    for (const std::string& note : notes_) text += note + "\n";
    return text + stop_text();
  }

 private:
  [[nodiscard]] Frames texts(const ThreadStack& thread) const {
    Frames texts;
    const bool all = detail_ == StackDetail::kAll;
    for (const StackFrame& frame : all ? thread.frames : shortened(thread.frames)) texts.push_back(frame_text(frame));
    return texts;
  }

  /// Whether the innermost frame is only the MPI function of which the end tells more.
  [[nodiscard]] bool stands_for_call(std::int32_t rank, const Frames& frames) const {
    const RankSnapshot& each = snapshot_.rank(rank);
    const bool tells = each.activity == Activity::kWaiting || each.activity == Activity::kInside;
    return tells && !frames.empty() && frames.back() == each.call;
  }

  /// The thread of which the rank's card tells: that which is in its MPI call, else the main one.
  [[nodiscard]] std::size_t thread_in_call(std::int32_t rank, const std::vector<Frames>& frames) const {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (stands_for_call(rank, frames[i])) return i;
    }
    return 0;
  }

  void note(std::int32_t rank, const RankStacks& stacks) {
    if (!stacks.problem.empty()) problems_[stacks.problem].push_back(rank);
    notes_.insert(stacks.notes.begin(), stacks.notes.end());
    if (stacks.threads.empty()) return;
    ++stopped_;
    longest_stop_ns_ = std::max(longest_stop_ns_, stacks.stopped_ns);
  }

  [[nodiscard]] std::string stop_text() const {
    constexpr double kNsPerMs = 1e6;
    if (stopped_ == 0) return {};
    const double longest_ms = static_cast<double>(longest_stop_ns_) / kNsPerMs;
    if (stopped_ == 1) return formatted("the rank was stopped for {:.1f} ms\n", longest_ms);
    return formatted("each of the {} ranks was stopped for {:.1f} ms at most\n", stopped_, longest_ms);
  }

  const Snapshot& snapshot_;
  StackDetail detail_;
  std::map<std::int32_t, StackEnd> doing_;
  StackTree main_;
  StackTree others_;
  std::vector<std::int32_t> asleep_;  ///< an entry for each thread
  std::map<std::string, std::vector<std::int32_t>> problems_;
  std::set<std::string> notes_;
  std::size_t stopped_ = 0;
  std::int64_t longest_stop_ns_ = 0;
};

}  // namespace

std::string stack_report(const Snapshot& snapshot, const std::vector<RankStacks>& stacks,
                         const std::vector<std::int32_t>& ranks, StackDetail detail) {
  Reporting reporting(snapshot, detail);
  for (const std::int32_t rank : ranks) {
    const auto found = std::ranges::find(stacks, rank, &RankStacks::rank);
    reporting.add(rank, found == stacks.end() ? nullptr : &*found);
  }
  return reporting.text();
}

}  // namespace starling::observe
