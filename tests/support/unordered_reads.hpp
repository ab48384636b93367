// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// UnorderedReads: while one lives, ThreadSanitizer does not judge what its thread reads. For memory that is looked at
// because nothing else tells when another thread has filled it, as the buffer of a receive whose request was freed.
#pragma once

#include "support/sanitized.hpp"

extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}

namespace starling::tests {

class UnorderedReads {
 public:
  UnorderedReads() {
    if constexpr (kUnderThreadSanitizer) AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  }
  ~UnorderedReads() {
    if constexpr (kUnderThreadSanitizer) AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
  UnorderedReads(const UnorderedReads&) = delete;
  UnorderedReads& operator=(const UnorderedReads&) = delete;
};

}  // namespace starling::tests
