// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "library.hpp"

#include <cstdlib>
#include <cstring>

#include "arrival/table.hpp"
#include "base/cycles.hpp"
#include "table.hpp"

namespace starling::pap {

Settings Settings::from_environment() {
  Settings settings;
  const char* mode = std::getenv("PAP_MODE");
  settings.on = mode == nullptr || std::strcmp(mode, "off") != 0;
  settings.watch_only = mode != nullptr && std::strcmp(mode, "watch") == 0;
  const char* table = std::getenv("PAP_TABLE");
  settings.table = table == nullptr || std::strcmp(table, "0") != 0;
  if (const char* bytes = std::getenv("PAP_LEAST_BYTES")) settings.least_bytes = std::atoll(bytes);
  return settings;
}

Library& library() {
  // Never destroyed: a program may end without MPI_Finalize, and the helper must not outlive what it uses.
  static Library* const kLibrary = new Library;
  return *kLibrary;
}

void Library::begin(int threads) {
  // The exchange runs beside the program, so MPI must allow it.
  running_ = settings_.on && threads == MPI_THREAD_MULTIPLE;
  begin_s_ = clock_s();
  begin_cycles_ = cycles();
}

void Library::end() {
  if (!running_) return;
  running_ = false;
  // All begin before any is waited for: communicators do not stand in the same order on all ranks.
  for (auto& [comm, channels] : channels_) {
    for (Channel& channel : channels) channel.begin_finish(helper_);
  }
  for (auto& [comm, channels] : channels_) {
    for (Channel& channel : channels) channel.finish(helper_);
  }
  helper_.stop();
  if (settings_.table) print_table();
}

void Library::forget(MPI_Comm comm) {
  const std::lock_guard guard(lock_);
  const auto found = channels_.find(comm);
  if (found == channels_.end()) return;
  for (Channel& channel : found->second) channel.begin_finish(helper_);
  for (Channel& channel : found->second) channel.finish(helper_);
  for (Channel& channel : found->second) channel.free();
  closed_.splice(closed_.end(), found->second);
  channels_.erase(found);
}

Channel* Library::channel(MPI_Comm comm, Operation operation, int count, MPI_Datatype type, int root,
                          const void* site) {
  if (!running_ || count <= 0 || comm == MPI_COMM_NULL || type == MPI_DATATYPE_NULL) return nullptr;
  int between = 0;
  int size = 0;
  int type_size = 0;
  if (PMPI_Comm_test_inter(comm, &between) != MPI_SUCCESS || between != 0) return nullptr;
  if (PMPI_Comm_size(comm, &size) != MPI_SUCCESS || size < 3 || root < 0 || root >= size) return nullptr;
  if (PMPI_Type_size(type, &type_size) != MPI_SUCCESS) return nullptr;
  const Kind kind{operation, std::int64_t{type_size} * count, root};
  if (kind.bytes < settings_.least_bytes) return nullptr;
  std::list<Channel>* channels = nullptr;
  {
    const std::lock_guard guard(lock_);
    channels = &channels_[comm];
  }
  for (Channel& channel : *channels) {
    if (channel.kind() == kind) return &channel;
  }
  if (channels->size() == kMostKinds) return nullptr;
  std::list<Channel> made;
  made.emplace_back(comm, kind, site);
  if (settings_.watch_only) made.front().only_watch();
  const std::lock_guard guard(lock_);  // for whoever tells progress meanwhile
  channels->splice(channels->end(), made);
  return &channels->back();
}

Channel* Library::channel_of_reduction(MPI_Comm comm, Operation operation, int count, MPI_Datatype type, MPI_Op op,
                                       int root, const void* site) {
  int commutes = 0;
  // A schedule combines in the order of arrival, which only these allow.
  if (!running_ || op == MPI_OP_NULL || PMPI_Op_commutative(op, &commutes) != MPI_SUCCESS || commutes == 0)
    return nullptr;
  return channel(comm, operation, count, type, root, site);
}

void Library::progress(double fraction) {
  const std::lock_guard guard(lock_);
  for (auto& [comm, channels] : channels_) {
    for (Channel& channel : channels) channel.progress(fraction);
  }
}

std::string Library::own_lines() const {
  std::string lines;
  const double cycle_s = (clock_s() - begin_s_) / static_cast<double>(cycles() - begin_cycles_);
  const auto add = [&lines](const std::list<Channel>& channels) {
    for (const Channel& channel : channels) {
      if (channel.rank() != 0) continue;
      const Kind& kind = channel.kind();
      lines += arrival::line_of(channel.site(), name(kind.operation), kind.bytes, channel.sightings());
    }
  };
  for (const auto& [comm, channels] : channels_) add(channels);
  add(closed_);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0 ? lines + arrival::lines_of(recorder_, cycle_s) : lines;
}

void Library::print_table() { print_from_all(own_lines()); }

}  // namespace starling::pap
