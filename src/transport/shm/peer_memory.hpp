// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing another process's memory (process_vm_readv, process_vm_writev), probed before it is used.
// Thread safety: the world's lock. In a process whose ranks are threads a copy is a memcpy.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/job_segment.hpp"
#include "transport/remote_memory.hpp"
#include "transport/shm/address.hpp"

namespace starling::transport::shm {

class PeerMemory final : public RemoteMemory {
 public:
  /// Publishes a word for others to probe and, under Yama, asks the kernel to let them read it.
  PeerMemory(const memory::JobSegment& segment, LocalRank rank, bool enabled);
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  bool permitted(Address peer) override;

  bool read(LocalRank peer, std::uint64_t from, void* to, std::uint64_t bytes);
  bool write(LocalRank peer, const void* from, std::uint64_t to, std::uint64_t bytes);

  // Many runs in few system calls.
  bool gather(Address peer, std::span<const RemoteRun> from, void* to) override;
  bool scatter(Address peer, const void* from, std::span<const RemoteRun> to) override;

 private:
  enum class Known : std::uint8_t { kNothing, kPermitted, kForbidden };

  [[nodiscard]] std::int32_t pid(LocalRank peer) const noexcept {
    return segment_.rank(peer).pid.load(std::memory_order_relaxed);
  }

  const memory::JobSegment& segment_;
  std::uint64_t probe_word_;
  std::int32_t own_pid_;
  std::vector<Known> known_;
};

}  // namespace starling::transport::shm
