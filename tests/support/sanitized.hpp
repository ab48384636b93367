// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Under which sanitizer a test runs, for sweeps that are five to twenty times as slow there: they take fewer steps, of
// the same kinds.
#pragma once

#ifdef __has_feature
#define STARLING_HAS_FEATURE(name) __has_feature(name)
#else
#define STARLING_HAS_FEATURE(name) 0
#endif

namespace starling {

#if defined(__SANITIZE_THREAD__) || STARLING_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kUnderThreadSanitizer = true;
#else
inline constexpr bool kUnderThreadSanitizer = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || STARLING_HAS_FEATURE(address_sanitizer)
inline constexpr bool kUnderSanitizer = true;
#else
inline constexpr bool kUnderSanitizer = kUnderThreadSanitizer;
#endif

}  // namespace starling

#undef STARLING_HAS_FEATURE

/// Before a function whose memory is its own: no sanitizer looks at each of its accesses.
#if defined(__clang__)
#define STARLING_UNWATCHED __attribute__((disable_sanitizer_instrumentation))
#else
#define STARLING_UNWATCHED
#endif
