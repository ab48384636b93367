// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/peer_memory.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace starling::transport::shm {
namespace {

using Copy = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

/// The memory of another process, which only the kernel may touch.
void* there(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

bool copy_all(Copy copy, std::int32_t pid, void* local, std::uint64_t remote, std::uint64_t bytes) {
  while (bytes != 0) {
    const iovec here{local, bytes};
    const iovec other{there(remote), bytes};
    const ssize_t moved = copy(pid, &here, 1, &other, 1, 0);
    if (moved <= 0) {
      if (moved < 0 && errno == EINTR) continue;
      return false;
    }
    local = static_cast<std::byte*>(local) + moved;
    remote += static_cast<std::uint64_t>(moved);
    bytes -= static_cast<std::uint64_t>(moved);
  }
  return true;
}

/// All of these runs at once; false also when the kernel stopped half-way.
bool copy_runs(Copy copy, std::int32_t pid, void* local, std::span<const RemoteRun> runs) {
  constexpr std::size_t kRunsOfCall = 256;
  std::array<iovec, kRunsOfCall> remote;
  while (!runs.empty()) {
    const std::size_t count = std::min(runs.size(), kRunsOfCall);
    iovec here{local, 0};
    for (std::size_t i = 0; i < count; ++i) {
      remote[i] = {there(runs[i].address), runs[i].bytes};
      here.iov_len += runs[i].bytes;
    }
    const ssize_t moved = copy(pid, &here, 1, remote.data(), count, 0);
    if (moved != static_cast<ssize_t>(here.iov_len)) {
      // Interrupted, or one of them cannot be copied: each by itself tells which.
      auto* at = static_cast<std::byte*>(local);
      for (const RemoteRun& run : runs.first(count)) {
        if (!copy_all(copy, pid, at, run.address, run.bytes)) return false;
        at += run.bytes;
      }
    }
    local = static_cast<std::byte*>(local) + here.iov_len;
    runs = runs.subspan(count);
  }
  return true;
}

/// What a process keeps for its peers to find at the address that it publishes.
constexpr std::uint64_t probe_word_of(LocalRank rank) {
  return std::uint64_t{0x5354524c} << 32 | static_cast<std::uint32_t>(rank.value);
}

}  // namespace

PeerMemory::PeerMemory(const memory::JobSegment& segment, LocalRank rank, bool enabled)
    : segment_(segment),
      probe_word_(probe_word_of(rank)),
      own_pid_(static_cast<std::int32_t>(getpid())),
      known_(segment.ranks(), enabled ? Known::kNothing : Known::kForbidden) {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // without Yama this is refused, and not needed
  segment.rank(rank).single_copy_probe.store(reinterpret_cast<std::uint64_t>(&probe_word_), std::memory_order_release);
}

bool PeerMemory::permitted(Address address) {
  const LocalRank peer = rank_at(address);
  Known& known = known_[peer.index()];
  if (known == Known::kNothing) {
    // acquire: the word behind the address is written before the address is published.
    const std::uint64_t probe = segment_.rank(peer).single_copy_probe.load(std::memory_order_acquire);
    std::uint64_t word = 0;
    // A peer in another pid namespace has a number that means another process here, or even this one, as where each is
    // number 1 in a container: the word tells them apart. Through the kernel in any case, for that address may be none.
    const bool good =
        probe != 0 && copy_all(process_vm_readv, pid(peer), &word, probe, sizeof word) && word == probe_word_of(peer);
    known = good ? Known::kPermitted : Known::kForbidden;
  }
  return known == Known::kPermitted;
}

bool PeerMemory::read(LocalRank peer, std::uint64_t from, void* to, std::uint64_t bytes) {
  const std::int32_t other = pid(peer);
  if (other == own_pid_) {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);  // NOLINT(performance-no-int-to-ptr)
    return true;
  }
  return copy_all(process_vm_readv, other, to, from, bytes);
}

bool PeerMemory::write(LocalRank peer, const void* from, std::uint64_t to, std::uint64_t bytes) {
  const std::int32_t other = pid(peer);
  if (other == own_pid_) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);  // NOLINT(performance-no-int-to-ptr)
    return true;
  }
  return copy_all(process_vm_writev, other, const_cast<void*>(from), to, bytes);
}

bool PeerMemory::gather(Address peer, std::span<const RemoteRun> from, void* to) {
  const std::int32_t other = pid(rank_at(peer));
  if (other != own_pid_) return copy_runs(process_vm_readv, other, to, from);
  for (const RemoteRun& run : from) {
    std::memcpy(to, there(run.address), run.bytes);
    to = static_cast<std::byte*>(to) + run.bytes;
  }
  return true;
}

bool PeerMemory::scatter(Address peer, const void* from, std::span<const RemoteRun> to) {
  const std::int32_t other = pid(rank_at(peer));
  if (other != own_pid_) return copy_runs(process_vm_writev, other, const_cast<void*>(from), to);
  for (const RemoteRun& run : to) {
    std::memcpy(there(run.address), from, run.bytes);
    from = static_cast<const std::byte*>(from) + run.bytes;
  }
  return true;
}

}  // namespace starling::transport::shm
