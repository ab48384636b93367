// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "library.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "arrival/record/table.hpp"
#include "base/cycles.hpp"
#include "mpi/communicator.hpp"
#include "table.hpp"

namespace starling::pap {

Library::Library() : settings_(Settings::from(environ)) {}

Library& library() {
  // Never destroyed: a program may end without MPI_Finalize, and the exchange thread must not outlive what it uses.
  static Library* const kOnly = new Library;
  return *kOnly;
}

void Library::begin(int threads) {
  // The exchange runs beside the program, so MPI must allow it.
  running_ = settings_.on && threads == MPI_THREAD_MULTIPLE;
  say_on_rank_0(settings_.mistakes);
  if (settings_.on && !running_) {
    say_on_rank_0("pap: this MPI does not grant MPI_THREAD_MULTIPLE here; late ranks are not looked for\n");
  }
  begin_s_ = clock_s();
  begin_cycles_ = cycles();
}

void Library::tell_fortran() const {
  if (!settings_.on) return;
  say_on_rank_0("pap: this MPI's Fortran calls go past preloaded libraries; late ranks are not looked for\n");
}

void Library::end() {
  if (!running_) return;
  running_ = false;
  // All begin before any is waited for: communicators do not stand in the same order on all ranks.
  for (auto& [comm, calls_of_comm] : communicators_) {
    for (Channel& channel : calls_of_comm.channels) channel.begin_finish(exchange_thread_);
  }
  for (auto& [comm, calls_of_comm] : communicators_) {
    for (Channel& channel : calls_of_comm.channels) channel.finish(exchange_thread_);
  }
  exchange_thread_.stop();
  if (settings_.table) print_table();
}

void Library::forget(MPI_Comm comm) {
  const std::lock_guard guard(lock_);
  const auto found = communicators_.find(comm);
  if (found == communicators_.end()) return;
  std::list<Channel>& channels = found->second.channels;
  for (Channel& channel : channels) channel.begin_finish(exchange_thread_);
  for (Channel& channel : channels) channel.finish(exchange_thread_);
  for (Channel& channel : channels) channel.free();
  closed_.splice(closed_.end(), channels);
  communicators_.erase(found);
}

Channel* Library::channel(MPI_Comm comm, Operation operation, int count, MPI_Datatype type, int root,
                          const void* site) {
  if (!running_ || count <= 0 || comm == MPI_COMM_NULL || type == MPI_DATATYPE_NULL) return nullptr;
  if (any_mpi::is_intercommunicator(comm)) return nullptr;
  const int size = any_mpi::size_of(comm);
  if (size < 3 || root < 0 || root >= size) return nullptr;
  int type_size = 0;
  if (PMPI_Type_size(type, &type_size) != MPI_SUCCESS) return nullptr;
  const CallKind kind{operation, std::int64_t{type_size} * count, root};
  // Of nothing the ranks may pass any count: some would come here and others not.
  if (kind.bytes < std::max(settings_.least_bytes, std::int64_t{1})) return nullptr;
  CommunicatorCalls* calls_of_comm = nullptr;
  {
    const std::lock_guard guard(lock_);
    calls_of_comm = &communicators_.try_emplace(comm, latest_link_).first->second;
  }
  for (Channel& channel : calls_of_comm->channels) {
    if (channel.kind() == kind) return &channel;
  }
  if (calls_of_comm->channels.size() == kMostKinds) return nullptr;
  std::list<Channel> made;
  made.emplace_back(comm, kind, site, calls_of_comm->measurements);
  if (settings_.watch_only) made.front().only_watch();
  if (settings_.always) made.front().always_go_around();
  const std::lock_guard guard(lock_);  // for whoever tells progress meanwhile
  calls_of_comm->channels.splice(calls_of_comm->channels.end(), made);
  return &calls_of_comm->channels.back();
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
  for (auto& [comm, calls_of_comm] : communicators_) {
    for (Channel& channel : calls_of_comm.channels) channel.progress(fraction);
  }
}

std::string Library::own_lines() const {
  std::string lines;
  const double cycle_s = (clock_s() - begin_s_) / static_cast<double>(cycles() - begin_cycles_);
  const auto add = [&lines](const std::list<Channel>& channels) {
    for (const Channel& channel : channels) {
      if (channel.rank() != 0) continue;
      const CallKind& kind = channel.kind();
      lines += arrival::line_of(channel.site(), name(kind.operation), kind.bytes, channel.summary());
    }
  };
  for (const auto& [comm, calls_of_comm] : communicators_) add(calls_of_comm.channels);
  add(closed_);
  return any_mpi::rank_of(MPI_COMM_WORLD) == 0 ? lines + arrival::lines_of(recorder_, cycle_s) : lines;
}

void Library::say_on_rank_0(const std::string& text) const {
  if (any_mpi::rank_of(MPI_COMM_WORLD) == 0) std::fputs(text.c_str(), stderr);
}

void Library::print_table() { print_from_all(own_lines()); }

}  // namespace starling::pap
