// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// QueryServer: the socket at which commands ask about a job that mpiexec's worker leads. It answers the same user and
// root only, a few at once, each within a time, and never waits for one of them.
// Thread safety: none, for the event loop's thread. Invariants: a client that sends garbage, stays silent, leaves or
// does not read costs its own connection only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"
#include "launch/query/queries.hpp"

namespace starling::launch {

class QueryServer {
 public:
  static constexpr std::size_t kMostClients = 16;

  QueryServer(EventLoop& loop, Queries& queries) : loop_(loop), queries_(queries) {}
  ~QueryServer() { stop(); }
  QueryServer(const QueryServer&) = delete;
  QueryServer& operator=(const QueryServer&) = delete;

  /// Binds the abstract socket of this name and serves it. False: a sandbox refuses that, and nobody can ask.
  bool start(const std::string& name);
  void stop();

 private:
  struct Client {
    Descriptor socket;
    std::string received;
    std::string answer;
    std::size_t written = 0;
    bool asked = false;
    EventLoop::TimerId timer = 0;
  };

  void accept_some();
  void admit(Descriptor socket);
  void read_some(std::uint64_t number);
  void take(std::uint64_t number, std::string_view bytes);
  void answer(std::uint64_t number, char kind, std::string_view body);
  void write_some(std::uint64_t number);
  void drop(std::uint64_t number);

  EventLoop& loop_;
  Queries& queries_;
  Descriptor listening_;
  std::map<std::uint64_t, Client> clients_;
  std::uint64_t next_ = 1;
};

}  // namespace starling::launch
