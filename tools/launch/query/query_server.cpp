// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/query_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "launch/query/query_channel.hpp"

namespace starling::launch {
namespace {

constexpr std::int64_t kToAskNs = 5'000'000'000;
constexpr std::int64_t kToReadNs = 30'000'000'000;

bool may_ask(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

}  // namespace

bool QueryServer::start(const std::string& name) {
  constexpr int kBacklog = 32;
  Descriptor socket = bound_socket(name);
  if (!socket.valid() || listen(socket.get(), kBacklog) != 0) return false;
  listening_ = std::move(socket);
  return loop_.on_readable(listening_.get(), [this] { accept_some(); });
}

void QueryServer::stop() {
  while (!clients_.empty()) drop(clients_.begin()->first);
  if (!listening_.valid()) return;
  loop_.remove(listening_.get());
  listening_.reset();
}

void QueryServer::accept_some() {
  Descriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.valid()) {
    // Without a descriptor to spare the caller would wake us again and again.
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) stop();
    return;
  }
  if (clients_.size() < kMostClients) admit(std::move(socket));
}

void QueryServer::admit(Descriptor socket) {
  const std::uint64_t number = next_++;
  Client& client = clients_[number];
  client.socket = std::move(socket);
  if (!may_ask(client.socket.get())) {
    return answer(number, static_cast<char>(ChannelReply::kRefusal), "only its user and root may ask about it");
  }
  client.timer = loop_.after(kToAskNs, [this, number] { drop(number); });
  loop_.on_readable(client.socket.get(), [this, number] { read_some(number); });
}

void QueryServer::read_some(std::uint64_t number) {
  Client& client = clients_.at(number);
  char buffer[16 * 1024];
  const ssize_t count = read(client.socket.get(), buffer, sizeof buffer);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0 || client.asked) return drop(number);
  take(number, {buffer, static_cast<std::size_t>(count)});
}

void QueryServer::take(std::uint64_t number, std::string_view bytes) {
  Client& client = clients_.at(number);
  client.received.append(bytes);
  const auto body = ChannelMessage::body_in(client.received, ChannelMessage::kLongestQuery);
  if (body.ok() && !body.value()) return;
  Result<Query> query = body.ok() ? Query::parse(*body.value()) : Result<Query>(body.status().copy());
  client.asked = true;
  client.received.clear();
  if (!query.ok()) {
    return answer(number, static_cast<char>(ChannelReply::kRefusal),
                  "another build of Starling runs it, which does not understand the question");
  }
  loop_.cancel(std::exchange(client.timer, 0));
  queries_.ask(std::move(query).value(), [this, number](const Answers& answers) {
    answer(number, static_cast<char>(ChannelReply::kAnswers), answers.serialised());
  });
}

void QueryServer::answer(std::uint64_t number, char kind, std::string_view body) {
  const auto found = clients_.find(number);
  if (found == clients_.end()) return;  // it has left
  Client& client = found->second;
  client.answer = ChannelMessage::framed(kind + std::string(body));
  loop_.cancel(std::exchange(client.timer, loop_.after(kToReadNs, [this, number] { drop(number); })));
  loop_.remove(client.socket.get());
  write_some(number);
}

void QueryServer::write_some(std::uint64_t number) {
  Client& client = clients_.at(number);
  while (client.written < client.answer.size()) {
    const ssize_t count = send(client.socket.get(), client.answer.data() + client.written,
                               client.answer.size() - client.written, MSG_NOSIGNAL);
    if (count > 0) {
      client.written += static_cast<std::size_t>(count);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) break;
    loop_.remove(client.socket.get());
    loop_.on_writable(client.socket.get(), [this, number] { write_some(number); });
    return;
  }
  drop(number);
}

void QueryServer::drop(std::uint64_t number) {
  const auto found = clients_.find(number);
  if (found == clients_.end()) return;
  loop_.cancel(found->second.timer);
  loop_.remove(found->second.socket.get());
  clients_.erase(found);
}

}  // namespace starling::launch
