// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target/target_memory.hpp"

#include <array>
#include <span>

#include "base/format.hpp"
#include "datatype/pack/pack.hpp"

namespace starling::rma {
namespace {

using Runs = std::span<const transport::RemoteRun>;

std::byte* origin_of(const TargetPosition& at) noexcept {
  return reinterpret_cast<std::byte*>(at.address);  // NOLINT(performance-no-int-to-ptr)
}

/// Calls move(runs, bytes of them) for the next bytes of a target's data.
template <typename Move>
Status for_runs(TargetPosition& at, std::int64_t bytes, Move&& move) {
  constexpr std::size_t kRuns = 256;
  datatype::PackCursor cursor(*at.place->type, origin_of(at), at.place->count);
  cursor.seek(at.bytes);
  at.bytes += bytes;
  while (cursor.position() < at.bytes) {
    std::array<datatype::MemoryRun, kRuns> found;
    std::array<transport::RemoteRun, kRuns> runs;
    const std::int64_t before = cursor.position();
    const std::size_t count = cursor.next_runs(found, at.bytes - before);
    for (std::size_t i = 0; i < count; ++i) runs[i] = {reinterpret_cast<std::uint64_t>(found[i].data), found[i].bytes};
    STARLING_TRY(move(Runs(runs.data(), count), cursor.position() - before));
  }
  return {};
}

Status kernel_refused(const Target& target, std::int64_t bytes) {
  return Status::error(ErrorClass::kRmaRange,
                       formatted("the kernel copied none of {} bytes of process {}; has the memory of its window been "
                                 "freed?",
                                 bytes, target.peer.value));
}

}  // namespace

Status TargetMemory::read(const Target& target, TargetPosition& at, void* to, std::int64_t bytes) {
  if (target.reach == Reach::kDirect) {
    datatype::PackCursor cursor(*at.place->type, origin_of(at), at.place->count);
    cursor.seek(at.bytes);
    at.bytes += static_cast<std::int64_t>(cursor.pack(static_cast<std::byte*>(to), static_cast<std::size_t>(bytes)));
    return {};
  }
  return for_runs(at, bytes, [&](Runs runs, std::int64_t length) -> Status {
    const auto wanted = static_cast<std::uint64_t>(length);
    const bool done = asks(target, wanted) && !prefers_kernel(target, KernelChoice::Access::kGet, wanted) &&
                      service_.gather(target.local, runs, to, asking(target));
    if (!done && !p2p_.memory_of(target.peer).gather(runs, to)) return kernel_refused(target, length);
    to = static_cast<std::byte*>(to) + length;
    return {};
  });
}

Status TargetMemory::write(const Target& target, TargetPosition& at, const void* from, std::int64_t bytes) {
  if (target.reach == Reach::kDirect) {
    datatype::UnpackCursor cursor(*at.place->type, origin_of(at), at.place->count);
    cursor.seek(at.bytes);
    at.bytes +=
        static_cast<std::int64_t>(cursor.unpack(static_cast<const std::byte*>(from), static_cast<std::size_t>(bytes)));
    return {};
  }
  return for_runs(at, bytes, [&](Runs runs, std::int64_t length) -> Status {
    const bool done =
        asks(target, static_cast<std::uint64_t>(length)) && service_.scatter(target.local, from, runs, asking(target));
    if (!done && !p2p_.memory_of(target.peer).scatter(from, runs)) return kernel_refused(target, length);
    from = static_cast<const std::byte*>(from) + length;
    return {};
  });
}

bool TargetMemory::put(const Target& target, std::uint64_t address, const void* from, std::int64_t bytes) {
  if (target.reach != Reach::kTargetOrKernel) return false;
  const auto length = static_cast<std::uint64_t>(bytes);
  const transport::RemoteRun run{address, length};
  if (prefers_kernel(target, KernelChoice::Access::kPut, length) &&
      p2p_.memory_of(target.peer).scatter(from, {&run, 1})) {
    return true;
  }
  return puts_.put(target.local, address, from, length);
}

bool TargetMemory::combine(const Target& target, const Combination& what) {
  return what.bytes <= TargetHandler::kCombineBytes && asks(target, what.bytes) &&
         service_.combine(target.local, what, asking(target));
}

bool TargetMemory::swap(const Target& target, const Swap& what) {
  return asks(target, what.bytes) && service_.swap(target.local, what, asking(target));
}

}  // namespace starling::rma
