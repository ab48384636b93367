// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/lane_call.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "transport/tcp/descriptor_limit.hpp"

namespace starling::transport::tcp {

void LaneCall::begin(const LaneWay& way, const Settings& settings) {
  socket_ = Descriptor(socket(way.peer.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_.valid()) return fail(errno);
  set_socket_options(socket_.get(), settings);
  if (bind(socket_.get(), way.own.data(), way.own.bytes()) != 0) return fail(errno);
  const bool connected = connect(socket_.get(), way.peer.data(), way.peer.bytes()) == 0;
  if (!connected && errno != EINPROGRESS) return fail(errno);
  if (!events_.add(socket_.get(), EventSet::Watch::kBoth, event())) return fail(errno);
  if (connected) say_hello();
}

void LaneCall::go_on() {
  switch (state_) {
    case State::kConnects: {
      int why = 0;
      socklen_t bytes = sizeof why;
      getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &why, &bytes);
      if (why != 0) return fail(why);
      sockaddr_storage peer{};
      bytes = sizeof peer;
      if (getpeername(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &bytes) == 0) say_hello();
      return;
    }
    case State::kAwaitsAnswer: return read_answer();
    case State::kAwaitsWelcome: return read_welcome();
    case State::kOpen:
    case State::kFailed: return;
  }
}

void LaneCall::say_hello() {
  Result<Hello> hello = handshake_.hello(to_, number_);
  if (!hello.ok()) return fail(0);
  hello_ = hello.value();
  state_ = State::kAwaitsAnswer;
  const bool watched = events_.change(socket_.get(), EventSet::Watch::kReading, event());
  if (!watched || !send_message(socket_.get(), hello_)) fail(0);
}

void LaneCall::read_answer() {
  const MessageReader::Outcome outcome = reader_.read(socket_.get(), answer_);
  if (outcome == MessageReader::Outcome::kNotYet) return;
  if (outcome == MessageReader::Outcome::kEnded) return fail(reader_.why());
  if (!handshake_.is_right(hello_, answer_)) return fail(EACCES);
  state_ = State::kAwaitsWelcome;
  if (!send_message(socket_.get(), handshake_.confirmation(hello_, answer_.nonce))) fail(0);
}

void LaneCall::read_welcome() {
  const MessageReader::Outcome outcome = reader_.read(socket_.get(), welcome_);
  if (outcome == MessageReader::Outcome::kNotYet) return;
  if (outcome == MessageReader::Outcome::kEnded) return fail(reader_.why());
  state_ = State::kOpen;
}

void LaneCall::fail(int why) {
  why_ = why == 0 ? "the connection was closed there before it was used" : text_of_error(why);
  socket_.reset();
  state_ = State::kFailed;
}

}  // namespace starling::transport::tcp
