// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job_segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "base/format.hpp"
#include "memory/page.hpp"
#include "memory/shared_file.hpp"

namespace starling::memory {
namespace {

/// The maker of a segment, for messages.
constexpr const char* kBuild = "Starling " STARLING_VERSION;

std::uint64_t random_id() {
  std::uint64_t id = 0;
  if (getrandom(&id, sizeof id, 0) == static_cast<ssize_t>(sizeof id)) return id;
  // Without a source of randomness: the process and the moment are unique as well.
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(getpid()) << 40 ^ static_cast<std::uint64_t>(now.tv_sec) << 30 ^
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Makes pages real through their mapping, for which no descriptor is needed. Linux 5.14 and later.
bool populate(std::span<std::byte> range) {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers lack
  const auto first = reinterpret_cast<std::uintptr_t>(range.data()) / kPage * kPage;
  const std::uintptr_t end =
      (reinterpret_cast<std::uintptr_t>(range.data()) + range.size() + kPage - 1) / kPage * kPage;
  return first == end || madvise(reinterpret_cast<void*>(first), end - first, kPopulateWrite) == 0;
}

Status no_memory(const std::string& what, int error) {
  return Status::error(ErrorClass::kNoMem, what + ": " + std::strerror(error));
}

/// " (the limit on address space, ulimit -v, is 1000000)", where there is one. C libraries differ in the type of its
/// name.
std::string limit_text(decltype(RLIMIT_AS) resource, const char* words) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return formatted(" (the limit on {}, is {})", words, limit.rlim_cur);
}

Status too_many_ranks(const JobGeometry& geometry) {
  std::uint32_t fit = geometry.ranks;
  for (JobGeometry fewer = geometry; fewer.ranks > 1 && SegmentOffsets(fewer).end > SegmentOffsets::kMostBytes;) {
    fewer.ranks -= std::max<std::uint32_t>(fewer.ranks / 64, 1);
    fit = fewer.ranks;
  }
  return Status::error(ErrorClass::kNoMem,
                       formatted("{} ranks are too many for one machine: each pair has a connection of {} bytes of "
                                 "address space, which is enough for {} ranks. Start fewer ranks, or make connections "
                                 "smaller with STARLING_SHM_CONNECTION_POOL, STARLING_SHM_SEND_POOL and "
                                 "STARLING_SHM_RING_SLOTS",
                                 geometry.ranks, geometry.connection_bytes, fit));
}

Status not_a_segment(int descriptor) {
  return Status::error(ErrorClass::kOther,
                       formatted("descriptor {} should be the launcher's shared memory and is another file. Did a "
                                 "wrapper script between mpiexec and the program close it and open its own?",
                                 descriptor));
}

Status other_build(const JobHeader& header) {
  std::string maker(header.maker, strnlen(header.maker, sizeof header.maker));
  constexpr std::uint32_t kWithMaker = 6;  // the first version that has layout and maker where they are now
  if (header.version < kWithMaker || maker.empty()) maker = "an older Starling";
  const std::uint64_t layout = header.version < kWithMaker ? 0 : header.layout;
  return Status::error(
      ErrorClass::kOther,
      formatted(
          "the shared memory was made by {}, a build whose layout differs from that of this build, {} "
          "({}/{:016x}, not {}/{:016x}). mpiexec and the program's libmpi_abi.so.1 must come from one build: start "
          "the program with the mpiexec that is installed beside the library ('ldd PROGRAM' names the library)",
          maker, kBuild, header.version, layout, JobHeader::kVersion, JobHeader::kLayout));
}

/// Checks the file behind a descriptor before it is mapped: its size, or the reason why it is not a segment of ours.
Result<std::uint64_t> examine(int descriptor) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0) {
    return Status::error(
        ErrorClass::kOther,
        formatted("the launcher's shared memory (descriptor {}) is not open in this process: {}. Did a "
                  "wrapper script between mpiexec and the program close it?",
                  descriptor, std::strerror(errno)));
  }
  alignas(JobHeader) std::byte copy[sizeof(JobHeader)];
  if (!S_ISREG(info.st_mode) || pread(descriptor, copy, sizeof copy, 0) != static_cast<ssize_t>(sizeof copy)) {
    return not_a_segment(descriptor);
  }
  const auto& header = *reinterpret_cast<const JobHeader*>(copy);
  if (header.magic != JobHeader::kMagic) return not_a_segment(descriptor);
  if (header.version != JobHeader::kVersion || header.layout != JobHeader::kLayout) return other_build(header);
  return static_cast<std::uint64_t>(info.st_size);
}

std::string guard_text(const std::string& where) {
  return formatted(
      "the job's shared memory is damaged: the guard word {} has been overwritten. A process of the job writes outside "
      "its own arrays; a build with -fsanitize=address, or valgrind, finds the place",
      where);
}

}  // namespace

Result<std::unique_ptr<JobSegment>> JobSegment::create(const JobGeometry& geometry) {
  const SegmentOffsets at(geometry);
  if (at.end > SegmentOffsets::kMostBytes) return too_many_ranks(geometry);
  std::unique_ptr<JobSegment> segment(new JobSegment);
  const int descriptor = open_unnamed_file("starling-job");
  if (descriptor < 0) {
    const int error = errno;
    const std::string files = error == EMFILE ? limit_text(RLIMIT_NOFILE, "open files, ulimit -n") : std::string();
    return no_memory(
        "there is no shared memory: memfd_create is refused, and neither /dev/shm nor /tmp takes a file" + files,
        error);
  }
  segment->file_ = KeptFile(descriptor);
  segment->launchers_number_ = descriptor;
  if (!resize_file(descriptor, at.end)) {
    const int error = errno;
    return no_memory(formatted("the shared memory of the job cannot be sized to {} bytes{}", at.end,
                               limit_text(RLIMIT_FSIZE, "the size of files, ulimit -f")),
                     error);
  }
  STARLING_TRY(segment->map(descriptor, at.end));
  STARLING_TRY(segment->commit({segment->base_, at.connections}));
  auto* header = new (segment->base_) JobHeader;
  header->geometry = geometry;
  header->id = random_id();
  std::strncpy(header->maker, kBuild, sizeof header->maker - 1);
  header->regions_end.store(at.end, std::memory_order_relaxed);
  segment->place(geometry);
  for (std::uint32_t rank = 0; rank < geometry.ranks; ++rank) {
    auto* block = new (&segment->rank(LocalRank(rank))) RankBlock;
    block->home_rank = WorldRank(rank);  // as on one node
  }
  return segment;
}

Result<std::unique_ptr<JobSegment>> JobSegment::attach(int descriptor) {
  std::unique_ptr<JobSegment> segment(new JobSegment);
  segment->file_ = KeptFile(descriptor);
  Result<std::uint64_t> bytes = examine(descriptor);
  if (!bytes.ok()) return std::move(bytes).status();
  segment->launchers_number_ = descriptor;
  STARLING_TRY(segment->map(descriptor, bytes.value()));
  const JobHeader& header = segment->header();
  if (header.geometry.ranks == 0 || SegmentOffsets(header.geometry).end > segment->bytes_) {
    return Status::error(ErrorClass::kOther,
                         "the job's shared memory is damaged: its header describes more than the file holds");
  }
  segment->place(header.geometry);
  return segment;
}

Status JobSegment::map(int descriptor, std::uint64_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (base == MAP_FAILED) {
    const int error = errno;
    return no_memory(formatted("the shared memory of the job ({} bytes, most of them never used) cannot be mapped{}",
                               bytes, limit_text(RLIMIT_AS, "address space, ulimit -v")),
                     error);
  }
  base_ = static_cast<std::byte*>(base);
  bytes_ = bytes;
  return {};
}

void JobSegment::place(const JobGeometry& geometry) {
  const SegmentOffsets at(geometry);
  ranks_ = geometry.ranks;
  rank_blocks_ = reinterpret_cast<RankBlock*>(base_ + at.rank_blocks);
  incoming_ = reinterpret_cast<std::atomic<std::uint64_t>*>(base_ + at.incoming);
  incoming_words_ = at.incoming_words;
  liveness_ = reinterpret_cast<std::atomic<std::uint64_t>*>(base_ + at.liveness);
  liveness_words_ = at.liveness_words;
  directory_ = observe::CommunicatorDirectory(base_ + at.directory, geometry.ranks, geometry.world_ranks);
  traffic_ = observe::TrafficTable(base_ + at.traffic, geometry.ranks, geometry.world_ranks);
  packets_ = observe::PacketTable(base_ + at.packets, geometry.ranks, geometry.world_ranks);
  event_rings_ = base_ + at.event_rings;
  connections_ = base_ + at.connections;
  connection_bytes_ = geometry.connection_bytes;
  sender_pools_ = base_ + at.sender_pools;
  sender_pool_bytes_ = geometry.sender_pool_bytes;
  revoked_ = reinterpret_cast<std::atomic<std::uint64_t>*>(base_ + at.revoked);
  arena_ = base_ + at.arena;
  arena_bytes_ = geometry.arena_bytes;
}

namespace {

void announce_event(JobSegment& segment) noexcept {
  segment.header().events.fetch_add(1, std::memory_order_seq_cst);
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) ring(segment.rank(LocalRank(rank)).doorbell, true);
}

}  // namespace

void publish_death(JobSegment& segment, LocalRank rank) noexcept {
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
  if (block.home_rank.index() < header.geometry.world_ranks) segment.liveness().set_dead(block.home_rank);
  announce_event(segment);
}

void publish_death(JobSegment& segment, WorldRank rank) noexcept {
  if (segment.liveness().set_dead(rank)) announce_event(segment);
}

bool JobSegment::publish_revocation(std::uint32_t number) const noexcept {
  if (number >= kRevocable) return false;
  std::atomic<std::uint64_t>& word = revoked_[number / 64];
  if (!commit({reinterpret_cast<std::byte*>(&word), sizeof word}).ok()) return false;
  word.fetch_or(std::uint64_t{1} << (number % 64), std::memory_order_release);
  header().events.fetch_add(1, std::memory_order_seq_cst);
  return true;
}

bool JobSegment::is_revoked(std::uint32_t number) const noexcept {
  // Without an event no flag was ever set, and its page may have no memory.
  if (number >= kRevocable || header().events.load(std::memory_order_acquire) == 0) return false;
  return (revoked_[number / 64].load(std::memory_order_acquire) >> (number % 64) & 1) != 0;
}

JobSegment::~JobSegment() {
  if (base_) munmap(base_, bytes_);
}

Result<int> JobSegment::file() const {
  if (file_.is_ours()) return file_.number();
  const std::int32_t launcher = header().launcher_pid;
  if (launcher > 0) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%" PRId32 "/fd/%d", launcher, launchers_number_);
    const int theirs = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (theirs >= 0 && file_.replace(theirs)) return file_.number();
    if (theirs >= 0) close(theirs);
  }
  return Status::error(
      ErrorClass::kOther,
      formatted("the job's shared memory cannot grow, because {}: the program has closed descriptors that "
                "it had not opened, as daemons do. Close only your own, or do that before MPI_Init",
                file_.what_became_of_it()));
}

Status JobSegment::commit(std::span<std::byte> range) const {
  Result<int> file = this->file();
  if (file.ok()) return commit_file(file.value(), static_cast<std::uint64_t>(range.data() - base_), range.size());
  return populate(range) ? Status() : std::move(file).status();
}

Status JobSegment::check_guards() const {
  std::string where;
  const JobHeader& head = header();
  if (head.magic != JobHeader::kMagic || head.layout != JobHeader::kLayout) where = "at the start of its header";
  if (where.empty() && head.guard != kGuard) where = "at the end of its header";
  for (std::uint32_t rank = 0; where.empty() && rank < ranks_; ++rank) {
    const RankBlock& block = rank_blocks_[rank];
    if (block.guard_before != kGuard) where = formatted("before the crash record of rank {}", rank);
    if (block.guard_behind != kGuard) where = formatted("behind the block of rank {}", rank);
  }
  return where.empty() ? Status() : Status::error(ErrorClass::kIntern, guard_text(where));
}

}  // namespace starling::memory
