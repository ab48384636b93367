// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Packing and unpacking. Packed data are the bytes of the elements in typemap order, without any header: all ranks of a
// node represent data alike. Source: MPI-5.0, chapter 5.2.

#include "datatype/pack/pack.hpp"

#include <cstddef>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/datatype/pack_room.hpp"

namespace starling::mpi {

int pack(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
         MPI_Count* position, MPI_Comm /*comm*/) {
  const datatype::Datatype& type = *current()->datatype(datatype);
  Result<std::int64_t> bytes = datatype::packed_bytes(incount, type);
  if (!bytes.ok()) return fail(std::move(bytes).status());
  if (Status room = check_room(*position, outsize, bytes.value(), "has room for"); !room.ok()) {
    return fail(std::move(room));
  }
  datatype::PackCursor cursor(type, inbuf, incount);
  cursor.pack(static_cast<std::byte*>(outbuf) + *position, static_cast<std::size_t>(bytes.value()));
  *position += bytes.value();
  return MPI_SUCCESS;
}

int unpack(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
           MPI_Datatype datatype, MPI_Comm /*comm*/) {
  const datatype::Datatype& type = *current()->datatype(datatype);
  Result<std::int64_t> bytes = datatype::packed_bytes(outcount, type);
  if (!bytes.ok()) return fail(std::move(bytes).status());
  if (Status room = check_room(*position, insize, bytes.value(), "holds"); !room.ok()) return fail(std::move(room));
  datatype::UnpackCursor cursor(type, outbuf, outcount);
  cursor.unpack(static_cast<const std::byte*>(inbuf) + *position, static_cast<std::size_t>(bytes.value()));
  *position += bytes.value();
  return MPI_SUCCESS;
}

int pack_size(MPI_Count incount, MPI_Datatype datatype, MPI_Comm /*comm*/, MPI_Count* size) {
  Result<std::int64_t> bytes = datatype::packed_bytes(incount, *current()->datatype(datatype));
  if (!bytes.ok()) return fail(std::move(bytes).status());
  *size = bytes.value();
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
