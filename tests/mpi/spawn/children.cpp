// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/spawn/children.hpp"

#include <unistd.h>

#include <filesystem>

namespace starling::tests {

std::string child_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "mpi_spawn_child";
}

std::string own_name(MPI_Comm comm) {
  int numbers[2] = {static_cast<int>(getpid()), -1};
  MPI_Comm_rank(MPI_COMM_WORLD, &numbers[1]);
  MPI_Bcast(numbers, 2, MPI_INT, 0, comm);
  return std::to_string(numbers[0]) + "-" + std::to_string(numbers[1]);
}

MPI_Comm spawn_children(MPI_Comm comm, int root, int count, const std::vector<std::string>& words, int* codes) {
  std::vector<std::string> kept = words;
  std::vector<char*> arguments;
  for (std::string& word : kept) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm children = MPI_COMM_NULL;
  // What only the root has to know only the root passes.
  const std::string program = rank == root ? child_program() : "";
  MPI_Comm_spawn(rank == root ? program.c_str() : nullptr, rank == root ? arguments.data() : MPI_ARGV_NULL,
                 rank == root ? count : -1, MPI_INFO_NULL, root, comm, &children, codes);
  return children;
}

int remote_size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_remote_size(comm, &size);
  return size;
}

std::string receive_text(MPI_Comm children) {
  MPI_Status status;
  MPI_Probe(0, 1, children, &status);
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string text(static_cast<std::size_t>(length), '\0');
  MPI_Recv(text.data(), length, MPI_CHAR, 0, 1, children, MPI_STATUS_IGNORE);
  return text;
}

}  // namespace starling::tests
