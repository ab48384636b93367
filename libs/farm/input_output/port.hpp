// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Port: an Input, an Output or both in a process that is not the server. It talks to the server directly, whatever the
// tree: pieces up, as many as the server allows; results down, and up again which of them Output has taken.
//
// Thread safety: the relay's thread; the threads of Input and Output inside.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "depot/depot.hpp"
#include "inlet.hpp"
#include "outlet.hpp"
#include "queue/queue.hpp"
#include "tree/tree.hpp"
#include "wire/message.hpp"

namespace starling::farm {

class Port : private InletHost {
 public:
  /// Opens the journal of the Output here and throws if it cannot be used.
  Port(const Options& options, Program& program, const Tree& tree, int rank, Bell& bell);
  ~Port() { close(); }

  /// Sends to the server what there is to be sent. False if that was nothing.
  bool send(Neighbors& neighbors, Depot& depot, int server);
  void allow(std::uint64_t pieces);  ///< That many in all; Input begins with the first.
  void end_input();
  /// Results; those that are away are fetched.
  void take(const std::shared_ptr<const Buffer>& message, Depot& depot);
  void close();

  /// What Input or Output threw.
  std::exception_ptr error() const;
  bool has_input() const { return inlet_.has_value(); }
  bool has_output() const { return outlet_.has_value(); }

 private:
  std::uint64_t room() const override { return allowed_.load(std::memory_order_relaxed) - given_; }
  std::uint64_t much_room() const override { return 1; }
  bool over() const override { return over_.load(); }
  void give(Task&& piece) override;
  void input_has_ended(const std::exception_ptr& error) override;
  void fail(const std::exception_ptr& error);
  bool send_pieces(Neighbors& neighbors, Depot& depot, int server);
  void take_one(Task&& task, Depot& depot);
  void fill(std::uint64_t number, const Slice& bytes);
  void miss(std::uint64_t number);
  void pass_on(std::uint64_t number);

  /// A result on its way to Output.
  struct Slot {
    Delivery delivery;
    bool here = false;
  };

  Program& program_;
  Bell& bell_;
  Journal journal_;
  std::optional<Outlet> outlet_;
  std::optional<Inlet> inlet_;
  Queue pieces_;
  std::atomic<std::uint64_t> allowed_{0};
  std::uint64_t given_ = 0;  ///< Input's thread.
  std::atomic<bool> over_{false};
  bool started_ = false;
  bool told_done_ = false;
  std::vector<TaskName> done_before_;
  const Order order_;
  std::map<std::uint64_t, Slot> slots_;  ///< By the task's number: what Output has not been given yet.
  std::deque<std::uint64_t> line_;       ///< In the order of Input: their numbers, and some that were taken out.
  std::vector<std::uint64_t> missing_;   ///< To be told.

  mutable std::mutex mutex_;  ///< Guards what follows.
  std::vector<std::uint64_t> taken_;
  std::exception_ptr error_;
  bool error_told_ = false;
  bool input_ended_ = false;
  bool input_end_told_ = false;
};

}  // namespace starling::farm
