// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JoinServer: the socket at which ranks of another MPI get their places (observe/join.hpp), the watch for their ends,
// and the looks at what they do, with what they give reason to say (launch/watch).
// Thread safety: none, for the event loop's thread. Invariants: who sends something else, or nothing, loses his
// connection only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"
#include "launch/events/process_watch.hpp"
#include "launch/watch/hang_watch.hpp"
#include "see/seen_job.hpp"
#include "see/seen_trace.hpp"

namespace starling::see {

class JoinServer {
 public:
  using Say = std::function<void(const std::string& lines)>;

  struct Settings {
    launch::WatchSettings notes;
    launch::TraceRequest trace;
    launch::Inherited inherited;  ///< for the helpers that are started
  };

  JoinServer(launch::EventLoop& loop, Settings settings, Say say)
      : loop_(loop), settings_(std::move(settings)), say_(std::move(say)), trace_(loop, settings_.trace) {}
  ~JoinServer();
  JoinServer(const JoinServer&) = delete;
  JoinServer& operator=(const JoinServer&) = delete;

  /// Binds the abstract socket of this name and serves it. False: a sandbox refuses that.
  bool start(const std::string& name);

  /// Somebody ends the job: ranks that die of it are no news.
  void expect_end() noexcept { is_ending_ = true; }
  /// The launcher has ended.
  void finish();

 private:
  /// A process that has connected.
  struct Guest {
    Guest(launch::EventLoop& loop, Descriptor connection) : socket(std::move(connection)), watch(loop) {}

    Descriptor socket;
    pid_t process = 0;
    std::int32_t rank = -1;        ///< -1: it has no place yet
    const SeenJob* job = nullptr;  ///< whose place it is
    launch::ProcessWatch watch;
  };

  /// A job, and who watches it for something to say.
  struct Watched {
    std::shared_ptr<SeenJob> job;
    std::optional<launch::HangWatch> watch;
  };

  void accept_one();
  void read(std::uint64_t number);
  void seat(std::uint64_t number, const observe::JoinRequest& request);
  [[nodiscard]] bool make_place(const observe::JoinRequest& request, pid_t process, observe::JoinAnswer* answer);
  /// Of the first that dies: its last calls, and where the others are then. The loop tells several ends in any order,
  /// so of all that are dead by then: the first is among them.
  void report_death(SeenJob& job, std::int32_t rank);
  void drop(std::uint64_t number);
  void close_socket(Guest& guest);
  void look();
  void begin_watch();
  void begin_trace();
  void say_once(const std::string& words);

  launch::EventLoop& loop_;
  Settings settings_;
  Say say_;
  SeenTrace trace_;
  Descriptor listening_;
  std::map<std::uint64_t, std::unique_ptr<Guest>> guests_;
  std::uint64_t next_ = 1;
  std::shared_ptr<SeenJob> job_;
  std::shared_ptr<Watched> watched_;
  std::int64_t next_scan_ns_ = 0;
  std::string said_;
  bool somebody_died_ = false;
  bool is_ending_ = false;
};

}  // namespace starling::see
