// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_link.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "base/format.hpp"
#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/implementation.hpp"
#include "mpi/requests.hpp"

namespace starling::farm {
namespace {

constexpr std::size_t kFirst = 16 * 1024;
constexpr std::size_t kLargestPart = std::size_t{1} << 30;

/// MPI's counts are ints.
int count_of(std::size_t bytes) {
  if (bytes > kLargestPart) throw std::length_error("farm: a message of more than 1 GiB; send smaller pieces of data");
  return static_cast<int>(bytes);
}

/// Starling's hint; others do not know it.
void tell_how_to_wait(MPI_Comm comm, const char* how) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "starling_wait", how);
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
}

}  // namespace

void must(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  throw std::runtime_error(formatted("farm: {}: {}", what, any_mpi::error_text(code)));
}

bool survives_deaths() { return any_mpi::survives_failures(MPI_COMM_WORLD); }

const char* how_to_survive() { return any_mpi::running_on() == "Starling" ? " (mpiexec --survive goes on)" : ""; }

MpiLink::MpiLink(MPI_Comm comm, int rank, std::function<any_mpi::OwnedCommunicator()> more)
    : comm_(comm), more_(std::move(more)), rank_(rank), size_(any_mpi::size_of(comm)) {
  if (sleeps_in_calls()) prepare_sleep();
}

bool sleeps_in_calls() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE && any_mpi::blocking_calls_sleep();
}

void MpiLink::prepare_sleep() {
  must(any_mpi::duplicate(MPI_COMM_SELF, self_), "making a communicator");
  if (std::getenv("STARLING_WAIT") == nullptr) tell_how_to_wait(self_.get(), "sleep");
  post_wake();
}

void MpiLink::post_wake() {
  must(MPI_Irecv(nullptr, 0, MPI_BYTE, 0, kFirstTag, self_.get(), &wake_), "preparing a sleep");
}

void MpiLink::wake() { MPI_Send(nullptr, 0, MPI_BYTE, 0, kFirstTag, self_.get()); }

void MpiLink::end_wake() {
  must(MPI_Wait(&wake_, MPI_STATUS_IGNORE), "waking");
  post_wake();
}

void MpiLink::sleep() {
  std::vector<MPI_Request*> places{&wake_};
  std::vector<Peer*> owners{nullptr};
  const auto add = [&](MPI_Request& request, Peer& peer) {
    if (request == MPI_REQUEST_NULL) return;
    places.push_back(&request);
    owners.push_back(&peer);
  };
  for (auto& [id, peer] : peers_) {
    if (peer.dead) continue;
    if (peer.open) add(peer.request, peer);
    if (peer.outgoing.empty()) continue;
    for (MPI_Request& request : peer.outgoing.front().requests) add(request, peer);
  }
  int which = MPI_UNDEFINED;
  const int code = any_mpi::wait_any(places, which);  // what is complete, poll() finds as such
  if (which == MPI_UNDEFINED) return must(code, "sleeping");
  Peer* const owner = owners[static_cast<std::size_t>(which)];
  if (owner != nullptr) check(code, *owner, "waiting");
}

MpiLink::~MpiLink() {
  if (can_sleep()) {
    any_mpi::cancel(wake_);
    if (std::getenv("STARLING_WAIT") == nullptr) tell_how_to_wait(self_.get(), "auto");
    self_.reset();
  }
  // What is under way after an error MPI may still read or write: it belongs to MPI until its end.
  static std::vector<std::map<int, Peer>> under_way;
  static std::vector<std::vector<Peer>> under_way_before;
  if (std::uncaught_exceptions() > 0) {
    under_way.push_back(std::move(peers_));
    under_way_before.push_back(std::move(before_));
  }
  // Where somebody has died not all can take part in freeing.
  if (before_.empty() && std::none_of(peers_.begin(), peers_.end(), [](const auto& peer) { return peer.second.dead; }))
    return;
  for (any_mpi::OwnedCommunicator& each : grown_) each.release();
}

MpiLink::Peer& MpiLink::peer_of(int id) {
  Peer& peer = peers_[id];
  if (peer.comm != MPI_COMM_NULL) return peer;
  peer.comm = comm_;
  peer.rank = id;
  return peer;
}

int MpiLink::grow() {
  grown_.push_back(more_());
  const int id = size_ + static_cast<int>(grown_.size()) - 1;
  peers_[id].comm = grown_.back().get();
  peers_[id].rank = 1;
  return id;
}

void MpiLink::assign(int id, int rank) {
  before_.push_back(std::exchange(peer_of(id), {}));
  peers_[id].comm = comm_;
  peers_[id].rank = rank;
}

bool MpiLink::call(int rank, const std::string& text) {
  const int code = MPI_Send(text.data(), count_of(text.size()), MPI_CHAR, rank, kTreeTag, comm_);
  if (code != MPI_SUCCESS && !any_mpi::is_process_failure(code)) must(code, formatted("calling rank {}", rank));
  return code == MPI_SUCCESS;
}

/// Of one that is known to be dead the next poll() tells.
void MpiLink::open(int id) {
  Peer& peer = peer_of(id);
  if (std::exchange(peer.open, true) || peer.dead) return;
  post(peer);
}

/// After its last word nothing is posted. Of one that never said anything what is posted must not outlive this.
void MpiLink::close(int id) {
  Peer& peer = peer_of(id);
  peer.open = false;
  if (!peer.dead && peer.request != MPI_REQUEST_NULL) any_mpi::cancel(peer.request);
}

void MpiLink::post(Peer& peer) {
  if (!peer.first) peer.first = std::make_shared<Buffer>(kFirst);
  void* to = peer.first->data();
  check(MPI_Irecv(to, static_cast<int>(kFirst), MPI_BYTE, peer.rank, kFirstTag, peer.comm, &peer.request), peer,
        "receiving");
}

bool MpiLink::idle(int id) const {
  const auto peer = peers_.find(id);
  return peer == peers_.end() || peer->second.outgoing.empty();
}

void MpiLink::send(int id, std::shared_ptr<const Buffer> message) {
  Peer& peer = peer_of(id);
  if (peer.dead) return;
  Outgoing& out = peer.outgoing.emplace_back(Outgoing{message, message->size(), std::make_shared<Buffer>(), {}});
  // The size goes first, so that the receiver knows whether there is more.
  const std::size_t first = std::min(message->size(), kFirst - sizeof out.size);
  out.first->append(&out.size, sizeof out.size);
  out.first->append(message->data(), first);
  out.requests[0] = out.requests[1] = MPI_REQUEST_NULL;
  const int count = count_of(out.first->size());
  if (!check(MPI_Isend(out.first->data(), count, MPI_BYTE, peer.rank, kFirstTag, peer.comm, &out.requests[0]), peer,
             "sending")) {
    return;
  }
  if (first == message->size()) return;
  const int rest = count_of(message->size() - first);
  check(MPI_Isend(message->data() + first, rest, MPI_BYTE, peer.rank, kRestTag, peer.comm, &out.requests[1]), peer,
        "sending");
}

bool MpiLink::poll(Listener& listener) {
  bool busy = false;
  for (auto& [id, peer] : peers_) {
    if (!peer.dead) busy |= sent(peer);
    if (!peer.dead && peer.open) busy |= receive(id, peer, listener);
    if (!peer.dead || !peer.open) continue;
    peer.open = false;
    listener.on_death(id);
    return true;  // the listener may have opened others
  }
  return busy;
}

bool MpiLink::sent(Peer& peer) {
  bool busy = false;
  while (!peer.outgoing.empty()) {
    int done = 0;
    Outgoing& out = peer.outgoing.front();
    for (MPI_Request& request : out.requests) {  // one by one: each has its own error
      if (!check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), peer, "sending") || done == 0) return busy;
    }
    peer.outgoing.pop_front();
    busy = true;
  }
  return busy;
}

bool MpiLink::receive(int id, Peer& peer, Listener& listener) {
  bool busy = false;
  while (peer.open && !peer.dead && arrived(peer)) {
    busy = true;
    const std::shared_ptr<Buffer> message = std::move(peer.whole);
    peer.whole.reset();
    listener.on_message(id, message);
    if (peer.open) post(peer);
  }
  return busy;
}

/// True once a whole message is there.
bool MpiLink::arrived(Peer& peer) {
  int done = 0;
  if (!check(MPI_Test(&peer.request, &done, MPI_STATUS_IGNORE), peer, "receiving") || done == 0) return false;
  if (peer.at_rest) {
    peer.at_rest = false;
    return true;
  }
  std::uint64_t size = 0;
  std::memcpy(&size, peer.first->data(), sizeof size);
  const std::size_t first = std::min<std::size_t>(size, kFirst - sizeof size);
  peer.whole = std::make_shared<Buffer>(size);
  std::memcpy(peer.whole->data(), peer.first->data() + sizeof size, first);
  if (first == size) return true;
  peer.at_rest = true;
  void* rest = peer.whole->data() + first;
  check(MPI_Irecv(rest, count_of(size - first), MPI_BYTE, peer.rank, kRestTag, peer.comm, &peer.request), peer,
        "receiving");
  return false;
}

/// False, and the peer is dead, if the code says so; other errors are thrown.
bool MpiLink::check(int code, Peer& peer, const char* what) {
  if (code == MPI_SUCCESS) return true;
  if (!any_mpi::is_process_failure(code)) must(code, formatted("{} between rank {} and {}", what, rank_, peer.rank));
  peer.dead = true;
  peer.outgoing.clear();
  return false;
}

void MpiLink::flush() {
  for (auto& [id, peer] : peers_) {
    while (!peer.outgoing.empty()) {
      for (MPI_Request& request : peer.outgoing.front().requests) {
        if (!check(MPI_Wait(&request, MPI_STATUS_IGNORE), peer, "sending")) break;
      }
      if (!peer.outgoing.empty()) peer.outgoing.pop_front();
    }
  }
}

}  // namespace starling::farm
