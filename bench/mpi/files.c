// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bandwidth of collective file access, all ranks together, in MB/s: each rank's 16 MiB as one stretch, and interleaved
// with the others' in blocks of the given sizes, written and read back. The file is in the current folder and stays in
// the page cache: what is measured is the library, not the disk.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { kBytes = 16 << 20 };

typedef struct {
  MPI_File file;
  char* buffer;
} Access;

static void write_all(void* context, long iterations) {
  Access* access = context;
  for (long i = 0; i < iterations; i++) {
    MPI_File_write_at_all(access->file, 0, access->buffer, kBytes, MPI_BYTE, MPI_STATUS_IGNORE);
  }
}

static void read_all(void* context, long iterations) {
  Access* access = context;
  for (long i = 0; i < iterations; i++) {
    MPI_File_read_at_all(access->file, 0, access->buffer, kBytes, MPI_BYTE, MPI_STATUS_IGNORE);
  }
}

// Blocks of all ranks one after the other; block == kBytes makes each rank's data one stretch.
static void set_view(MPI_File file, long block, int rank, int size) {
  MPI_Datatype contiguous;
  MPI_Datatype filetype;
  MPI_Type_contiguous((int)block, MPI_BYTE, &contiguous);
  MPI_Type_create_resized(contiguous, 0, (MPI_Aint)block * size, &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_set_view(file, (MPI_Offset)block * rank, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
  MPI_Type_free(&filetype);
  MPI_Type_free(&contiguous);
}

int main(int argc, char** argv) {
  static const long blocks[] = {8, 64, 1024, 16384, kBytes};
  int rank;
  int size;
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, blocks, 5);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Access access = {MPI_FILE_NULL, bench_buffer(kBytes, rank)};
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  if (MPI_File_open(MPI_COMM_WORLD, "starling-bench-files.tmp", mode, MPI_INFO_NULL, &access.file) != MPI_SUCCESS) {
    printf("# the current folder takes no file\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const double megabytes = 1e-6 * kBytes * size;
  for (int i = 0; i < options.size_count; i++) {
    set_view(access.file, options.sizes[i], rank, size);
    const BenchTimes written = bench_time(MPI_COMM_WORLD, write_all, &access, &options);
    const BenchTimes read = bench_time(MPI_COMM_WORLD, read_all, &access, &options);
    if (rank == 0) bench_print_rate("file_write_all", options.sizes[i], written, megabytes, "MB/s");
    if (rank == 0) bench_print_rate("file_read_all", options.sizes[i], read, megabytes, "MB/s");
  }
  MPI_File_close(&access.file);
  free(access.buffer);
  MPI_Finalize();
  return 0;
}
