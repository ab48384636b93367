// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Server: the root of the farm. It decides how many tasks may be under way, which results are through, in which order,
// and keeps the journal. Usually Input and Output run here, one thread each, and results go straight to Output; where
// they run elsewhere or there are several, or stages, a Router stands between.
//
// Thread safety: the main thread starts, asks, joins and brings what comes from other processes; summary parts after
// join().
// Invariants: settled <= created; a task counts as settled when Output has taken its result or it is in quarantine.
#pragma once

#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "input_output/inlet.hpp"
#include "router.hpp"
#include "task/window.hpp"
#include "tree/tree.hpp"
#include "wire/message.hpp"

namespace starling::farm {

class Server : private InletHost {
 public:
  /// Opens the journal, and throws if it cannot be used. `results_stay`: large ones, with who calculated them.
  Server(const Options& options, Program& program, const Tree& tree, bool results_stay, Queue& ready, Queue& done,
         Bell& bell);
  ~Server() override;

  void start();
  void set_threads(std::uint64_t threads);                         ///< Calculate threads of the whole farm.
  void set_way(std::uint64_t way_ns) { window_.set_way(way_ns); }  ///< To the farthest and back.
  void stop_input();  ///< What is under way is finished; the run ends early.

  bool finished() const { return finished_.load(); }
  bool failed() const { return failed_.load(); }
  /// Whether an Input or Output died, and the run ended without it. After finished().
  bool share_lost() const { return part_.share_lost; }
  bool input_ended() const { return input_ended_.load(); }
  bool input_shall_end() const { return over(); }
  std::uint64_t settled() const { return tally_.settled.load(std::memory_order_relaxed); }

  /// From the Inputs and Outputs of other processes. Input begins when all of them are ready.
  void port_is_ready(int rank, const std::vector<TaskName>& done_before);
  void new_pieces(int rank, Tasks& pieces);
  void port_input_has_ended(int rank);
  /// kTaken: its Output has taken these results. kMissing: it cannot get them.
  void hear(TaskState of, const std::vector<std::uint64_t>& numbers);
  /// Its Input gives no more, its Output takes no more; the run goes on with the others.
  void port_has_died(int rank);
  /// The run ends with this error, unless it is over.
  void trouble(const std::string& text);
  /// How many pieces an Input may have given in all, how many have come, and how many more are worth a message.
  struct Room {
    std::uint64_t allowed;
    std::uint64_t seen;
    std::uint64_t much;
  };
  Room room_for(int rank) const;
  /// What is to be sent to an Output; nullptr if there is none.
  Deliveries* deliveries_for(int rank);
  /// Data that nobody needs any more.
  Releases& releases() { return releases_; }

  /// Waits for both threads, writes what it knows, and returns what Input or Output threw.
  std::exception_ptr join(Summary& summary);

 private:
  std::uint64_t room() const override;
  std::uint64_t much_room() const override;
  bool over() const override { return stopped_early_.load() || failed_.load(); }
  void give(Task&& piece) override;
  void input_has_ended(const std::exception_ptr& error) override;

  void set_up_output();
  void begin_input();
  void note_done(const TaskName& name);
  std::size_t input_of(int rank) const;
  void put_death(TaskState state, const std::vector<int>& ranks, int rank);
  std::uint64_t under_way() const;
  void write();
  void write_all();
  void settle(Task& task);
  void deliver_in_order();
  void deliver(Task& task);
  bool complete() const;
  void fail(const std::exception_ptr& error);

  const Options& options_;
  Program& program_;
  Queue& ready_;
  Queue& done_;
  Bell& bell_;
  const int rank_;
  const std::vector<int> inputs_;   ///< Ranks.
  const std::vector<int> outputs_;  ///< Ranks.

  Journal journal_;
  Journal output_journal_;                 ///< Of the Output here where it is not the only one.
  Gate resumed_;                           ///< What an earlier run has taken; not changed after the constructor.
  Gate gate_;                              ///< Output thread.
  std::map<std::uint64_t, Task> waiting_;  ///< Output thread: results whose turn has not come.
  std::uint64_t turn_ = 0;
  Window window_{4};  ///< Output thread counts.
  Summary part_;      ///< Output thread.
  Tally tally_;
  std::uint64_t given_ = 0;  ///< Input thread.

  std::set<int> not_ready_;  ///< Other processes with an Input or Output.
  std::map<int, Deliveries> elsewhere_;
  Releases releases_;
  std::unique_ptr<Router> router_;
  std::atomic<std::size_t> live_inputs_;
  std::atomic<bool> input_ended_{false};
  std::atomic<bool> stopped_early_{false};
  std::atomic<bool> failed_{false};
  std::atomic<bool> finished_{false};

  std::mutex mutex_;  ///< Guards error_.
  std::exception_ptr error_;
  std::optional<Outlet> outlet_;
  std::optional<Inlet> inlet_;
  std::jthread output_;
};

}  // namespace starling::farm
