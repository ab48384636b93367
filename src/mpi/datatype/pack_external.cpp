// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Packing in the representation that every machine can read. Source: MPI-5.0, chapter 5.3.
#include <cstddef>
#include <string>
#include <string_view>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "datatype/pack/external32.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/datatype/pack_room.hpp"

namespace starling::mpi {
namespace {

Status check_datarep(std::string_view datarep) {
  if (datarep == "external32") return {};
  return Status::error(ErrorClass::kArg,
                       formatted("datarep is \"{}\"; the standard has only \"external32\" here", datarep));
}

/// Bytes that the data take, once the representation is known and they fit between the position and the buffer's end.
Result<std::int64_t> bytes_at(const char* datarep, MPI_Count count, const datatype::Datatype& type, MPI_Count position,
                              MPI_Count size, const char* what) {
  STARLING_TRY(check_datarep(datarep));
  Result<std::int64_t> bytes = datatype::external32_bytes(count, type);
  if (!bytes.ok()) return bytes;
  STARLING_TRY(check_room(position, size, bytes.value(), what));
  return bytes;
}

}  // namespace

int pack_external(const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
                  MPI_Count outsize, MPI_Count* position) {
  const datatype::Datatype& type = *current()->datatype(datatype);
  Result<std::int64_t> bytes = bytes_at(datarep, incount, type, *position, outsize, "has room for");
  if (!bytes.ok()) return fail(std::move(bytes).status());
  Status packed = datatype::external32_pack(inbuf, incount, type, static_cast<std::byte*>(outbuf) + *position);
  if (!packed.ok()) return fail(std::move(packed));
  *position += bytes.value();
  return MPI_SUCCESS;
}

int unpack_external(const char datarep[], const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                    MPI_Count outcount, MPI_Datatype datatype) {
  const datatype::Datatype& type = *current()->datatype(datatype);
  Result<std::int64_t> bytes = bytes_at(datarep, outcount, type, *position, insize, "holds");
  if (!bytes.ok()) return fail(std::move(bytes).status());
  Status unpacked =
      datatype::external32_unpack(static_cast<const std::byte*>(inbuf) + *position, outbuf, outcount, type);
  if (!unpacked.ok()) return fail(std::move(unpacked));
  *position += bytes.value();
  return MPI_SUCCESS;
}

int pack_external_size(const char* datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count* size) {
  if (Status known = check_datarep(datarep); !known.ok()) return fail(std::move(known));
  Result<std::int64_t> bytes = datatype::external32_bytes(incount, *current()->datatype(datatype));
  if (!bytes.ok()) return fail(std::move(bytes).status());
  *size = bytes.value();
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
