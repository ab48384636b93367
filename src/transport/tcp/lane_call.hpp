// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LaneCall: opens a lane, a further connection to a rank that is connected, over a certain link. It is tried once and
// quietly: without it messages take the links that there are.
// Thread safety: the world's lock.
#pragma once

#include <cstdint>
#include <string>

#include "base/descriptor.hpp"
#include "base/id.hpp"
#include "transport/tcp/event_set.hpp"
#include "transport/tcp/handshake.hpp"
#include "transport/tcp/lane_ways.hpp"
#include "transport/tcp/messages.hpp"
#include "transport/tcp/settings.hpp"

namespace starling::transport::tcp {

class LaneCall {
 public:
  enum class State : std::uint8_t { kConnects, kAwaitsAnswer, kAwaitsWelcome, kOpen, kFailed };

  /// number: of the lane, from 1 on. All outlive it.
  LaneCall(WorldRank to, std::uint8_t number, Handshake& handshake, EventSet& events) noexcept
      : to_(to), number_(number), handshake_(handshake), events_(events) {}

  void begin(const LaneWay& way, const Settings& settings);
  /// Its socket has something to say.
  void go_on();
  /// It has taken too long.
  void give_up() { fail(ETIMEDOUT); }

  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] bool is_over() const noexcept { return state_ == State::kOpen || state_ == State::kFailed; }
  /// Why it has failed, a clause.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  /// Of one that is open.
  [[nodiscard]] Descriptor take_socket() noexcept { return std::move(socket_); }

 private:
  [[nodiscard]] EventOf event() const noexcept { return {EventOf::Kind::kLane, number_, to_.value}; }
  void say_hello();
  void read_answer();
  void read_welcome();
  void fail(int why);

  WorldRank to_;
  std::uint8_t number_;
  Handshake& handshake_;
  EventSet& events_;
  State state_ = State::kConnects;
  Descriptor socket_;
  MessageReader reader_;
  Hello hello_;
  Answer answer_;
  Welcome welcome_;
  std::string why_;
};

}  // namespace starling::transport::tcp
