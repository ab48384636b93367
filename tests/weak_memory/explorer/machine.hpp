// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Machine: runs the threads of a model, one step at a time, on the simulated memory. What they do to atomic objects
// comes in by the calls that the compiler has put into their code (instrumentation.cpp), and what they ask of the
// kernel by those that the linker has turned here (system.cpp).
//
// A membarrier is a seq_cst fence in each other thread at some moment between its begin and its end, for each at its
// own. A futex call sees what was stored before the latest wake of the word; nobody wakes for nothing.
// Only what several threads touch makes steps. The first execution that finds an object touched by two ends at once,
// and all begins anew.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weak_memory/explorer/explore.hpp"
#include "weak_memory/explorer/fiber.hpp"
#include "weak_memory/explorer/memory.hpp"
#include "weak_memory/explorer/search.hpp"
#include "weak_memory/explorer/shadow.hpp"

namespace starling::weak {

class Machine {
 public:
  /// The machine whose thread runs the code of a model right now; null: this is other code.
  static Machine* of_running_code() noexcept;

  Machine(const Options& options, Search& search);

  enum class End : std::uint8_t { kGood, kWrong, kKnown, kNewShared };
  /// One execution.
  End execute(const Model& model, bool traced);
  [[nodiscard]] const std::string& wrong() const noexcept { return wrong_; }
  [[nodiscard]] const std::set<Site>& sites() const noexcept { return sites_; }

  // By the code of the model.
  std::uint64_t access(void* address, std::size_t bytes, Action action);
  void fence(Order order);
  void touch(Touch touch, const void* address, std::size_t bytes);
  bool futex_wait(void* word, std::uint32_t expected);
  void futex_wake(void* word);
  /// False: refused.
  bool barrier();
  void look_again();
  /// Differs between the threads of the model.
  [[nodiscard]] const void* running_thread() const noexcept { return &threads_[static_cast<std::size_t>(current_)]; }
  std::int64_t next_second() noexcept { return ++self().seconds; }
  [[noreturn]] void fail(const std::string& what);

  /// By the check at the end of an execution, which is no thread.
  static void fail_at_end(const std::string& what);

 private:
  struct Seen {
    int object;
    int message;
  };
  enum class State : std::uint8_t { kReady, kInFutex, kInBarrier, kFinished };
  struct Thread {
    std::string name;
    Fiber fiber;
    State state = State::kReady;
    Action next;
    std::vector<Seen> looked;      ///< at what first, since it looked again
    std::int64_t seconds = 0;      ///< looks at the clock
    std::uint32_t interrupts = 0;  ///< bit t: a membarrier of thread t has to reach it
  };
  /// An atomic object. It makes steps when several threads touch it and one of them writes.
  struct Touched {
    int first = -1;
    bool by_others = false;
    bool written = false;
  };
  class Stop;

  static void enter();
  void begin();
  void schedule();
  void leave(End end);
  void collect();
  void collect_of(int thread);
  std::uint64_t perform(const Action& action);
  void take_barrier(const Step& step);
  void note_look(const Step& step);
  int object_of(void* address, std::size_t bytes);
  bool is_shared(void* address, Kind kind);
  void share_word(void* word);
  std::uint64_t access_private(void* address, std::size_t bytes, const Action& action);
  Order at_site(const std::string& what, Kind kind, Order order);
  const std::string& label_of(const void* address);
  void trace(const Step& step, std::uint64_t value);
  Thread& self() { return threads_[static_cast<std::size_t>(current_)]; }

  const Options& options_;
  Search& search_;
  Memory memory_;
  Shadow shadow_;
  std::vector<Thread> threads_;
  std::optional<Execution> execution_;
  int current_ = -1;
  Step step_;  ///< that the current thread takes
  std::vector<Step> possible_;
  End end_ = End::kGood;
  bool traced_ = false;
  std::string wrong_;
  std::string course_;
  std::unordered_map<void*, int> objects_;      ///< of this execution
  std::vector<std::string> labels_;             ///< of these
  std::unordered_map<void*, Touched> touched_;  ///< in all executions so far
  std::set<Site> sites_;
};

}  // namespace starling::weak
