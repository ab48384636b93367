// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Relay: the one thread of a process that talks to others. It takes tasks from the queue for its children as the
// Calculate threads do for themselves, puts their results into the other queue, and, unless Output is here, sends what
// is there to the parent. It never blocks in a message: it polls, soon after something has happened and ever more
// seldom when nothing does.
//
// A child holds a task from when it was given until its result comes. What a dead child held is claimed by its orphans,
// which join here, or calculated anew. Every result may so come twice; the server's gate lets it through once.
//
// Thread safety: one thread runs it.
// Source: Squyres, "Gazizza, Bill" (2001): RelayIn, RelayCalc, RelayOut, one thread that owns MPI.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "inquest.hpp"
#include "link.hpp"
#include "message.hpp"
#include "port.hpp"
#include "queue.hpp"
#include "server.hpp"
#include "tree.hpp"
#include "window.hpp"
#include "workers.hpp"

namespace starling::farm {

/// A task that is away for longer straggles; how often such tasks are looked for.
constexpr auto kStraggles = std::chrono::milliseconds(20);

class Relay : private Listener {
 public:
  struct Parts {
    const Options& options;
    Program& program;
    Link& link;
    const Tree& tree;
    Queue& ready;
    Queue& done;
    Bell& bell;
    Workers& workers;
    const Slate& slate;
    Server* server;     ///< nullptr where the results go to a parent.
    Port* port;         ///< nullptr where neither Input nor Output runs, and in the server.
    int spare_threads;  ///< Of the server, that begin when nobody else is left that calculates.
  };

  explicit Relay(const Parts& parts);

  /// Until the farm has ended. `tick` is called about ten times a second and asks for the run to end early by true.
  /// Throws std::runtime_error if the server is dead.
  void run(const std::function<bool()>& tick);

  /// One more process starts and joins as a child of the server: of any other parent it would know no ancestors, and be
  /// lost with it. What cannot be done is said on standard error.
  void grow();

  const std::vector<NodeReport>& reports() const { return reports_; }
  int lost() const { return static_cast<int>(lost_.size()); }
  int grown() const { return grown_; }
  std::uint64_t threads() const;
  /// Whether the server said so with the end.
  bool run_failed() const { return run_failed_; }

 private:
  /// What a child was given, to be given to somebody else should it die.
  struct Held {
    Slice in;
    std::uint64_t order;  ///< Counted up for each task that is given out.
    std::uint16_t failures;
    Clock::time_point since;
  };
  struct Child {
    std::uint64_t threads = 0;
    bool joined = false;
    bool stopped = false;
    int lost_parent = -1;        ///< While it has not joined: whose orphan it is.
    bool tries_suspect = false;  ///< What it holds, if anything, is one suspect.
    Window window{2};
    OtherSlate slate;
    std::unordered_map<std::uint64_t, Held> held;

    bool is_apart() const { return tries_suspect && !held.empty(); }
    bool calculates() const { return joined && threads > 0; }
  };
  /// What a dead process held, while its orphans may still have it.
  struct Estate {
    std::unordered_map<std::uint64_t, Held> held;
    std::set<int> heirs;
    std::vector<std::uint64_t> at;  ///< What those who died were at.
    bool at_known = true;
    Clock::time_point deadline;
  };

  /// Why this process listens to another one.
  enum Role : unsigned { kChild = 1, kParent = 2, kPort = 4, kServer = 8 };

  /// An Input or Output elsewhere, as the server sees it.
  struct OtherPort {
    bool has_input = false;
    bool told_to_end = false;
    bool told_to_close = false;
    std::uint64_t told_room = 0;
  };

  void on_message(int peer, std::shared_ptr<const Buffer> message) override;
  void on_death(int peer) override;

  void on_hello(int peer, const Hello& hello);
  void on_tasks(const std::shared_ptr<const Buffer>& message);
  void on_results(int peer, const std::shared_ptr<const Buffer>& message);
  void on_bye(int peer, const Buffer& message);
  void on_port_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message);

  void send(int peer, std::shared_ptr<const Buffer> message);
  void report_this_process();
  void listen_to(int peer, Role role);
  void forget(int peer, Role role);
  bool step_ports();
  bool send_deliveries(int peer, Deliveries& deliveries);
  bool send_room(int peer, OtherPort& port);
  void close_ports();
  void on_port_death(int peer);
  void note_loss(int rank);
  [[noreturn]] static void server_is_dead();

  bool step();
  void rest(bool busy);
  bool hand_out();
  bool try_suspects();
  void give_up_suspects();
  void set_aside(Task& task, const std::string& why);
  void see_who_calculates();
  void take_overdue();
  void try_elsewhere(Task&& task, int but_not);
  bool is_with_a_child(std::uint64_t number) const;
  void give_back(MessageKind kind, const Tasks& tasks);
  void on_back(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message);
  bool hand_to(int rank, Child& child, std::uint64_t limit);
  void give(int rank, Child& child, Tasks& tasks);
  bool send_up();
  void flush_up();
  void tell_threads(bool joining);
  bool in_tree(int rank) const { return static_cast<std::size_t>(rank) < parts_.tree.nodes.size(); }
  void adopt(int orphan, int dead_parent);
  void inherit(int orphan, Child& child, const Hello& hello);
  void settle_estate(int dead);
  static Slice packed_text(const std::string& text);
  void run_stragglers_twice();
  bool run_again(Tasks& copy, int but_not, int& idle);
  bool give_to_idle(Tasks& tasks, int but_not);
  void stop_below();
  void send_stop(int peer);
  bool all_below_gone() const;
  void find_new_parent();

  Parts parts_;
  int parent_ = -1;
  std::vector<int> ancestors_;
  std::map<int, Child> children_;
  std::map<int, Estate> estates_;
  std::map<int, unsigned> roles_;
  std::map<int, OtherPort> ports_;  ///< At the server.
  Inquest inquest_;
  std::deque<Task> suspects_;                ///< One of them may have been the end of a process.
  int apart_ = -1;                           ///< The child that is kept for them.
  std::unordered_set<std::uint64_t> twice_;  ///< Stragglers that run somewhere else as well.
  std::unordered_set<std::uint64_t> mine_;   ///< Taken from the parent, and not yet answered.
  Message up_{MessageKind::kResults};
  Clock::time_point up_since_;
  Clock::time_point stragglers_sought_;
  std::vector<NodeReport> reports_;
  double started_s_ = 0;        ///< Of this thread's processor time.
  std::uint64_t messages_ = 0;  ///< Sent and got.
  std::uint64_t order_ = 0;
  std::uint64_t threads_told_ = 0;
  std::set<int> lost_;  ///< At the server: who died.
  int grown_ = 0;
  int replaced_ = 0;
  int quiet_ = 0;
  bool asked_to_drain_ = false;
  bool stopping_ = false;
  bool run_failed_ = false;
  bool finished_ = false;
  bool port_closed_ = false;
};

}  // namespace starling::farm
