// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/visitors.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace starling::transport::tcp {
namespace {

/// In which a visitor must begin to say hello, unless another wants its place: a rank of the job may compute, or get no
/// processor time, between the system's connect and its hello.
constexpr std::int64_t kHelloPatienceNs = 30'000'000'000;
/// In which the rest of the hello must come, and each further message.
constexpr std::int64_t kPatienceNs = 2'000'000'000;
/// After which a visitor that may be replaced gives its place to another.
constexpr std::int64_t kShortPatienceNs = 50'000'000;
constexpr int kAcceptedAtOnce = 16;
/// After which a process that had no descriptor left looks whether it has one.
constexpr std::int64_t kRestNs = 100'000'000;

bool lacks_descriptors(int why) noexcept { return why == EMFILE || why == ENFILE || why == ENOBUFS || why == ENOMEM; }

EventOf of_listener(std::size_t number) noexcept {
  return {EventOf::Kind::kListener, 0, static_cast<std::int32_t>(number)};
}

}  // namespace

bool Visitors::open() noexcept {
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    if (!events_.add(listeners_[i].descriptor(), EventSet::Watch::kReading, of_listener(i))) return false;
  }
  return true;
}

void Visitors::accept(std::size_t listener, std::int64_t now_ns) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    Visitor* visitor = find_place(now_ns);
    if (visitor == nullptr) return set_paused(true);
    Descriptor socket = listeners_[listener].accept();
    if (!socket.valid()) return lacks_descriptors(errno) ? rest(errno, now_ns) : void();
    set_socket_options(socket.get(), settings_);
    const EventOf about{EventOf::Kind::kVisitor, 0, number_of(*visitor)};
    if (!events_.add(socket.get(), EventSet::Watch::kReading, about)) continue;
    *visitor = Visitor{};
    visitor->state = Visitor::State::kAwaitsHello;
    visitor->socket = std::move(socket);
    visitor->since_ns = now_ns;
    ++count_;
    read_hello(*visitor, now_ns);
  }
}

/// The caller stays where it is, and would be announced without end.
void Visitors::rest(int why, std::int64_t now_ns) noexcept {
  shortage_ = why;
  rests_until_ns_ = now_ns + kRestNs;
  set_paused(true);
}

int Visitors::take_shortage() noexcept {
  if (shortage_ == 0 || std::exchange(shortage_is_told_, true)) return 0;
  return shortage_;
}

Visitors::Visitor* Visitors::find_place(std::int64_t now_ns) {
  for (Visitor& visitor : visitors_) {
    if (visitor.state == Visitor::State::kNone) return &visitor;
  }
  for (Visitor& visitor : visitors_) {
    if (now_ns - visitor.since_ns < kShortPatienceNs || !may_be_replaced(visitor)) continue;
    on_event(number_of(visitor), now_ns);  // what it has sent while this rank computed still counts
    if (may_be_replaced(visitor)) visitor.state == Visitor::State::kAwaitsHello ? refuse(visitor) : send_away(visitor);
    if (visitor.state == Visitor::State::kNone) return &visitor;
  }
  return nullptr;
}

std::int64_t Visitors::until_ns(const Visitor& visitor) noexcept {
  const bool is_silent = visitor.state == Visitor::State::kAwaitsHello && !visitor.reader.has_part();
  return visitor.since_ns + (is_silent ? kHelloPatienceNs : kPatienceNs);
}

bool Visitors::may_be_replaced(const Visitor& visitor) const noexcept {
  if (visitor.state == Visitor::State::kAwaitsHello) return true;
  const Hello& hello = visitor.hello;
  return visitor.claims_to_be(hello.from, hello.lane) && std::ranges::any_of(visitors_, [&](const Visitor& other) {
           const bool is_later =
               other.since_ns > visitor.since_ns || (other.since_ns == visitor.since_ns && &other > &visitor);
           return is_later && other.claims_to_be(hello.from, hello.lane);
         });
}

void Visitors::on_event(std::int32_t place, std::int64_t now_ns) {
  Visitor& visitor = visitors_[static_cast<std::size_t>(place)];
  switch (visitor.state) {
    case Visitor::State::kNone: return;
    case Visitor::State::kAwaitsHello: return read_hello(visitor, now_ns);
    case Visitor::State::kWaits: {
      // Nothing is due from it: it has given up, or is a stranger.
      return send_away(visitor);
    }
    case Visitor::State::kAwaitsConfirmation: return read_confirmation(visitor);
  }
}

void Visitors::read_hello(Visitor& visitor, std::int64_t now_ns) {
  const bool had_part = visitor.reader.has_part();
  const MessageReader::Outcome outcome = visitor.reader.read(visitor.socket.get(), visitor.hello);
  if (!had_part && visitor.reader.has_part()) visitor.since_ns = now_ns;
  if (outcome == MessageReader::Outcome::kNotYet) return;
  if (outcome == MessageReader::Outcome::kEnded || !handshake_.is_right(visitor.hello)) return refuse(visitor);
  visitor.since_ns = now_ns;
  answer(visitor, now_ns);
}

void Visitors::answer(Visitor& visitor, std::int64_t now_ns) {
  const WorldRank from = visitor.hello.from;
  if (!may_join(visitor.hello)) return send_away(visitor);
  if (visitor.hello.lane == 0 && !host_.gives_way(from, now_ns)) {
    visitor.state = Visitor::State::kWaits;
    return;
  }
  Result<Answer> answer = handshake_.answer(visitor.hello);
  if (!answer.ok()) {
    const bool is_lane = visitor.hello.lane != 0;
    send_away(visitor);
    if (is_lane) return;
    return host_.give_up(from, std::move(answer).status(), now_ns);
  }
  if (!send_message(visitor.socket.get(), answer.value())) return send_away(visitor);
  visitor.nonce = answer.value().nonce;
  visitor.state = Visitor::State::kAwaitsConfirmation;
  visitor.since_ns = now_ns;
}

void Visitors::read_confirmation(Visitor& visitor) {
  const MessageReader::Outcome outcome = visitor.reader.read(visitor.socket.get(), visitor.confirmation);
  if (outcome == MessageReader::Outcome::kNotYet) return;
  if (outcome == MessageReader::Outcome::kEnded) return send_away(visitor);
  if (!handshake_.is_right(visitor.hello, visitor.nonce, visitor.confirmation)) return refuse(visitor);
  const WorldRank from = visitor.hello.from;
  if (!may_join(visitor.hello) || !send_message(visitor.socket.get(), handshake_.welcome())) return send_away(visitor);
  Descriptor socket = std::move(visitor.socket);
  send_away(visitor);
  if (visitor.hello.lane != 0)
    return host_.join_lane(from, static_cast<std::uint8_t>(visitor.hello.lane), std::move(socket));
  host_.join(from, std::move(socket), {visitor.hello.alike, visitor.confirmation.settings});
}

void Visitors::look(std::int64_t now_ns) {
  for (Visitor& visitor : visitors_) {
    if (visitor.state == Visitor::State::kNone) continue;
    if (visitor.state == Visitor::State::kWaits) answer(visitor, now_ns);
    if (visitor.state == Visitor::State::kNone || now_ns < until_ns(visitor)) continue;
    // What it has sent while this rank computed still counts.
    on_event(number_of(visitor), now_ns);
    if (visitor.state == Visitor::State::kAwaitsHello) {
      refuse(visitor);
    } else if (visitor.state != Visitor::State::kNone && now_ns >= until_ns(visitor)) {
      send_away(visitor);
    }
  }
  if (!paused_ || now_ns < rests_until_ns_ || find_place(now_ns) == nullptr) return;
  rests_until_ns_ = INT64_MIN;
  set_paused(false);
}

void Visitors::dismiss(WorldRank rank) {
  for (Visitor& visitor : visitors_) {
    if (visitor.claims_to_be(rank)) send_away(visitor);
  }
}

bool Visitors::has_answered(WorldRank rank) const noexcept {
  return std::ranges::any_of(visitors_, [rank](const Visitor& visitor) {
    return visitor.state == Visitor::State::kAwaitsConfirmation && visitor.claims_to_be(rank);
  });
}

bool Visitors::knows(WorldRank rank) const noexcept {
  return std::ranges::any_of(visitors_, [rank](const Visitor& visitor) { return visitor.claims_to_be(rank); });
}

std::int64_t Visitors::due_ns() const noexcept {
  const bool rests = paused_ && rests_until_ns_ != INT64_MIN;
  std::int64_t due = rests ? rests_until_ns_ : INT64_MAX;
  for (const Visitor& visitor : visitors_) {
    if (visitor.state == Visitor::State::kNone) continue;
    const bool is_replaced = paused_ && !rests && may_be_replaced(visitor);
    due = std::min(due, is_replaced ? visitor.since_ns + kShortPatienceNs : until_ns(visitor));
  }
  return due;
}

void Visitors::send_away(Visitor& visitor) noexcept {
  visitor.socket.reset();
  visitor.state = Visitor::State::kNone;
  --count_;
}

void Visitors::refuse(Visitor& visitor) noexcept {
  ++strangers_;
  send_away(visitor);
}

void Visitors::set_paused(bool paused) noexcept {
  const auto watch = paused ? EventSet::Watch::kNothing : EventSet::Watch::kReading;
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    if (events_.change(listeners_[i].descriptor(), watch, of_listener(i))) paused_ = paused;
  }
}

}  // namespace starling::transport::tcp
