// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Visitors: the callers at this rank's listeners, until they have shown that they are ranks of the job. Strangers get
// no answer, and their connection is closed. A rank whose call crosses one of ours waits without an answer while ours,
// which goes first, is under way.
// Thread safety: the world's lock. Invariants: no more than kPlaces at once, each for a short time. Several that say
// that they are the same rank may be answered, for a stranger may repeat what he has heard a rank say; the first that
// proves itself is welcomed.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "transport/tcp/event_set.hpp"
#include "transport/tcp/handshake.hpp"
#include "transport/tcp/likeness.hpp"
#include "transport/tcp/messages.hpp"
#include "transport/tcp/roster.hpp"
#include "transport/tcp/settings.hpp"

namespace starling::transport::tcp {

class Visitors {
 public:
  static constexpr std::size_t kPlaces = 64;

  class Host {
   public:
    /// There is no connection to the rank yet, and there may be one.
    [[nodiscard]] virtual bool may_join(WorldRank rank) const = 0;
    /// The other's call may be answered: a call of this rank does not go first, or has just ended in its favour.
    [[nodiscard]] virtual bool gives_way(WorldRank rank, std::int64_t now_ns) = 0;
    /// The rank has proved itself, and is welcomed. peers: what it says of itself.
    virtual void join(WorldRank rank, Descriptor socket, const Likeness& peers) = 0;
    /// The same for a further connection to a rank that is connected.
    [[nodiscard]] virtual bool may_join_lane(WorldRank rank) const = 0;
    virtual void join_lane(WorldRank rank, std::uint8_t lane, Descriptor socket) = 0;
    /// The rank cannot be answered.
    virtual void give_up(WorldRank rank, Status why, std::int64_t now_ns) = 0;

   protected:
    ~Host() = default;
  };

  /// All outlive it.
  Visitors(const Settings& settings, Handshake& handshake, std::span<Listener> listeners, EventSet& events,
           Host& host) noexcept
      : settings_(settings), handshake_(handshake), listeners_(listeners), events_(events), host_(host) {}

  /// Watches the listeners.
  [[nodiscard]] bool open() noexcept;
  /// Somebody calls at one of the listeners.
  void accept(std::size_t listener, std::int64_t now_ns);
  /// A visitor has sent something.
  void on_event(std::int32_t place, std::int64_t now_ns);
  /// Answers those that wait no longer; sends those away that have had their time.
  void look(std::int64_t now_ns);
  /// Sends away all that say that they are this rank.
  void dismiss(WorldRank rank);

  /// A rank is answered and will soon be connected.
  [[nodiscard]] bool has_answered(WorldRank rank) const noexcept;
  /// The same, or it waits for an answer.
  [[nodiscard]] bool knows(WorldRank rank) const noexcept;
  [[nodiscard]] bool are_none() const noexcept { return count_ == 0 && !paused_; }
  /// When look() has something to do.
  [[nodiscard]] std::int64_t due_ns() const noexcept;
  /// Why callers have to wait without being accepted, an errno, once; 0: they have not to, or it was told before.
  [[nodiscard]] int take_shortage() noexcept;
  /// Connections that were closed because no rank of this job had opened them.
  [[nodiscard]] std::uint64_t strangers() const noexcept { return strangers_; }

 private:
  struct Visitor {
    enum class State : std::uint8_t { kNone, kAwaitsHello, kWaits, kAwaitsConfirmation };

    /// It has said that it is this rank, and which of its connections it wants.
    [[nodiscard]] bool claims_to_be(WorldRank rank, std::uint32_t lane = 0) const noexcept {
      return (state == State::kWaits || state == State::kAwaitsConfirmation) && hello.from == rank &&
             hello.lane == lane;
    }

    State state = State::kNone;
    Descriptor socket;
    std::int64_t since_ns = 0;  ///< from when the time is counted that it has
    MessageReader reader;
    Hello hello;
    Nonce nonce{};
    Confirmation confirmation;
  };

  /// A free place, if need be that of a visitor that has had it for a while and may be replaced; null when there is
  /// none.
  Visitor* find_place(std::int64_t now_ns);
  [[nodiscard]] std::int32_t number_of(const Visitor& visitor) const noexcept {
    return static_cast<std::int32_t>(&visitor - visitors_.data());
  }
  /// When what it has to say must have come.
  [[nodiscard]] static std::int64_t until_ns(const Visitor& visitor) noexcept;
  /// It has said nothing, or another one says later that it is the same rank.
  [[nodiscard]] bool may_be_replaced(const Visitor& visitor) const noexcept;
  /// Accepts nobody for a while. why: an errno.
  void rest(int why, std::int64_t now_ns) noexcept;
  void read_hello(Visitor& visitor, std::int64_t now_ns);
  [[nodiscard]] bool may_join(const Hello& hello) const {
    return hello.lane == 0 ? host_.may_join(hello.from) : host_.may_join_lane(hello.from);
  }
  void answer(Visitor& visitor, std::int64_t now_ns);
  void read_confirmation(Visitor& visitor);
  void send_away(Visitor& visitor) noexcept;
  void refuse(Visitor& visitor) noexcept;
  void set_paused(bool paused) noexcept;

  const Settings& settings_;
  Handshake& handshake_;
  std::span<Listener> listeners_;
  EventSet& events_;
  Host& host_;
  std::array<Visitor, kPlaces> visitors_;
  std::size_t count_ = 0;
  bool paused_ = false;                      ///< nobody is accepted, as all places are taken or no descriptor is left
  std::int64_t rests_until_ns_ = INT64_MIN;  ///< without a descriptor
  int shortage_ = 0;                         ///< why no descriptor was to be had, first
  bool shortage_is_told_ = false;
  std::uint64_t strangers_ = 0;
};

}  // namespace starling::transport::tcp
