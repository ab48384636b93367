// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/ask.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "launch/query/helper_run.hpp"
#include "launch/query/query_channel.hpp"
#include "launch/query/respond.hpp"
#include "observe/job/process_facts.hpp"

namespace starling::launch {
namespace {

using observe::FoundJob;

Status no_answer(std::string why) { return Status::error(ErrorClass::kOther, std::move(why)); }

/// A look of our own: the job does nothing for it.
Answers ask_here(const FoundJob& job, const Query& query) {
  EventLoop loop;
  Answers answers;
  const memory::JobGeometry& geometry = job.segment->header().geometry;
  answers.ranks = static_cast<std::int32_t>(std::max(geometry.world_ranks, geometry.ranks));
  NodeAnswer node;
  node.ranks.resize(static_cast<std::size_t>(answers.ranks));
  std::iota(node.ranks.begin(), node.ranks.end(), 0);
  node.reply.problem = "does not answer";
  loop.after(query.patience_ns + Query::kWayNs, [&] { loop.stop(); });
  respond(loop, {job.segment.get(), job.worker, inherited_as_it_is()}, query, [&](NodeReply reply) {
    node.reply = std::move(reply);
    loop.after(0, [&] { loop.stop(); });
  });
  if (!loop.run()) node.reply = {"cannot be waited for", {}};
  answers.nodes.push_back(std::move(node));
  return answers;
}

std::string why_silent(const FoundJob& job) {
  const auto facts = observe::process_facts(job.worker);
  if (!facts || facts->state == 'Z') return formatted("job {} has ended meanwhile", job.id);
  const bool stopped = facts->state == 'T' || facts->state == 't';
  return formatted("the mpiexec of job {} does not answer: its process {} is {}", job.id, job.worker,
                   stopped ? "stopped" : "held up");
}

/// The connection to mpiexec's worker, and to nobody else.
Result<Descriptor> connect_to(const FoundJob& job) {
  const SocketAddress address = SocketAddress::of(job.socket);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return no_answer(formatted("no socket: {}", std::strerror(errno)));
  if (connect(socket.get(), address.get(), address.length) != 0) {
    if (errno == EAGAIN) return no_answer(why_silent(job));
    if (errno == ECONNREFUSED) return no_answer(formatted("job {} has ended meanwhile", job.id));
    return no_answer(formatted("the mpiexec of job {} cannot be asked: {}", job.id, std::strerror(errno)));
  }
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid != job.worker)
    return no_answer(formatted("job {} has ended meanwhile", job.id));
  return socket;
}

bool wait_for(int socket, short events, std::int64_t deadline_ns) {
  pollfd ready{socket, events, 0};
  int count = 0;
  do {
    const std::int64_t left_ms = std::max<std::int64_t>((deadline_ns - now_ns() + kMillisecond - 1) / kMillisecond, 0);
    count = poll(&ready, 1, static_cast<int>(left_ms));
  } while (count < 0 && errno == EINTR);
  return count == 1;
}

void send_all(int socket, std::string_view bytes, std::int64_t deadline_ns) {
  while (!bytes.empty()) {
    const ssize_t count = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    const bool full = count < 0 && errno == EAGAIN;
    if (count < 0 && errno != EINTR && (!full || !wait_for(socket, POLLOUT, deadline_ns))) return;
  }
}

/// The body of the message that comes; an error: none comes in time, or it is none.
Result<std::string> receive_message(const FoundJob& job, int socket, std::int64_t deadline_ns) {
  std::string received;
  char buffer[64 * 1024];
  while (wait_for(socket, POLLIN, deadline_ns)) {
    const ssize_t count = read(socket, buffer, sizeof buffer);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) return no_answer(formatted("job {} has ended meanwhile, or too many ask at once", job.id));
    received.append(buffer, static_cast<std::size_t>(count));
    const auto body = ChannelMessage::body_in(received, ChannelMessage::kLongestAnswer);
    if (!body.ok()) return no_answer(formatted("{} runs job {}; ask that one", body.status().message(), job.id));
    if (body.value()) return std::string(*body.value());
  }
  return no_answer(why_silent(job));
}

Result<Answers> ask_head(const FoundJob& job, const Query& query) {
  // The worker hears of nodes that do not answer a little earlier.
  constexpr std::int64_t kBeyondNs = 2'000'000'000;
  const std::int64_t deadline = now_ns() + query.patience_ns + Query::kWayNs + kBeyondNs;
  const Result<Descriptor> socket = connect_to(job);
  if (!socket.ok()) return socket.status().copy();
  // What keeps the question from being sent is what comes in place of an answer.
  send_all(socket.value().get(), ChannelMessage::framed(query.serialised()), deadline);
  const Result<std::string> body = receive_message(job, socket.value().get(), deadline);
  if (!body.ok()) return body.status().copy();
  const std::string_view bytes = body.value();
  if (bytes.starts_with(static_cast<char>(ChannelReply::kRefusal)))
    return no_answer(formatted("job {} cannot be asked: {}", job.id, bytes.substr(1)));
  return Answers::parse(bytes.substr(std::min<std::size_t>(bytes.size(), 1)));
}

}  // namespace

Result<Answers> ask(const FoundJob& job, const Query& query) {
  if (job.kind == observe::JobKind::kHead) return ask_head(job, query);
  if (job.segment == nullptr) return no_answer(formatted("job {} cannot be looked into: {}", job.id, job.refusal));
  return ask_here(job, query);
}

}  // namespace starling::launch
