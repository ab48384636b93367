// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The job segment: the one piece of shared memory that the ranks of a job on one node have in common.
//
// It is an unnamed file (memfd), so nothing is left behind however the job ends. The launcher creates it before it
// starts the ranks, which inherit its descriptor; a singleton or a test creates its own. It is sparse: its size is
// virtual, a page costs memory only once a process has committed it (JobSegment::commit), and a commit that finds no
// memory returns a Status, so that no SIGBUS comes later.
//
// Layout, in this order, each part on its own pages:
//   JobHeader | RankBlock[nranks] | incoming bitmaps [nranks][words] | Liveness, Losses | directory of communicators |
//   counts of messages [nranks][world ranks] | counts of packets [nranks][world ranks] | event rings [nranks] |
//   connections [receiver][sender] | sender pools [nranks] | revoked flags | arena
// Connection (r, s) is the memory through which rank s sends to rank r; transport/shm owns its inner layout, and that
// of the sender pools, which exist only where the configuration collects a sender's buffers in one pool. The arena is
// handed out in blocks to collectives and windows (memory/arena.hpp). Behind it the file grows by regions, which are
// mapped one by one (memory/region.hpp).
//
// mpiexec and the library, or two ranks, may come from different builds, so the header says how its maker laid the
// segment out, and attach() refuses another layout. Guard words stand at the start and the end of the header, before
// each rank's crash record and behind its block. They never change; a process that writes beyond its own memory changes
// them, and the launcher looks (check_guards).
//
// Thread safety: the maps are immutable after creation; each field of the header names its writers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/id.hpp"
#include "base/status.hpp"
#include "memory/job_header.hpp"
#include "memory/kept_file.hpp"
#include "memory/liveness.hpp"
#include "memory/segment_offsets.hpp"
#include "observe/communicator_directory.hpp"
#include "observe/event_ring.hpp"
#include "observe/packet_counts.hpp"
#include "observe/traffic.hpp"

namespace starling::memory {

class JobSegment;

// Both tell every process of a segment that a process is dead, and wake the sleepers. The second call for a process
// does nothing. Only a caller that knows the death for certain may call them.
/// Of a process of this segment, which is subtracted from JobHeader::awake. In a node's segment Liveness knows it, too.
void publish_death(JobSegment& segment, LocalRank rank) noexcept;
/// Of a rank of the job on another node. The segment is this node's.
void publish_death(JobSegment& segment, WorldRank rank) noexcept;

class JobSegment {
 public:
  /// Communicators of the job that have a revocation flag; later ones are revoked by messages alone.
  static constexpr std::uint32_t kRevocable = SegmentOffsets::kRevocable;

  /// Creates a new segment, sized up front. kNoMem with the reason where neither memfd nor an unlinked file works.
  static Result<std::unique_ptr<JobSegment>> create(const JobGeometry& geometry);

  /// Maps the segment behind a descriptor that the launcher handed down; takes the descriptor over. kOther when it is
  /// no segment, or one of another build with another layout.
  static Result<std::unique_ptr<JobSegment>> attach(int descriptor);

  ~JobSegment();
  JobSegment(const JobSegment&) = delete;
  JobSegment& operator=(const JobSegment&) = delete;

  /// The number under which this process has the segment open; file() is for its use.
  [[nodiscard]] int descriptor() const noexcept { return file_.number(); }
  /// A descriptor that certainly stands for the segment. Where the program has closed ours, or its number has become
  /// another file, the launcher's descriptor is opened instead; kOther, with the reason, when that fails, too.
  [[nodiscard]] Result<int> file() const;
  [[nodiscard]] JobHeader& header() const noexcept { return *reinterpret_cast<JobHeader*>(base_); }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] RankBlock& rank(LocalRank rank) const noexcept { return rank_blocks_[rank.index()]; }

  /// The dead of the whole job. Of a node's segment; in one of a connection between jobs it says nothing.
  [[nodiscard]] Liveness liveness() const noexcept { return Liveness({liveness_, liveness_words_}); }

  /// The communicators of the ranks here, for readers (observe/communicator_directory.hpp).
  [[nodiscard]] observe::CommunicatorDirectory directory() const noexcept { return directory_; }
  /// What the ranks here have sent to each rank of the job (observe/traffic.hpp).
  [[nodiscard]] observe::TrafficTable traffic() const noexcept { return traffic_; }
  /// What the ranks here have given to the network between the nodes, and taken from it (observe/packet_counts.hpp).
  [[nodiscard]] observe::PacketTable packets() const noexcept { return packets_; }

  /// The ring of a rank's events; none where the job is not traced.
  [[nodiscard]] observe::EventRing event_ring(LocalRank rank) const noexcept {
    const std::uint32_t events = header().geometry.trace_events;
    if (events == 0) return {};
    return {event_rings_ + rank.index() * observe::EventRing::bytes(events), events};
  }

  /// Bit s of incoming(r): rank s has opened its connection to rank r. Set by s, read by r.
  [[nodiscard]] std::span<std::atomic<std::uint64_t>> incoming(LocalRank rank) const noexcept {
    return {incoming_ + rank.index() * incoming_words_, incoming_words_};
  }
  [[nodiscard]] std::span<std::byte> connection(LocalRank receiver, LocalRank sender) const noexcept {
    return {connections_ + (std::uint64_t{receiver.index()} * ranks_ + sender.index()) * connection_bytes_,
            connection_bytes_};
  }
  [[nodiscard]] std::span<std::byte> sender_pool(LocalRank sender) const noexcept {
    return {sender_pools_ + sender.index() * sender_pool_bytes_, sender_pool_bytes_};
  }
  [[nodiscard]] std::span<std::byte> arena() const noexcept { return {arena_, arena_bytes_}; }

  /// Sets the flag of a revoked communicator, which every process of the segment sees at its next poll. It wakes no
  /// sleeper. False: the communicator has no flag, or there is no memory for it. number: the communicator's, counted
  /// over all that the job has made.
  [[nodiscard]] bool publish_revocation(std::uint32_t number) const noexcept;
  [[nodiscard]] bool is_revoked(std::uint32_t number) const noexcept;

  /// Gives the pages under the span memory now; kNoMem when the machine or the cgroup has no room.
  Status commit(std::span<std::byte> range) const;

  /// An error when a guard word has been overwritten; the message says where.
  [[nodiscard]] Status check_guards() const;

 private:
  JobSegment() = default;
  Status map(int descriptor, std::uint64_t bytes);
  void place(const JobGeometry& geometry);

  std::byte* base_ = nullptr;
  std::uint64_t bytes_ = 0;
  mutable KeptFile file_;
  int launchers_number_ = -1;  ///< of the same file in the launcher
  std::uint32_t ranks_ = 0;
  RankBlock* rank_blocks_ = nullptr;
  std::atomic<std::uint64_t>* incoming_ = nullptr;
  std::size_t incoming_words_ = 0;
  std::atomic<std::uint64_t>* liveness_ = nullptr;
  std::size_t liveness_words_ = 0;
  observe::CommunicatorDirectory directory_;
  observe::TrafficTable traffic_;
  observe::PacketTable packets_;
  std::byte* event_rings_ = nullptr;
  std::byte* connections_ = nullptr;
  std::uint64_t connection_bytes_ = 0;
  std::byte* sender_pools_ = nullptr;
  std::uint64_t sender_pool_bytes_ = 0;
  std::atomic<std::uint64_t>* revoked_ = nullptr;  ///< a bit for each communicator
  std::byte* arena_ = nullptr;
  std::uint64_t arena_bytes_ = 0;
};

}  // namespace starling::memory
