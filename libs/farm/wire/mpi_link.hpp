// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MpiLink: a Link over a communicator. A message is one MPI message, and a second one for what is beyond its first 16
// KiB; one receive is posted for each open peer, so a dead one ends its own receive with an error. Where MPI's blocking
// calls sleep and several threads may call MPI, the relay's thread sleeps in MPI_Waitany, and others wake it by an
// empty message of the process to itself; elsewhere nobody but the relay's thread calls MPI.
//
// Messages in two parts, and which peer's death an error tells of, are the farm's own; the rest is in libs/mpi.
//
// Thread safety: one thread; wake() any.
#pragma once

#include <mpi.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "link.hpp"
#include "mpi/owned_communicator.hpp"

namespace starling::farm {

class MpiLink final : public Link {
 public:
  /// Takes a communicator whose errors return, and this process's number in the farm: that of its place, where it is a
  /// spare that takes one. `more` starts a process and returns a communicator of this one and, as
  /// rank 1, the new one.
  MpiLink(MPI_Comm comm, int rank, std::function<any_mpi::OwnedCommunicator()> more);
  ~MpiLink() override;

  int rank() const override { return rank_; }
  void open(int peer) override;
  void close(int peer) override;
  bool idle(int peer) const override;
  void send(int peer, std::shared_ptr<const Buffer> message) override;
  int grow() override;
  void assign(int peer, int rank) override;
  bool call(int rank, const std::string& text) override;
  bool poll(Listener& listener) override;
  void flush() override;
  bool joins_processes() const override { return true; }
  bool can_sleep() const override { return !self_.is_null(); }
  void sleep() override;
  void wake() override;
  void end_wake() override;

 private:
  struct Outgoing {
    std::shared_ptr<const Buffer> message;
    std::uint64_t size;
    std::shared_ptr<Buffer> first;
    MPI_Request requests[2];
  };
  struct Peer {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;  ///< In that communicator.
    bool open = false;
    bool dead = false;
    bool at_rest = false;  ///< The second part of a message is under way.
    std::shared_ptr<Buffer> first;
    std::shared_ptr<Buffer> whole;
    MPI_Request request = MPI_REQUEST_NULL;
    std::deque<Outgoing> outgoing;
  };

  Peer& peer_of(int id);
  void post(Peer& peer);
  bool receive(int id, Peer& peer, Listener& listener);
  bool arrived(Peer& peer);
  bool sent(Peer& peer);
  bool check(int code, Peer& peer, const char* what);
  void prepare_sleep();
  void post_wake();

  MPI_Comm comm_;
  const std::function<any_mpi::OwnedCommunicator()> more_;
  int rank_ = 0;
  int size_ = 0;
  std::vector<any_mpi::OwnedCommunicator> grown_;
  std::map<int, Peer> peers_;
  std::vector<Peer> before_;  ///< Those that others have taken the place of: MPI may still have their buffers.
  any_mpi::OwnedCommunicator self_;
  MPI_Request wake_ = MPI_REQUEST_NULL;
};

// Tags on the farm's communicator.
inline constexpr int kFirstTag = 1;
inline constexpr int kRestTag = 2;
inline constexpr int kTreeTag = 3;  ///< Parts of the tree, and words to spares.

/// Whether a blocking call gives the core away until it can go on, and threads may call MPI at the same time.
bool sleeps_in_calls();

/// Whether a death ends only the calls that need the dead process.
bool survives_deaths();
/// How to start the job so that it does; empty where that is not known.
const char* how_to_survive();

/// Throws std::runtime_error with MPI's text unless the code is MPI_SUCCESS.
void must(int code, const std::string& what);

}  // namespace starling::farm
