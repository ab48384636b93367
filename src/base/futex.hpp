// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The futex calls on memory that several processes may share.
// Thread safety: all may be called from any thread of any process that maps the word.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

namespace starling {

/// Sleeps while *word == expected, at most timeout_ns (negative: no limit). May return early; the caller looks again.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) noexcept;

/// One of several words to sleep on, and the value that it must still have.
struct FutexWait {
  std::atomic<std::uint32_t>* word;
  std::uint32_t expected;
};
/// Sleeps until one of the words is woken or has changed. Where the kernel cannot wait for several
/// (before Linux 5.16, in a sandbox, or more than 128) it sleeps on the first for at most a millisecond. The caller
/// looks again.
void futex_wait_any(std::span<const FutexWait> waits) noexcept;
/// The same, but at most timeout_ns (negative: no limit).
void futex_wait_any_for(std::span<const FutexWait> waits, std::int64_t timeout_ns) noexcept;

/// Wakes up to count sleepers on word and returns how many there were.
int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept;

}  // namespace starling
