// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SoakRank: one rank's part of the soak. It plays its part of every window and checks every byte and every order.
//
// Order: of the receives of one communicator that took messages of one source and tag, in the order of their posting,
// the n-th must hold the n-th message that the plan has for them. Thread safety: one object for each rank.
#pragma once

#include <mpi.h>

#include <array>
#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "stress/soak_plan.hpp"

namespace starling::stress {

class SoakRank {
 public:
  explicit SoakRank(const SoakOptions& options);
  ~SoakRank();
  SoakRank(const SoakRank&) = delete;
  SoakRank& operator=(const SoakRank&) = delete;

  void play(std::int64_t window_index);

  [[nodiscard]] std::int64_t received() const { return received_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t errors() const { return errors_; }

 private:
  struct Receive {
    Discipline discipline;
    int source;
    int tag;
    int capacity;
    bool strided;
    std::vector<unsigned char> buffer;
    MPI_Status status{};
  };
  using Stream = std::tuple<int, int, int>;  // discipline, source, tag

  void plan_receives(const Window& window);
  void add_receive(const Message& message, int room);
  void post_receives(std::size_t end);
  void start_send(const Message& message);
  void block_in_send(const Message& message);
  void probe_all(const Window& window);
  void probe_one(Discipline discipline);
  void wait_for_all();
  void keep_status(int request, const MPI_Status& status);
  void drain_buffer();
  void check_receives();
  void check(const Receive& receive);
  void check_untouched(const Receive& receive, int bytes);
  void complain(const Receive& receive, const char* what, long long got, long long expected);

  unsigned char* lay_out(const Message& message);
  [[nodiscard]] MPI_Comm comm(Discipline discipline) const { return comms_[static_cast<std::size_t>(discipline)]; }
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }

  SoakOptions options_;
  int rank_ = 0;
  int size_ = 1;
  std::mt19937_64 random_;
  std::array<MPI_Comm, kDisciplines> comms_{};
  MPI_Datatype strided_ = MPI_DATATYPE_NULL;
  std::vector<char> attached_;

  // Of the window that is played.
  std::int64_t window_index_ = 0;
  std::map<Stream, std::deque<const Message*>> expected_;
  std::deque<Receive> receives_;  // in the order of their posting
  std::size_t posted_ = 0;
  std::deque<std::vector<unsigned char>> sent_;
  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> receive_of_;  // the receive of each request; none for sends
  std::vector<MPI_Request> persistent_;

  std::int64_t received_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t errors_ = 0;
};

}  // namespace starling::stress
