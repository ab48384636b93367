// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "see/join_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "launch/query/query_channel.hpp"
#include "launch/report/last_calls.hpp"
#include "launch/watch/job_looks.hpp"
#include "observe/job/job_reader.hpp"
#include "observe/job/process_state.hpp"

namespace starling::see {
namespace {

using observe::JoinAnswer;
using observe::JoinRequest;

/// Between two looks; a call that two of them find is a wait.
constexpr std::int64_t kBetweenLooksNs = 20'000'000;
constexpr std::int64_t kBetweenScansNs = 900'000'000;

/// The process behind the connection; 0: it is another user's.
pid_t process_behind(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != geteuid()) return 0;
  return peer.pid;
}

void send_answer(int socket, const JoinAnswer& answer, int segment) {
  iovec part{const_cast<JoinAnswer*>(&answer), sizeof answer};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (segment >= 0) {
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof segment);
    std::memcpy(CMSG_DATA(head), &segment, sizeof segment);
  }
  // A rank that has gone meanwhile needs no answer.
  [[maybe_unused]] const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

JoinServer::~JoinServer() {
  for (auto& [number, guest] : guests_) close_socket(*guest);
  if (listening_.valid()) loop_.remove(listening_.get());
}

bool JoinServer::start(const std::string& name) {
  constexpr int kBacklog = 1024;
  Descriptor socket = launch::bound_socket(name);
  if (!socket.valid() || listen(socket.get(), kBacklog) != 0) return false;
  listening_ = std::move(socket);
  return loop_.on_readable(listening_.get(), [this] { accept_one(); });
}

void JoinServer::accept_one() {
  Descriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const pid_t process = socket.valid() ? process_behind(socket.get()) : 0;
  if (process == 0) return;
  const std::uint64_t number = next_++;
  const int descriptor = socket.get();
  Guest& guest = *guests_.emplace(number, std::make_unique<Guest>(loop_, std::move(socket))).first->second;
  guest.process = process;
  loop_.on_readable(descriptor, [this, number] { read(number); });
}

void JoinServer::read(std::uint64_t number) {
  Guest& guest = *guests_.at(number);
  if (guest.rank >= 0) {
    observe::JoinLeave leave;
    const ssize_t count = ::read(guest.socket.get(), &leave, sizeof leave);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count == static_cast<ssize_t>(sizeof leave) && leave.magic == observe::JoinLeave::kMagic) {
      job_->left(guest.rank);
      trace_.tell_usage(*job_, guest.rank, leave.usage);
    }
    return close_socket(guest);
  }
  JoinRequest request;
  const ssize_t count = ::read(guest.socket.get(), &request, sizeof request);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count != static_cast<ssize_t>(sizeof request) || request.magic != JoinRequest::kMagic) return drop(number);
  seat(number, request);
}

void JoinServer::seat(std::uint64_t number, const JoinRequest& request) {
  Guest& guest = *guests_.at(number);
  JoinAnswer answer;
  const bool has_place = make_place(request, guest.process, &answer);
  send_answer(guest.socket.get(), answer, has_place ? job_->segment().descriptor() : -1);
  if (!has_place) return drop(number);
  guest.rank = request.rank;
  const std::shared_ptr<SeenJob> job = job_;
  guest.job = job.get();
  guest.watch.start(guest.process, [this, number, job] {
    const std::int32_t rank = guests_.at(number)->rank;
    if (job->ended(rank)) report_death(*job, rank);
    // Not within its own handler.
    loop_.after(0, [this, number] { drop(number); });
  });
}

void JoinServer::report_death(SeenJob& job, std::int32_t rank) {
  // The others die of it, or because somebody ends the job.
  if (std::exchange(somebody_died_, true) || is_ending_ || settings_.notes.quiet) return;
  constexpr std::size_t kMostTold = 4;
  std::set<std::int32_t> dead{rank};
  for (const auto& [number, guest] : guests_) {
    if (guest->job != &job || !observe::is_ending(guest->process)) continue;
    if (guest->socket.valid()) read(number);  // it may have taken its leave before
    if (job.ended(guest->rank)) dead.insert(guest->rank);
  }
  std::size_t told = 0;
  for (const std::int32_t one : dead) {
    if (told++ == kMostTold) {
      say_(formatted("starling see: {} more ranks had ended without MPI_Finalize by then\n", dead.size() - kMostTold));
      break;
    }
    say_(formatted("starling see: rank {} has ended without MPI_Finalize\n{}", one,
                   launch::describe_last_calls(job.segment(), LocalRank(one)).text()));
  }
}

bool JoinServer::make_place(const JoinRequest& request, pid_t process, JoinAnswer* answer) {
  constexpr std::int32_t kMostRanks = 1 << 20;
  if (request.layout != JoinRequest::kLayout) {
    say_once("the preloaded library is of another build of Starling, so nothing is seen");
    return false;
  }
  if (request.ranks <= 0 || request.ranks > kMostRanks) return false;
  if (job_ != nullptr && job_->admit(request, process, answer)) return true;
  if (job_ != nullptr && !job_->is_over()) {
    say_once("another job has started meanwhile, as by MPI_Comm_spawn; its ranks are not seen");
    return false;
  }
  Result<std::unique_ptr<SeenJob>> made = SeenJob::create(request, trace_.mode());
  if (!made.ok()) {
    say_once(formatted("nothing is seen: {}", made.status().message()));
    return false;
  }
  const bool is_first = job_ == nullptr;
  somebody_died_ = false;
  job_ = std::move(made).value();
  begin_watch();
  begin_trace();
  if (is_first) look();
  return job_->admit(request, process, answer);
}

void JoinServer::drop(std::uint64_t number) {
  const auto found = guests_.find(number);
  if (found == guests_.end()) return;
  close_socket(*found->second);
  guests_.erase(found);
}

void JoinServer::close_socket(Guest& guest) {
  if (!guest.socket.valid()) return;
  loop_.remove(guest.socket.get());
  guest.socket.reset();
}

void JoinServer::begin_watch() {
  watched_ = std::make_shared<Watched>();
  watched_->job = job_;
  // Who still looks at an earlier job keeps it until he has answered.
  const launch::Ask ask = [this, known = std::weak_ptr(watched_)](const launch::Query& query,
                                                                  launch::Queries::Done done) {
    const std::shared_ptr<Watched> kept = known.lock();
    if (kept == nullptr) return;
    const launch::NodeView view{&kept->job->segment(), getpid(), settings_.inherited};
    launch::ask_here(loop_, view)(query,
                                  [kept, done = std::move(done)](const launch::Answers& answers) { done(answers); });
  };
  const auto say = [this](const std::string& lines) { say_(lines); };
  watched_->watch.emplace(settings_.notes, launch::HangWatch::Ways{nullptr, ask, say, say});
}

void JoinServer::begin_trace() {
  if (!trace_.is_wanted()) return;
  if (trace_.mode() == observe::TraceMode::kOff)
    return say_once("the trace is of the first job; those that have started after it are not recorded");
  const Status begun = trace_.begin(job_);
  if (!begun.ok()) say_once(begun.message());
}

void JoinServer::finish() {
  // What ranks have said last.
  for (auto& [number, guest] : guests_) {
    if (guest->rank >= 0 && guest->socket.valid()) read(number);
  }
  const std::string lines = trace_.finish(settings_.notes.quiet);
  if (!lines.empty()) say_(lines);
}

void JoinServer::look() {
  const std::int64_t now = now_ns();
  job_->look(now);
  if (now >= next_scan_ns_) {
    next_scan_ns_ = now + kBetweenScansNs;
    watched_->watch->take(launch::scan_node(job_->segment(), now, settings_.notes.late_ns()), now);
  }
  loop_.after(kBetweenLooksNs, [this] { look(); });
}

void JoinServer::say_once(const std::string& words) {
  if (said_ == words) return;
  said_ = words;
  say_(formatted("starling see: {}\n", words));
}

}  // namespace starling::see
