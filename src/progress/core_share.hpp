// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CoreShare: who else wants the core of a rank that waits. JobHeader::awake counts this job's ranks on this node, and
// supposes that each runs on a core of its own. Of a rank in another container, of another job, of two ranks that the
// system has put on one core, or of a compiler, only the rank's own yields tell.
//
// A yield that comes back at once met nobody. One that comes back soon met somebody who waits as well: then it pays to
// yield from the start and to sleep soon. Yields that come back late meet somebody who computes, and each costs a slice
// of time: then a wait had better sleep, because the system lets a sleeper that is woken run in the midst of another's
// slice. Late is judged by the mean of some thirty yields, because one late yield among many costs less than sleeping.
// Who waits is known from the system's count of switches, asked after some yields that took as long as one.
//
// Where it is the job's own ranks that compute, a yield lets them get on with what is waited for: so yields are only
// late where the ranks together miss half a core or more of those that the job may use. With many ranks for each core
// nothing is learnt: most yields meet ranks of the job, late or soon, and a rank that has been woken and waits for a
// core counts neither as awake nor as busy. Sixteen ranks on two cores took them for others, slept for each other, and
// took fifty times as long for a gather.
//
// What yields have told holds for a while. A core that is taken sees no yields meanwhile, so the next late yield after
// the while renews it; the while is a multiple of what that yield cost, and doubles as long as the answer is the same.
//
// Thread safety: under the engine's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "memory/job_header.hpp"

namespace starling::progress {

class CoreShare {
 public:
  /// The mean of yields from which on they are late: the scheduler's slices are milliseconds, and who waits gives the
  /// core back within tens of microseconds.
  static constexpr std::int64_t kLateNs = 250'000;
  /// How long a yield that met somebody who waits is believed.
  static constexpr std::int64_t kSharedForNs = 10'000'000;
  /// For how many times the last late yield a core counts as taken: at first, and at most.
  static constexpr std::int64_t kFirstHold = 4;
  static constexpr std::int64_t kLongestHold = 64;
  /// So many ranks of the job on the node for each core that nothing is learnt from yields.
  static constexpr std::uint32_t kCrowd = 3;
  /// The shortest and the longest time over which the cores that the ranks miss are judged.
  static constexpr std::int64_t kLeastJudgedNs = 10'000'000;
  static constexpr std::int64_t kMostJudgedNs = 1'000'000'000;

  /// job_cpu_ns: the processor time until now of the job's ranks on this node.
  CoreShare(const memory::JobHeader& header, std::function<std::int64_t()> job_cpu_ns) noexcept
      : header_(header), job_cpu_ns_(std::move(job_cpu_ns)) {}

  /// More of this job's ranks on this node are awake than there are cores.
  [[nodiscard]] bool is_oversubscribed() const noexcept {
    return header_.awake.load(std::memory_order_relaxed) > header_.usable_cores;
  }
  /// Somebody else waits on this core, too, and gives it back soon.
  [[nodiscard]] bool is_shared() const noexcept { return shared_until_ns_ != 0; }
  /// Somebody else computes on this core.
  [[nodiscard]] bool is_taken() const noexcept { return taken_until_ns_ != 0; }
  /// Somebody is likely to wait for this core who gives it back soon.
  [[nodiscard]] bool is_wanted() const noexcept { return is_oversubscribed() || is_shared(); }

  /// The clock has been read: forgets what is too old.
  void see(std::int64_t now_ns) noexcept {
    if (now_ns >= shared_until_ns_) shared_until_ns_ = 0;
    if (now_ns >= taken_until_ns_) taken_until_ns_ = 0;
  }
  /// The calling thread has yielded.
  void note_yield(std::int64_t began_ns, std::int64_t ended_ns) noexcept;

 private:
  /// Whether the ranks lately missed half a core or more. False while nobody can tell yet.
  [[nodiscard]] bool others_compute(std::int64_t now_ns) noexcept;
  void take(std::int64_t began_ns, std::int64_t ended_ns) noexcept;

  const memory::JobHeader& header_;
  const std::function<std::int64_t()> job_cpu_ns_;
  std::int64_t judged_ns_ = 0;
  std::int64_t judged_cpu_ns_ = 0;
  bool others_computed_ = false;            ///< as judged then
  std::int64_t shared_until_ns_ = 0;        ///< 0: it is not
  std::int64_t taken_until_ns_ = 0;         ///< 0: it is not
  std::int64_t taken_before_until_ns_ = 0;  ///< the last that taken_until_ns_ was
  std::int64_t hold_ = kFirstHold;
  std::int64_t mean_ns_ = 0;  ///< of the yields; recent ones count more
  // The yields in a row that may have met somebody who waits.
  std::uint32_t row_ = 0;
  std::int64_t row_ends_ns_ = 0;
  const void* row_of_ = nullptr;  ///< the thread whose yields they are
  long switches_before_ = 0;      ///< of that thread
};

}  // namespace starling::progress
