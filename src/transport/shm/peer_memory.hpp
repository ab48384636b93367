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

namespace starling::transport::shm {

class PeerMemory final : public RemoteMemory {
 public:
  /// Publishes a word for others to probe and, under Yama, asks the kernel to let them read it.
  PeerMemory(const memory::JobSegment& segment, std::uint32_t rank, bool enabled);
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  bool permitted(std::int32_t peer) override;

  bool read(std::int32_t peer, std::uint64_t from, void* to, std::uint64_t bytes);
  bool write(std::int32_t peer, const void* from, std::uint64_t to, std::uint64_t bytes);

  // Many runs in few system calls.
  bool gather(std::int32_t peer, std::span<const RemoteRun> from, void* to) override;
  bool scatter(std::int32_t peer, const void* from, std::span<const RemoteRun> to) override;

 private:
  enum class Known : std::uint8_t { kNothing, kPermitted, kForbidden };

  [[nodiscard]] std::int32_t pid(std::int32_t peer) const noexcept {
    return segment_.rank(static_cast<std::uint32_t>(peer)).pid.load(std::memory_order_relaxed);
  }

  const memory::JobSegment& segment_;
  std::uint64_t probe_word_;
  std::int32_t own_pid_;
  std::vector<Known> known_;
};

}  // namespace starling::transport::shm
