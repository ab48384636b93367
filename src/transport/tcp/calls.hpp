// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls: the connections that this rank opens. All addresses of a peer are tried side by side, each a little after the
// one before; the first at which the peer proves itself stays.
//
// A peer that computes lets a caller wait, so an answer has no deadline; only the system's connect has one, and a
// machine that does not acknowledge what was sent to it. A peer that closes the connection, as it does when too many
// call at once, is called again a few times. Thread safety: the world's lock.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"
#include "transport/tcp/event_set.hpp"
#include "transport/tcp/handshake.hpp"
#include "transport/tcp/likeness.hpp"
#include "transport/tcp/messages.hpp"
#include "transport/tcp/roster.hpp"
#include "transport/tcp/settings.hpp"
#include "transport/tcp/silence.hpp"

namespace starling::transport::tcp {

class Calls {
 public:
  class Host {
   public:
    /// The rank has welcomed this one. peers: what it says of itself.
    virtual void join(WorldRank rank, Descriptor socket, const Likeness& peers) = 0;
    /// No address of the rank leads to it.
    virtual void give_up(WorldRank rank, Status why, std::int64_t now_ns) = 0;

   protected:
    ~Host() = default;
  };

  /// All outlive it.
  Calls(const Roster& roster, const Settings& settings, WorldRank own, Handshake& handshake, EventSet& events,
        Host& host) noexcept
      : settings_(settings), roster_(roster), own_(own), handshake_(handshake), events_(events), host_(host) {}

  /// first_ns: when the first address is tried.
  void begin(WorldRank to, std::int64_t now_ns, std::int64_t first_ns);
  void begin(WorldRank to, std::int64_t now_ns) { begin(to, now_ns, now_ns); }
  void end(WorldRank to) { calls_.erase(to); }
  [[nodiscard]] bool has(WorldRank to) const { return calls_.contains(to); }
  /// There is a call to the rank that deserves to be waited for: it is young, or an address has been reached, so that
  /// an answer may be under way.
  [[nodiscard]] bool is_promising(WorldRank to, std::int64_t now_ns) const;
  [[nodiscard]] bool are_none() const noexcept { return calls_.empty(); }

  void on_event(WorldRank to, std::uint8_t attempt, std::int64_t now_ns);
  /// Tries what is due; gives up what has taken too long.
  void look(std::int64_t now_ns);
  /// When look() has something to do.
  [[nodiscard]] std::int64_t due_ns() const noexcept;

 private:
  /// A connection to one address.
  struct Attempt {
    enum class State : std::uint8_t { kConnects, kAwaitsAnswer, kAwaitsWelcome, kOver };

    [[nodiscard]] bool has_reached_somebody() const noexcept;

    State state = State::kOver;
    Descriptor socket;
    std::int64_t until_ns = INT64_MAX;  ///< for the system to connect; then when to look whether it is silent
    Silence silence;
    MessageReader reader;
    Hello hello;
    Answer answer;
    Welcome welcome;
  };
  struct Call {
    [[nodiscard]] bool has_begun() const noexcept { return rounds != 0 || !attempts.empty(); }

    std::vector<SocketAddress> addresses;
    std::vector<Attempt> attempts;  ///< by address
    std::int64_t next_ns = 0;       ///< when the next address is tried
    std::int64_t young_until_ns = 0;
    int rounds = 0;                 ///< in which all addresses were tried
    bool may_answer_later = false;  ///< a peer was too busy in this round, it seems
    std::string reasons;            ///< why the addresses of this round failed
  };

  void try_next(WorldRank to, Call& call, std::int64_t now_ns);
  void connect(WorldRank to, Call& call, std::int64_t now_ns);
  void say_hello(WorldRank to, Call& call, Attempt& attempt, std::int64_t now_ns);
  void read_answer(WorldRank to, Call& call, Attempt& attempt, std::int64_t now_ns);
  void read_welcome(WorldRank to, Call& call, Attempt& attempt, std::int64_t now_ns);
  void fail(WorldRank to, Call& call, Attempt& attempt, int why, std::int64_t now_ns);
  /// The time of the attempt is over, for now.
  void on_due(WorldRank to, Call& call, Attempt& attempt, std::int64_t now_ns);
  /// All addresses of this round have failed.
  void end_round(WorldRank to, Call& call, std::int64_t now_ns);
  [[nodiscard]] EventOf event_of(WorldRank to, const Call& call, const Attempt& attempt) const noexcept;

  const Settings& settings_;
  const Roster& roster_;
  WorldRank own_;
  Handshake& handshake_;
  EventSet& events_;
  Host& host_;
  std::unordered_map<WorldRank, Call> calls_;
};

}  // namespace starling::transport::tcp
