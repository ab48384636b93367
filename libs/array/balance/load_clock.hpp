// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LoadClock: the processor time that methods take, from two clocks. The one on the wall costs some 25 ns; that of the
// thread is a call of the system, 200 to 700 ns, too much for methods that take as little. So it is read only where it
// was not for kBetween_s: twice in that time at most.
//
// A method's load is its time on the wall, but no more than the thread had of the processor since that was read last,
// which was at most kBetween_s before the method began. What a process is kept waiting by others in the middle of a
// method thus counts as at most kBetween_s of load, however long it is; and a method that sleeps as little.
//
// **Thread safety**: none; belongs to the thread whose time it reads. **Invariants**: end() follows begin(), without
// another begin() between them; both clocks only go forward.
#pragma once

#include <algorithm>

namespace starling::array::detail {

class LoadClock {
 public:
  static constexpr double kBetween_s = 200e-6;

  /// A method begins. `now_s` is the time on the wall; `processor_s` returns that of the thread. Both in seconds.
  template <class Processor>
  void begin(double now_s, Processor&& processor_s) {
    begin_s_ = now_s;
    if (now_s - read_at_s_ >= kBetween_s) read(now_s, processor_s);
  }
  /// The load of the method that ends, in seconds.
  template <class Processor>
  double end(double now_s, Processor&& processor_s) {
    const double took_s = now_s - begin_s_;
    waited_s_ = 0;
    if (now_s - read_at_s_ < kBetween_s) return took_s;
    const double before_s = processor_s_;
    read(now_s, processor_s);
    const double load_s = std::min(took_s, processor_s_ - before_s);
    waited_s_ = took_s - load_s;
    return load_s;
  }
  /// How long others kept that method waiting for the processor, or it slept, in seconds; at most kBetween_s too
  /// little.
  double waited_s() const { return waited_s_; }

 private:
  template <class Processor>
  void read(double now_s, Processor&& processor_s) {
    processor_s_ = processor_s();
    read_at_s_ = now_s;
  }

  double begin_s_ = 0;
  double read_at_s_ = -1e300;  // on the wall
  double processor_s_ = 0;
  double waited_s_ = 0;
};

}  // namespace starling::array::detail
