// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The data accesses of files: blocking, nonblocking and split, by explicit offsets and by both file pointers.
// Source: MPI-5.0, chapter 14.4.
#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/io/files.hpp"

namespace starling::mpi {
namespace {

using io::Access;
using io::Direction;
using io::Pointer;
using io::Ranks;

/// What the name of an access call says: the direction, the pointer, and whether all ranks take part.
struct AccessKind {
  Direction direction;
  Pointer pointer;
  Ranks ranks;
  MPI_Offset offset = 0;
};

constexpr AccessKind read_at(MPI_Offset offset, Ranks ranks) {
  return {Direction::kRead, Pointer::kExplicit, ranks, offset};
}
constexpr AccessKind write_at(MPI_Offset offset, Ranks ranks) {
  return {Direction::kWrite, Pointer::kExplicit, ranks, offset};
}
constexpr AccessKind reads(Pointer pointer, Ranks ranks) { return {Direction::kRead, pointer, ranks}; }
constexpr AccessKind writes(Pointer pointer, Ranks ranks) { return {Direction::kWrite, pointer, ranks}; }

Access make_access(const AccessKind& kind, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return {kind.direction,
          kind.pointer,
          kind.ranks,
          kind.offset,
          const_cast<void*>(buf),
          count,
          current()->datatype(datatype)};
}

int end_access(Status outcome, std::int64_t bytes, MPI_Status* status) {
  p2p::Completion completion = kEmptyCompletion;
  completion.bytes = bytes;
  write_status(status, completion);
  return done(std::move(outcome));
}

int run(MPI_File fh, const AccessKind& kind, const void* buf, MPI_Count count, MPI_Datatype datatype,
        MPI_Status* status) {
  std::int64_t bytes = 0;
  Status outcome = file_of(fh).access(make_access(kind, buf, count, datatype), &bytes);
  return end_access(std::move(outcome), bytes, status);
}

int start(MPI_File fh, const AccessKind& kind, const void* buf, MPI_Count count, MPI_Datatype datatype,
          MPI_Request* request) {
  Result<p2p::Request*> started = file_of(fh).start(make_access(kind, buf, count, datatype));
  if (!started.ok()) return fail(std::move(started).status());
  return current()->add_request(started.value(), ErrorOwner::of(fh), request);
}

int begin(MPI_File fh, const AccessKind& kind, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return done(file_of(fh).begin(make_access(kind, buf, count, datatype)));
}

int end(MPI_File fh, Direction direction, Pointer pointer, MPI_Status* status) {
  std::int64_t bytes = 0;
  Status outcome = file_of(fh).end(direction, pointer, &bytes);
  return end_access(std::move(outcome), bytes, status);
}

constexpr Pointer kMine = Pointer::kIndividual;
constexpr Pointer kShared = Pointer::kShared;
constexpr Ranks kAlone = Ranks::kAlone;
constexpr Ranks kAll = Ranks::kAll;

}  // namespace

// Blocking.

int file_read_at(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Status* status) {
  return run(fh, read_at(offset, kAlone), buf, count, datatype, status);
}

int file_read_at_all(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Status* status) {
  return run(fh, read_at(offset, kAll), buf, count, datatype, status);
}

int file_read(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return run(fh, reads(kMine, kAlone), buf, count, datatype, status);
}

int file_read_all(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return run(fh, reads(kMine, kAll), buf, count, datatype, status);
}

int file_read_shared(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return run(fh, reads(kShared, kAlone), buf, count, datatype, status);
}

int file_read_ordered(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return run(fh, reads(kShared, kAll), buf, count, datatype, status);
}

int file_write_at(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Status* status) {
  return run(fh, write_at(offset, kAlone), buf, count, datatype, status);
}

int file_write_at_all(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Status* status) {
  return run(fh, write_at(offset, kAll), buf, count, datatype, status);
}

int file_write(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return run(fh, writes(kMine, kAlone), buf, count, datatype, status);
}

int file_write_all(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return run(fh, writes(kMine, kAll), buf, count, datatype, status);
}

int file_write_shared(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return run(fh, writes(kShared, kAlone), buf, count, datatype, status);
}

int file_write_ordered(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return run(fh, writes(kShared, kAll), buf, count, datatype, status);
}

// Nonblocking.

int file_iread_at(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Request* request) {
  return start(fh, read_at(offset, kAlone), buf, count, datatype, request);
}

int file_iread_at_all(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Request* request) {
  return start(fh, read_at(offset, kAll), buf, count, datatype, request);
}

int file_iread(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return start(fh, reads(kMine, kAlone), buf, count, datatype, request);
}

int file_iread_all(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return start(fh, reads(kMine, kAll), buf, count, datatype, request);
}

int file_iread_shared(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return start(fh, reads(kShared, kAlone), buf, count, datatype, request);
}

int file_iwrite_at(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Request* request) {
  return start(fh, write_at(offset, kAlone), buf, count, datatype, request);
}

int file_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Request* request) {
  return start(fh, write_at(offset, kAll), buf, count, datatype, request);
}

int file_iwrite(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return start(fh, writes(kMine, kAlone), buf, count, datatype, request);
}

int file_iwrite_all(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return start(fh, writes(kMine, kAll), buf, count, datatype, request);
}

int file_iwrite_shared(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return start(fh, writes(kShared, kAlone), buf, count, datatype, request);
}

// Split: both halves.

int file_read_at_all_begin(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin(fh, read_at(offset, kAll), buf, count, datatype);
}

int file_read_at_all_end(MPI_File fh, void* /*buf*/, MPI_Status* status) {
  return end(fh, Direction::kRead, Pointer::kExplicit, status);
}

int file_read_all_begin(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin(fh, reads(kMine, kAll), buf, count, datatype);
}

int file_read_all_end(MPI_File fh, void* /*buf*/, MPI_Status* status) {
  return end(fh, Direction::kRead, kMine, status);
}

int file_read_ordered_begin(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin(fh, reads(kShared, kAll), buf, count, datatype);
}

int file_read_ordered_end(MPI_File fh, void* /*buf*/, MPI_Status* status) {
  return end(fh, Direction::kRead, kShared, status);
}

int file_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin(fh, write_at(offset, kAll), buf, count, datatype);
}

int file_write_at_all_end(MPI_File fh, const void* /*buf*/, MPI_Status* status) {
  return end(fh, Direction::kWrite, Pointer::kExplicit, status);
}

int file_write_all_begin(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin(fh, writes(kMine, kAll), buf, count, datatype);
}

int file_write_all_end(MPI_File fh, const void* /*buf*/, MPI_Status* status) {
  return end(fh, Direction::kWrite, kMine, status);
}

int file_write_ordered_begin(MPI_File fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return begin(fh, writes(kShared, kAll), buf, count, datatype);
}

int file_write_ordered_end(MPI_File fh, const void* /*buf*/, MPI_Status* status) {
  return end(fh, Direction::kWrite, kShared, status);
}

}  // namespace starling::mpi
