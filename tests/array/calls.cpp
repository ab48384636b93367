// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "array/calls.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <starling/array/mpi.hpp>
#include <vector>

namespace starling::tests {

Communicator everybody() { return MPI_COMM_WORLD; }
Communicator only_me() { return MPI_COMM_SELF; }

Communicator part_of(Communicator comm, bool is_in, int place) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm.mpi(), is_in ? 0 : MPI_UNDEFINED, place, &part);
  return part;
}

void release(Communicator comm) {
  MPI_Comm handle = comm.mpi();
  if (handle != MPI_COMM_NULL) MPI_Comm_free(&handle);
}

Crew drawn_crew(const Job& world, std::mt19937_64& chance, bool was_in) {
  std::vector<int> order(static_cast<std::size_t>(world.size));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), chance);
  const auto place = static_cast<int>(std::find(order.begin(), order.end(), world.rank) - order.begin());
  const auto size = static_cast<int>(1 + chance() % order.size());
  int stays = was_in ? place : world.size;
  find_least(stays);
  const bool one_more = stays < world.size && stays >= size;
  const bool is_in = place < size || place == stays;
  return {is_in, size + (one_more ? 1 : 0), part_of(everybody(), is_in, place)};
}

bool become(std::unique_ptr<array::Session>& session, const Crew& crew, bool is_first) {
  const bool is_new = session == nullptr && crew.is_in;
  if (is_new) {
    session.reset(is_first ? new array::Session(crew.comm) : new array::Session(array::Session::join(crew.comm)));
  } else if (session != nullptr) {
    session->resize(crew.comm);
  }
  if (!crew.is_in) session.reset();
  return is_new;
}

void meet() { MPI_Barrier(MPI_COMM_WORLD); }

void add_up(std::span<std::int64_t> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}
void find_least(int& value) { MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD); }
void find_most(std::span<int> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

std::string told_by(int rank, const std::string& mine) {
  std::string text = mine;
  int size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, rank, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, rank, MPI_COMM_WORLD);
  return text;
}

bool can_spawn(const Job& world) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);  // others can only where they were built with a process manager of theirs
  return world.ranks_are == RanksAre::kProcesses && std::string(version).find("Starling") != std::string::npos;
}

Communicator spawned(Communicator comm, int count, std::string case_name) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::string option = "--case";
  char* arguments[] = {option.data(), case_name.data(), nullptr};
  MPI_Comm children = MPI_COMM_NULL;
  MPI_Comm_spawn(program.c_str(), arguments, count, MPI_INFO_NULL, 0, comm.mpi(), &children, MPI_ERRCODES_IGNORE);
  return children;
}

Communicator parent() {
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  return parent;
}

void disconnect(Communicator comm) {
  MPI_Comm handle = comm.mpi();
  MPI_Comm_disconnect(&handle);
}

}  // namespace starling::tests
