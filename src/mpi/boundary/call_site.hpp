// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where the program goes on after the collective call that this thread is in: what the late-rank table names calls by.
//
// Thread safety: each thread has its own.
#pragma once

namespace starling::mpi::internal {

extern thread_local constinit const void* call_site [[gnu::tls_model("initial-exec")]];

}  // namespace starling::mpi::internal
