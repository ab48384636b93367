// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What calls return to ranks that have lost each other, where a loss does not end the job: where ranks are threads.
#include <gtest/gtest.h>
#include <mpi-ext.h>
#include <mpi.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <thread>

#include "mpi/env/thread_ranks.hpp"

namespace starling::mpi {
namespace {

/// Ends all connections of this process as the death of the processes at both ends would.
void break_connections() {
  constexpr int kMostDescriptors = 1024;
  for (int descriptor = 0; descriptor < kMostDescriptors; ++descriptor) {
    sockaddr_in peer{};
    socklen_t bytes = sizeof peer;
    if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &bytes) == 0 && peer.sin_family == AF_INET)
      shutdown(descriptor, SHUT_RDWR);
  }
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

TEST(LostPeer, FailsTheReceivesThatNeedItAndEveryCallAfterwards) {
  ThreadRanks job;
  job.ranks = 2;
  job.nodes = 2;
  job.joining = Joining::kTcp;
  const int unfinished = run_ranks_as_threads(job, [](int rank) {
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    char word = 'x';
    ASSERT_EQ(
        MPI_Sendrecv("a", 1, MPI_CHAR, 1 - rank, 0, &word, 1, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    EXPECT_EQ(word, 'a');
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      break_connections();
    }
    EXPECT_EQ(class_of(MPI_Recv(&word, 1, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)),
              MPIX_ERR_PROC_FAILED);
    EXPECT_EQ(class_of(MPI_Send(&word, 1, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD)), MPIX_ERR_PROC_FAILED);
    EXPECT_EQ(class_of(MPI_Barrier(MPI_COMM_WORLD)), MPIX_ERR_PROC_FAILED);
  });
  EXPECT_EQ(unfinished, 2);
}

}  // namespace
}  // namespace starling::mpi
