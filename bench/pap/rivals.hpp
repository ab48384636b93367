// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The algorithms that the paper compares with, as it names them: sums of floats to rank 0.
//
// Thread safety: collective over the communicator; memory is allocated in each call, as a plain implementation would.
// Sources: R. Rabenseifner, Optimization of collective reduction operations (2004); T. Peterka et al., A configurable
// algorithm for parallel image-compositing applications (2009: radix-k); M. Barnett et al., Interprocessor collective
// communication library (1994: the bucket, here parallel ring).
#pragma once

#include <mpi.h>

namespace bench {

using Reduce = void (*)(const float* send, float* receive, int count, MPI_Comm comm);

void reduce_default(const float* send, float* receive, int count, MPI_Comm comm);
void reduce_binomial(const float* send, float* receive, int count, MPI_Comm comm);
void reduce_rabenseifner(const float* send, float* receive, int count, MPI_Comm comm);
void reduce_radix_k(const float* send, float* receive, int count, MPI_Comm comm);
void reduce_ring(const float* send, float* receive, int count, MPI_Comm comm);

}  // namespace bench
