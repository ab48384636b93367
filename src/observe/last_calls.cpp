// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/last_calls.hpp"

#include <algorithm>

namespace starling::observe {
namespace {

LastCall read(const LastCalls::Entry& entry) noexcept {
  const auto load = [](const auto& field) { return field.load(std::memory_order_relaxed); };
  const std::uint32_t word = load(entry.call);
  LastCall call;
  call.call = word & ((std::uint32_t{1} << LastCalls::kTellsShift) - 1);
  call.tells = word >> LastCalls::kTellsShift;
  const auto told = [&](Tells bits) { return (call.tells & bits) != 0; };
  if (told(kTellsDestination | kTellsSource | kTellsRoot | kTellsTarget)) call.peer = load(entry.peer);
  if (told(kTellsDestination) && told(kTellsSource)) call.other = load(entry.other);
  if (told(kTellsTag)) call.tag = load(entry.tag);
  if (told(kTellsComm)) call.comm = load(entry.comm);
  if (told(kTellsCount | kTellsRequests)) call.count = load(entry.count);
  if (told(kTellsCount)) call.type = load(entry.type);
  return call;
}

/// Of a communicator, where its place still has it.
std::uint32_t context_of(std::uint32_t handle, const LastCalls::Comm& comm) noexcept {
  if (handle == 0 || comm.handle.load(std::memory_order_relaxed) != handle) return LastCall::kNoContextId;
  const std::uint32_t context_id = comm.context_id.load(std::memory_order_relaxed);
  // acquire: the second look comes after the id.
  std::atomic_thread_fence(std::memory_order_acquire);
  return comm.handle.load(std::memory_order_relaxed) == handle ? context_id : LastCall::kNoContextId;
}

}  // namespace

std::vector<LastCall> last_calls(const LastCalls& last, const std::atomic<std::uint64_t>& made,
                                 const std::atomic<std::uint32_t>& current, std::size_t most) {
  const std::uint64_t before = made.load(std::memory_order_acquire);
  const std::uint64_t count = std::min<std::uint64_t>({before, most, LastCalls::kMost - 1});
  std::vector<LastCall> calls;
  for (std::uint64_t number = before - count; number < before; ++number) {
    LastCall call = read(last.entries[number % LastCalls::kMost]);
    call.number = number + 1;
    call.context_id = context_of(call.comm, last.comms[call.comm % LastCalls::kComms]);
    calls.push_back(call);
  }
  // acquire: the second look comes after the entries. The owner may be writing the one after the last that it counts.
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t after = made.load(std::memory_order_relaxed);
  std::erase_if(calls, [&](const LastCall& call) { return call.number + LastCalls::kMost <= after + 1; });
  const bool inside = current.load(std::memory_order_relaxed) != 0;
  if (inside && after == before && !calls.empty()) calls.back().has_returned = false;
  return calls;
}

}  // namespace starling::observe
