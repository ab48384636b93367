// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Memory: atomic objects as the C++ memory model has them, each a history of messages in its modification order.
//
// A load takes any message that its thread may still see, not only the newest; a store may go before messages of other
// threads. Release, acquire, fences and seq_cst bound that by views. What it leaves out: a load never sees a store that
// its thread's own later store made possible (load buffering), and a weak compare-exchange never fails for nothing.
// Source: Kang, Hur, Lahav, Vafeiadis, Dreyer, "A Promising Semantics for Relaxed-Memory Concurrency", 2017, without
// promises; Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing Sequential Consistency in C/C++11", 2017, for seq_cst.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <vector>

#include "weak_memory/explorer/step.hpp"
#include "weak_memory/explorer/view.hpp"

namespace starling::weak {

class Memory {
 public:
  void reset(int threads);

  /// A new object, which holds this.
  int add_object(std::uint64_t value);
  [[nodiscard]] std::uint64_t newest(int object) const { return objects_[index(object)].back().value; }
  [[nodiscard]] const Times& times(int thread) const { return threads_[index(thread)].now.times; }

  /// Appends the steps that the action of a thread may become.
  void add_steps(int thread, const Action& action, std::vector<Step>* steps) const;
  /// Takes one of these steps; what a load, a modification or a futex wait reads. *written: a new message has come.
  std::uint64_t take(const Action& action, const Step& step, bool* written);

  // Fences of a thread.
  void acquire(int thread);
  void release(int thread);
  void fence(int thread);

  /// The place of the first message behind another one that is another thread's; 0: there is none.
  [[nodiscard]] std::size_t place_of_news(int thread, int object, int message) const;

 private:
  struct Message {
    int number = 0;
    int thread = -1;
    bool modifies = false;  ///< the message before it; nothing comes between the two
    std::uint64_t value = 0;
    View view;  ///< what who acquires it learns
  };
  struct Thread {
    View now;
    View to_acquire;  ///< what a fence makes now
    View released;    ///< now, at the last fence
    int messages = 0;
  };

  static std::size_t index(int number) noexcept { return static_cast<std::size_t>(number); }
  [[nodiscard]] std::size_t place_of(int object, int message) const;
  [[nodiscard]] std::size_t least_place(int thread, const Action& action) const;
  [[nodiscard]] bool may_follow(int object, std::size_t place) const;
  std::uint64_t read(int thread, Order order, int object, std::size_t place);
  void write(int thread, Order order, int object, std::size_t place, std::uint64_t value, const Message* modified);
  void shift(int object, std::size_t place);

  std::vector<std::vector<Message>> objects_;
  std::vector<Thread> threads_;
  Places fenced_{};      ///< what seq_cst accesses and fences have in common
  Places in_futexes_{};  ///< what a futex call is sure to see
};

}  // namespace starling::weak
