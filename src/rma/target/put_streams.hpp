// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PutStreams: this rank's puts that are on their way to others (put_stream.hpp), and the wait for their end.
//
// The data of a put are copied before its call returns, so an origin's buffer is free at once; what is at the target is
// known after finish() only. Where the target does not take what it was sent, because it computes, the origin has the
// kernel write it.
// Thread safety: the world's lock; a long wait gives it up.
// Invariants: whatever began before a finish() is at the target after it, or its failure was told.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"
#include "memory/line_distance.hpp"
#include "progress/engine.hpp"
#include "rma/target/put_stream.hpp"
#include "rma/target/target_service.hpp"
#include "transport/remote_memory.hpp"

namespace starling::rma {

class PutStreams {
 public:
  /// Has the kernel write what lies at `from` to a rank's runs. False: it has refused.
  using KernelWrite = std::function<bool(LocalRank rank, const void* from, std::span<const transport::RemoteRun> to)>;

  PutStreams(progress::Engine& progress, TargetService& service, KernelWrite kernel_write);

  /// Begins a put to a rank whose handler is open. False: it must go another way.
  bool put(LocalRank rank, std::uint64_t address, const void* from, std::uint64_t bytes);

  /// Waits until all puts to a rank, or to all ranks, are done. kRmaRange: the kernel has refused one of them.
  Status finish(LocalRank rank) { return open_.empty() ? Status() : finish_open(rank); }
  Status finish_all() { return open_.empty() ? Status() : finish_all_open(); }

 private:
  /// One that this rank owns.
  struct Own {
    bool open = false;
    bool failed = false;     ///< the kernel has refused a put, and nobody was told yet
    bool missed = false;     ///< the target has not taken all itself
    std::uint32_t head = 0;  ///< where the next entry goes
    std::uint32_t done = 0;  ///< as last seen
    memory::LineDistance distance{};
    std::uint32_t rooms = 0;  ///< how often there was none
  };

  [[nodiscard]] Own& own(LocalRank rank) noexcept { return own_[rank.index()]; }
  [[nodiscard]] PutStream& stream_of(LocalRank rank) const noexcept { return service_.handler_of(rank).puts; }
  bool open(LocalRank rank);
  void leave(LocalRank rank);
  bool close(LocalRank rank);
  /// One entry. False as put().
  bool add(LocalRank rank, std::uint64_t address, const void* from, std::uint64_t bytes);
  bool make_room(LocalRank rank, std::uint32_t lines);
  static void look_for_room(Own& mine, const PutStream& stream);
  /// Waits until what lies before a position is done, by whomever. False: the rank is dead.
  bool await(LocalRank rank, std::uint32_t position);
  bool await_servant(LocalRank rank, std::uint32_t position);
  void write_by_kernel(LocalRank rank);
  bool write_together(LocalRank rank, std::uint32_t begin, std::uint32_t end);
  Status finish_open(LocalRank rank);
  Status finish_all_open();

  progress::Engine& progress_;
  TargetService& service_;
  KernelWrite kernel_write_;
  std::vector<Own> own_;         ///< by local rank
  std::vector<LocalRank> open_;  ///< those that are open, seldom more than one
};

}  // namespace starling::rma
