// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job_segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "memory/page.hpp"
#include "memory/shared_file.hpp"

namespace starling::memory {
namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint64_t incoming_words(std::uint32_t ranks) {
  return round_up(round_up(ranks, 64) / 64, kCacheLine / sizeof(std::uint64_t));
}

struct Offsets {
  std::uint64_t rank_blocks;
  std::uint64_t incoming;
  std::uint64_t connections;
  std::uint64_t sender_pools;
  std::uint64_t revoked;
  std::uint64_t arena;
  std::uint64_t end;
};

Offsets offsets(const JobGeometry& geometry) {
  Offsets at{};
  at.rank_blocks = round_up(sizeof(JobHeader), kPage);
  at.incoming = round_up(at.rank_blocks + geometry.ranks * sizeof(RankBlock), kPage);
  at.connections =
      round_up(at.incoming + geometry.ranks * incoming_words(geometry.ranks) * sizeof(std::uint64_t), kPage);
  at.sender_pools = at.connections + std::uint64_t{geometry.ranks} * geometry.ranks * geometry.connection_bytes;
  at.revoked = at.sender_pools + geometry.ranks * geometry.sender_pool_bytes;
  at.arena = at.revoked + JobSegment::kRevocable / 8;
  at.end = at.arena + geometry.arena_bytes;
  return at;
}

/// An unnamed file for shared memory: memfd, else a file that is unlinked at birth.
int open_unnamed_file() {
  const int memfd = memfd_create("starling-job", MFD_CLOEXEC);
  if (memfd >= 0) return memfd;
  for (const char* folder : {"/dev/shm", "/tmp"}) {
    const int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) return file;
  }
  return -1;
}

std::uint64_t random_id() {
  std::uint64_t id = 0;
  if (getrandom(&id, sizeof id, 0) == static_cast<ssize_t>(sizeof id)) return id;
  // No randomness to be had: the process and the moment are unique as well.
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(getpid()) << 40 ^ static_cast<std::uint64_t>(now.tv_sec) << 30 ^
         static_cast<std::uint64_t>(now.tv_nsec);
}

Status no_memory(const std::string& what) {
  return Status::error(ErrorClass::kNoMem, what + ": " + std::strerror(errno));
}

}  // namespace

Result<std::unique_ptr<JobSegment>> JobSegment::create(const JobGeometry& geometry) {
  std::unique_ptr<JobSegment> segment(new JobSegment);
  const int descriptor = open_unnamed_file();
  if (descriptor < 0) {
    return no_memory("shared memory cannot be had: memfd_create is refused and neither /dev/shm nor /tmp takes a file");
  }
  const Offsets at = offsets(geometry);
  segment->descriptor_ = descriptor;
  if (!resize_file(descriptor, at.end)) {
    return no_memory("the shared memory of the job cannot be sized to " + std::to_string(at.end) +
                     " bytes (limit on file size? see ulimit -f)");
  }
  STARLING_TRY(segment->map(descriptor, at.end));
  STARLING_TRY(segment->commit({segment->base_, at.connections}));
  auto* header = new (segment->base_) JobHeader;
  header->geometry = geometry;
  header->id = random_id();
  header->regions_end.store(at.end, std::memory_order_relaxed);
  segment->place(geometry);
  for (std::uint32_t rank = 0; rank < geometry.ranks; ++rank) new (&segment->rank(rank)) RankBlock;
  return segment;
}

Result<std::unique_ptr<JobSegment>> JobSegment::attach(int descriptor) {
  std::unique_ptr<JobSegment> segment(new JobSegment);
  segment->descriptor_ = descriptor;
  struct stat info {};
  if (fstat(descriptor, &info) != 0) {
    return Status::error(ErrorClass::kOther,
                         "the launcher's shared memory (descriptor " + std::to_string(descriptor) +
                             ") is not open in this process: " + std::strerror(errno) +
                             ". Was it closed by a wrapper script between mpiexec and the program?");
  }
  STARLING_TRY(segment->map(descriptor, static_cast<std::uint64_t>(info.st_size)));
  const JobHeader& header = segment->header();
  if (header.magic != JobHeader::kMagic || header.version != JobHeader::kVersion ||
      offsets(header.geometry).end > segment->bytes_) {
    return Status::error(
        ErrorClass::kOther,
        "the launcher's shared memory has another layout than this library: mpiexec and libmpi_abi.so.1 "
        "come from different versions of Starling. Use the mpiexec installed beside the library.");
  }
  segment->place(header.geometry);
  return segment;
}

Status JobSegment::map(int descriptor, std::uint64_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (base == MAP_FAILED) {
    return no_memory("the shared memory of the job (" + std::to_string(bytes) +
                     " bytes, most of them never used) cannot be mapped (see ulimit -v)");
  }
  base_ = static_cast<std::byte*>(base);
  bytes_ = bytes;
  return {};
}

void JobSegment::place(const JobGeometry& geometry) {
  const Offsets at = offsets(geometry);
  ranks_ = geometry.ranks;
  rank_blocks_ = reinterpret_cast<RankBlock*>(base_ + at.rank_blocks);
  incoming_ = reinterpret_cast<std::atomic<std::uint64_t>*>(base_ + at.incoming);
  incoming_words_ = incoming_words(geometry.ranks);
  connections_ = base_ + at.connections;
  connection_bytes_ = geometry.connection_bytes;
  sender_pools_ = base_ + at.sender_pools;
  sender_pool_bytes_ = geometry.sender_pool_bytes;
  revoked_ = reinterpret_cast<std::atomic<std::uint64_t>*>(base_ + at.revoked);
  arena_ = base_ + at.arena;
  arena_bytes_ = geometry.arena_bytes;
}

void publish_death(JobSegment& segment, std::uint32_t rank) noexcept {
  RankBlock& block = segment.rank(rank);
  RankState before = block.state.load(std::memory_order_relaxed);
  do {
    if (before == RankState::kDead) return;
  } while (!block.state.compare_exchange_weak(before, RankState::kDead, std::memory_order_acq_rel));
  JobHeader& header = segment.header();
  // A sleeper has counted itself out. One that dies on its way to or from sleep stays counted: too many awake only make
  // the others yield earlier than they need.
  if (before == RankState::kInitialized && block.doorbell.sleeping.load(std::memory_order_relaxed) == 0) {
    header.awake.fetch_sub(1, std::memory_order_relaxed);
  }
  header.news.fetch_add(1, std::memory_order_seq_cst);
  for (std::uint32_t other = 0; other < segment.ranks(); ++other) ring(segment.rank(other).doorbell, true);
}

bool JobSegment::publish_revocation(std::uint32_t number) const noexcept {
  if (number >= kRevocable) return false;
  std::atomic<std::uint64_t>& word = revoked_[number / 64];
  if (!commit({reinterpret_cast<std::byte*>(&word), sizeof word}).ok()) return false;
  word.fetch_or(std::uint64_t{1} << (number % 64), std::memory_order_release);
  header().news.fetch_add(1, std::memory_order_seq_cst);
  return true;
}

bool JobSegment::is_revoked(std::uint32_t number) const noexcept {
  // Without news no flag was ever set, and its page need not be real.
  if (number >= kRevocable || header().news.load(std::memory_order_acquire) == 0) return false;
  return (revoked_[number / 64].load(std::memory_order_acquire) >> (number % 64) & 1) != 0;
}

JobSegment::~JobSegment() {
  if (base_) munmap(base_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

Status JobSegment::commit(std::span<std::byte> range) const {
  return commit_file(descriptor_, static_cast<std::uint64_t>(range.data() - base_), range.size());
}

}  // namespace starling::memory
