// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "requests.hpp"

#include "relaxed.hpp"

namespace starling::see {
namespace {

constexpr int kFunctionBits = 16;

constexpr std::uint64_t joined(std::uint32_t high, std::uint32_t low) noexcept {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

void Requests::Rows::note(MPI_Request request, const Operation& operation) noexcept {
  const std::uintptr_t bits = any_mpi::bits_of(request);
  Row& row = rows_[row_of(bits)];
  Place* place = nullptr;
  for (Place& each : row.places) {
    if (each.key.load(kRelaxed) == bits) place = &each;
  }
  if (place == nullptr) {
    const std::uint32_t next = row.next.load(kRelaxed);
    row.next.store(next + 1, kRelaxed);
    place = &row.places[next % kPlaces];
  }
  const observe::Awaited& awaited = operation.awaited;
  place->key.store(0, kRelaxed);
  // No word before the empty key, and none behind the next one.
  std::atomic_thread_fence(std::memory_order_release);
  place->peer_and_tag.store(
      joined(static_cast<std::uint32_t>(awaited.peer.value), static_cast<std::uint32_t>(awaited.tag)), kRelaxed);
  place->context_and_as.store(joined(awaited.context_id, static_cast<std::uint32_t>(awaited.as)), kRelaxed);
  place->bytes_and_function.store(operation.bytes << kFunctionBits | operation.function, kRelaxed);
  place->key.store(bits, std::memory_order_release);
}

void Requests::Rows::forget(MPI_Request request) noexcept {
  const std::uintptr_t bits = any_mpi::bits_of(request);
  for (Place& each : rows_[row_of(bits)].places) {
    if (each.key.load(kRelaxed) == bits) each.key.store(0, kRelaxed);
  }
}

std::optional<Operation> Requests::Rows::find(MPI_Request request) const noexcept {
  const std::uintptr_t bits = any_mpi::bits_of(request);
  for (const Place& each : rows_[row_of(bits)].places) {
    if (each.key.load(std::memory_order_acquire) != bits) continue;
    const std::uint64_t peer_and_tag = each.peer_and_tag.load(kRelaxed);
    const std::uint64_t context_and_as = each.context_and_as.load(kRelaxed);
    Operation found;
    found.awaited.peer = PeerId(static_cast<std::int32_t>(peer_and_tag >> 32));
    found.awaited.tag = static_cast<std::int32_t>(peer_and_tag & 0xffffffff);
    found.awaited.context_id = static_cast<std::uint32_t>(context_and_as >> 32);
    found.awaited.as = static_cast<observe::AwaitedAs>(context_and_as & 0xff);
    const std::uint64_t bytes_and_function = each.bytes_and_function.load(kRelaxed);
    found.function = static_cast<std::uint32_t>(bytes_and_function & ((1 << kFunctionBits) - 1));
    found.bytes = bytes_and_function >> kFunctionBits;
    // acquire: the second look at the key comes after the words.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (each.key.load(kRelaxed) == bits) return found;
  }
  return std::nullopt;
}

}  // namespace starling::see
