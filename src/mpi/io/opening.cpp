// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Files: opening, closing, and what a file is. Source: MPI-5.0, chapters 14.2, 14.6.2 and 14.7.
#include <string>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/error_handling.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/info/info.hpp"
#include "mpi/io/files.hpp"

namespace starling::mpi {
namespace {

int give_size(Result<std::int64_t> value, MPI_Offset* place) {
  if (!value.ok()) return fail(std::move(value).status());
  *place = value.value();
  return MPI_SUCCESS;
}

}  // namespace

Result<MPI_Datatype> share_type(Context& context, const datatype::Datatype& type) {
  if (type.is_predefined()) return static_cast<MPI_Datatype>(type.user_handle());
  auto object = std::make_unique<TypeObject>();
  // Shared with its other holders; it is committed already, so nobody changes it.
  object->type = Ref<datatype::Datatype>::share(const_cast<datatype::Datatype*>(&type));
  const auto handle = to_handle<MPI_Datatype>(context.types.insert(std::move(object)));
  if (handle == nullptr) return too_many("datatypes");
  return handle;
}

int file_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  Context& context = *current();
  if (!context.file_operations) context.file_operations.make(*context.world);
  Result<Ref<io::File>> opened =
      io::File::open(*context.file_operations.get(), *context.comm(comm)->comm, filename, amode, pairs_of(info));
  if (!opened.ok()) return fail(std::move(opened).status(), MPI_FILE_NULL);
  auto object = std::make_unique<FileObject>(std::move(opened).value());
  object->errhandler = context.file_errhandler;
  context.use_errhandler(object->errhandler);
  *fh = to_handle<MPI_File>(context.files.insert(std::move(object)));
  if (*fh != nullptr) return MPI_SUCCESS;
  return fail(too_many("files"), MPI_FILE_NULL);
}

int file_close(MPI_File* fh) {
  Context& context = *current();
  FileObject& object = file_object(*fh);
  if (Status may_close = object.file->check_no_split(); !may_close.ok()) return fail(std::move(may_close), *fh);
  Status closed = object.file->close();
  // The file's own handler hears of a failure, so before the handle goes.
  const int code = closed.ok() ? MPI_SUCCESS : raise_error(context, ErrorOwner::of(*fh), closed, "MPI_File_close");
  context.release_errhandler(object.errhandler);
  context.files.erase(*fh);
  *fh = MPI_FILE_NULL;
  return code;
}

int file_delete(const char* filename, MPI_Info /*info*/) { return done(io::File::remove(filename)); }

int file_get_amode(MPI_File fh, int* amode) {
  *amode = file_of(fh).amode();
  return MPI_SUCCESS;
}

int file_get_group(MPI_File fh, MPI_Group* group) { return give_group(*current(), file_of(fh).comm().group(), group); }

int file_get_info(MPI_File fh, MPI_Info* info_used) {
  Info info;
  for (const auto& [key, value] : file_of(fh).info()) info.set(key, value);
  return give_info(*current(), std::move(info), info_used);
}

int file_set_info(MPI_File fh, MPI_Info info) { return done(file_of(fh).set_info(pairs_of(info))); }

int file_get_size(MPI_File fh, MPI_Offset* size) { return give_size(file_of(fh).size(), size); }
int file_set_size(MPI_File fh, MPI_Offset size) { return done(file_of(fh).set_size(size)); }
int file_preallocate(MPI_File fh, MPI_Offset size) { return done(file_of(fh).preallocate(size)); }
int file_sync(MPI_File fh) { return done(file_of(fh).sync()); }

int file_set_atomicity(MPI_File fh, int flag) {
  return done(file_of(fh).set_atomicity(flag != 0 ? io::Atomicity::kAtomic : io::Atomicity::kNone));
}
int file_get_atomicity(MPI_File fh, int* flag) {
  *flag = file_of(fh).atomicity() == io::Atomicity::kAtomic ? 1 : 0;
  return MPI_SUCCESS;
}

int file_get_position(MPI_File fh, MPI_Offset* offset) { return give_size(file_of(fh).position(), offset); }
int file_get_position_shared(MPI_File fh, MPI_Offset* offset) {
  return give_size(file_of(fh).position_shared(), offset);
}
int file_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
  return give_size(file_of(fh).byte_offset(offset), disp);
}

}  // namespace starling::mpi
