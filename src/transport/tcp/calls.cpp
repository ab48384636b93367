// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/calls.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/format.hpp"
#include "transport/tcp/descriptor_limit.hpp"

namespace starling::transport::tcp {
namespace {

/// Between the first tries of two addresses.
constexpr std::int64_t kBetweenAddressesNs = 250'000'000;
/// In which most connections are made that can be made.
constexpr std::int64_t kYoungNs = 1'000'000'000;
/// For the system to connect.
constexpr std::int64_t kConnectNs = 10'000'000'000;
/// Of a peer that may answer later; the pauses between them double.
constexpr int kMostRounds = 10;
/// Of a peer whose system does not answer; each takes kConnectNs.
constexpr int kMostSilentRounds = 2;
constexpr std::int64_t kFirstPauseNs = 10'000'000;

/// Stands for an errno: the peer is no rank of this job.
constexpr int kIsStranger = -1;
/// The same: its machine has not answered for too long.
constexpr int kIsSilent = -2;

std::string text_of(int why) {
  if (why == kIsSilent) return "the host there does not answer any more";
  if (why == kIsStranger) return "what answers there does not know the secret of this job";
  return why == 0 ? "the connection was closed there before it was used" : text_of_error(why);
}

}  // namespace

EventOf Calls::event_of(WorldRank to, const Call& call, const Attempt& attempt) const noexcept {
  return {EventOf::Kind::kCall, static_cast<std::uint8_t>(&attempt - call.attempts.data()), to.value};
}

void Calls::begin(WorldRank to, std::int64_t now_ns, std::int64_t first_ns) {
  const auto [found, is_new] = calls_.try_emplace(to);
  Call& call = found->second;
  if (!is_new && (call.has_begun() || call.next_ns <= first_ns)) return;
  call.next_ns = first_ns;
  call.young_until_ns = first_ns + kYoungNs;
  if (now_ns >= first_ns) try_next(to, call, now_ns);
}

bool Calls::is_promising(WorldRank to, std::int64_t now_ns) const {
  const auto found = calls_.find(to);
  if (found == calls_.end()) return false;
  const Call& call = found->second;
  return call.has_begun() &&
         (now_ns < call.young_until_ns || std::ranges::any_of(call.attempts, &Attempt::has_reached_somebody));
}

bool Calls::Attempt::has_reached_somebody() const noexcept {
  if (state != State::kConnects) return state != State::kOver;
  sockaddr_storage peer{};
  socklen_t bytes = sizeof peer;
  return getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &bytes) == 0;
}

void Calls::try_next(WorldRank to, Call& call, std::int64_t now_ns) {
  if (call.addresses.empty()) call.addresses = roster_.addresses(to);
  // An attempt is known by its number, in events too.
  const std::size_t addresses = std::min<std::size_t>(call.addresses.size(), UINT8_MAX);
  if (call.attempts.size() == addresses) return end_round(to, call, now_ns);
  call.attempts.reserve(addresses);
  call.next_ns = call.attempts.size() + 1 < addresses ? now_ns + kBetweenAddressesNs : INT64_MAX;
  connect(to, call, now_ns);
}

void Calls::connect(WorldRank to, Call& call, std::int64_t now_ns) {
  const SocketAddress& address = call.addresses[call.attempts.size()];
  Attempt& attempt = call.attempts.emplace_back();
  attempt.state = Attempt::State::kConnects;
  attempt.until_ns = now_ns + kConnectNs;
  attempt.socket = Descriptor(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!attempt.socket.valid()) return fail(to, call, attempt, errno, now_ns);
  set_socket_options(attempt.socket.get(), settings_);
  const bool connected = ::connect(attempt.socket.get(), address.data(), address.bytes()) == 0;
  if (!connected && errno != EINPROGRESS) return fail(to, call, attempt, errno, now_ns);
  if (!events_.add(attempt.socket.get(), EventSet::Watch::kBoth, event_of(to, call, attempt)))
    return fail(to, call, attempt, errno, now_ns);
  if (connected) say_hello(to, call, attempt, now_ns);
}

void Calls::on_event(WorldRank to, std::uint8_t number, std::int64_t now_ns) {
  const auto found = calls_.find(to);
  if (found == calls_.end() || number >= found->second.attempts.size()) return;
  Call& call = found->second;
  Attempt& attempt = call.attempts[number];
  switch (attempt.state) {
    case Attempt::State::kConnects: {
      int why = 0;
      socklen_t bytes = sizeof why;
      getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &why, &bytes);
      if (why != 0) return fail(to, call, attempt, why, now_ns);
      return say_hello(to, call, attempt, now_ns);
    }
    case Attempt::State::kAwaitsAnswer: return read_answer(to, call, attempt, now_ns);
    case Attempt::State::kAwaitsWelcome: return read_welcome(to, call, attempt, now_ns);
    case Attempt::State::kOver: return;
  }
}

void Calls::say_hello(WorldRank to, Call& call, Attempt& attempt, std::int64_t now_ns) {
  if (!attempt.has_reached_somebody()) return;
  Result<Hello> hello = handshake_.hello(to);
  if (!hello.ok()) {
    calls_.erase(to);
    return host_.give_up(to, std::move(hello).status(), now_ns);
  }
  attempt.hello = hello.value();
  attempt.state = Attempt::State::kAwaitsAnswer;
  attempt.silence.expect(now_ns);
  attempt.until_ns = now_ns + Silence::kLookNs;
  const bool watched = events_.change(attempt.socket.get(), EventSet::Watch::kReading, event_of(to, call, attempt));
  if (!watched || !send_message(attempt.socket.get(), attempt.hello)) fail(to, call, attempt, 0, now_ns);
}

void Calls::read_answer(WorldRank to, Call& call, Attempt& attempt, std::int64_t now_ns) {
  const MessageReader::Outcome outcome = attempt.reader.read(attempt.socket.get(), attempt.answer);
  if (outcome == MessageReader::Outcome::kNotYet) return;
  if (outcome == MessageReader::Outcome::kEnded) return fail(to, call, attempt, attempt.reader.why(), now_ns);
  if (!handshake_.is_right(attempt.hello, attempt.answer)) return fail(to, call, attempt, kIsStranger, now_ns);
  attempt.state = Attempt::State::kAwaitsWelcome;
  const Confirmation confirmation = handshake_.confirmation(attempt.hello, attempt.answer.nonce);
  attempt.silence.expect(now_ns);
  attempt.until_ns = now_ns + Silence::kLookNs;
  if (!send_message(attempt.socket.get(), confirmation)) fail(to, call, attempt, 0, now_ns);
}

void Calls::read_welcome(WorldRank to, Call& call, Attempt& attempt, std::int64_t now_ns) {
  const MessageReader::Outcome outcome = attempt.reader.read(attempt.socket.get(), attempt.welcome);
  if (outcome == MessageReader::Outcome::kNotYet) return;
  if (outcome == MessageReader::Outcome::kEnded) return fail(to, call, attempt, attempt.reader.why(), now_ns);
  Descriptor socket = std::move(attempt.socket);
  const Likeness peers{attempt.welcome.alike, attempt.welcome.settings};
  calls_.erase(to);
  host_.join(to, std::move(socket), peers);
}

void Calls::fail(WorldRank to, Call& call, Attempt& attempt, int why, std::int64_t now_ns) {
  const std::size_t number = static_cast<std::size_t>(&attempt - call.attempts.data());
  call.reasons += formatted("{}{}: {}", call.reasons.empty() ? "" : "; ", call.addresses[number].text(), text_of(why));
  // A peer that computes, and is called by very many, lets the system refuse to answer.
  const bool may_answer_later =
      attempt.state != Attempt::State::kConnects || (why == ETIMEDOUT && call.rounds < kMostSilentRounds);
  call.may_answer_later = call.may_answer_later || (may_answer_later && why != kIsStranger && why != kIsSilent);
  attempt.socket.reset();
  attempt.state = Attempt::State::kOver;
  const bool all_over =
      std::ranges::all_of(call.attempts, [](const Attempt& other) { return other.state == Attempt::State::kOver; });
  if (all_over) try_next(to, call, now_ns);
}

void Calls::end_round(WorldRank to, Call& call, std::int64_t now_ns) {
  if (call.may_answer_later && call.rounds < kMostRounds) {
    call.next_ns = now_ns + (kFirstPauseNs << call.rounds);
    ++call.rounds;
    call.attempts.clear();
    call.may_answer_later = false;
    call.reasons.clear();
    return;
  }
  const std::string reasons = std::move(call.reasons);
  calls_.erase(to);
  std::string why = formatted(
      "rank {} cannot connect to {} ({}): the process there has died, or the network lets no connection through",
      own_.value, roster_.text_of(to), reasons);
  host_.give_up(to, Status::error(ErrorClass::kProcFailed, std::move(why)), now_ns);
}

void Calls::on_due(WorldRank to, Call& call, Attempt& attempt, std::int64_t now_ns) {
  if (attempt.state == Attempt::State::kConnects) return fail(to, call, attempt, ETIMEDOUT, now_ns);
  if (attempt.silence.look(attempt.socket.get(), now_ns) >= settings_.dead_after_ms)
    return fail(to, call, attempt, kIsSilent, now_ns);
  attempt.until_ns = attempt.silence.expects() ? now_ns + Silence::kLookNs : INT64_MAX;
}

void Calls::look(std::int64_t now_ns) {
  std::vector<WorldRank> ranks;
  for (const auto& [rank, call] : calls_) ranks.push_back(rank);
  for (const WorldRank to : ranks) {
    for (std::size_t i = 0;; ++i) {
      const auto found = calls_.find(to);
      if (found == calls_.end() || i >= found->second.attempts.size()) break;
      Attempt& attempt = found->second.attempts[i];
      if (attempt.state != Attempt::State::kOver && now_ns >= attempt.until_ns)
        on_due(to, found->second, attempt, now_ns);
    }
    const auto found = calls_.find(to);
    if (found == calls_.end()) continue;
    if (now_ns >= found->second.young_until_ns) found->second.young_until_ns = INT64_MIN;
    if (now_ns >= found->second.next_ns) try_next(to, found->second, now_ns);
  }
}

std::int64_t Calls::due_ns() const noexcept {
  std::int64_t due = INT64_MAX;
  for (const auto& [rank, call] : calls_) {
    due = std::min(due, call.next_ns);
    if (call.young_until_ns != INT64_MIN) due = std::min(due, call.young_until_ns);
    for (const Attempt& attempt : call.attempts) {
      if (attempt.state != Attempt::State::kOver) due = std::min(due, attempt.until_ns);
    }
  }
  return due;
}

}  // namespace starling::transport::tcp
