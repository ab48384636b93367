// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/self/self_memory.hpp"

#include <cstddef>
#include <cstring>

namespace starling::transport::self {
namespace {

void* here(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): our own address comes back
}

}  // namespace

CopyOffer SelfCopy::offer(Address /*to*/, const void* source, std::uint64_t /*bytes*/, Withdrawal withdrawal) {
  if (withdrawal == Withdrawal::kPossible) return {};
  return {{reinterpret_cast<std::uint64_t>(source), 0}};
}

bool SelfCopy::read(Address /*from*/, const CopyOffer& offer, void* destination, std::uint64_t bytes) {
  std::memmove(destination, here(offer.words[0]), bytes);
  return true;
}

bool SelfMemory::gather(Address /*peer*/, std::span<const RemoteRun> from, void* to) {
  for (const RemoteRun& run : from) {
    std::memmove(to, here(run.address), run.bytes);
    to = static_cast<std::byte*>(to) + run.bytes;
  }
  return true;
}

bool SelfMemory::scatter(Address /*peer*/, const void* from, std::span<const RemoteRun> to) {
  for (const RemoteRun& run : to) {
    std::memmove(here(run.address), from, run.bytes);
    from = static_cast<const std::byte*>(from) + run.bytes;
  }
  return true;
}

}  // namespace starling::transport::self
