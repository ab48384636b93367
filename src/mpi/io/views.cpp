// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// File views, pointers and data representations. Source: MPI-5.0, chapters 14.3, 14.4.3, 14.4.4 and 14.5.
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "base/status.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/text.hpp"
#include "mpi/io/files.hpp"

namespace starling::mpi {
namespace {

Result<io::DatarepRef> find_datarep(Context& context, const std::string& name) {
  if (io::DatarepRef predefined = io::predefined_datarep(name)) return predefined;
  const auto& registered = context.datareps->registered;
  if (const auto found = registered.find(name); found != registered.end()) return found->second;
  return Status::error(ErrorClass::kUnsupportedDatarep,
                       formatted("there is no data representation \"{}\"; there are native, internal, external32 and "
                                 "those of MPI_Register_datarep",
                                 name));
}

Result<io::Whence> whence_of(int whence) {
  switch (whence) {
    case MPI_SEEK_SET: return io::Whence::kSet;
    case MPI_SEEK_CUR: return io::Whence::kCurrent;
    case MPI_SEEK_END: return io::Whence::kEnd;
    default:
      return Status::error(ErrorClass::kArg,
                           formatted("whence is {}; it must be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END", whence));
  }
}

}  // namespace

int file_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
                  MPI_Info info) {
  Context& context = *current();
  Result<io::DatarepRef> representation = find_datarep(context, datarep);
  if (!representation.ok()) return fail(std::move(representation).status());
  return done(file_of(fh).set_view(disp, io::TypeRef::share(context.datatype(etype)),
                                   io::TypeRef::share(context.datatype(filetype)), representation.value(),
                                   pairs_of(info)));
}

int file_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep) {
  Context& context = *current();
  const io::View& view = file_of(fh).view();
  Result<MPI_Datatype> etype_handle = share_type(context, view.etype());
  if (!etype_handle.ok()) return fail(std::move(etype_handle).status());
  Result<MPI_Datatype> filetype_handle = share_type(context, view.filetype());
  if (!filetype_handle.ok()) return fail(std::move(filetype_handle).status());
  *disp = view.displacement();
  *etype = etype_handle.value();
  *filetype = filetype_handle.value();
  int length = 0;
  return copy_text(view.datarep().name(), datarep, MPI_MAX_DATAREP_STRING, &length);
}

int file_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent) {
  Result<io::TypeRef> in_file = io::file_type(*current()->datatype(datatype), file_of(fh).view().datarep());
  if (!in_file.ok()) return fail(std::move(in_file).status());
  *extent = in_file.value()->extent();
  return MPI_SUCCESS;
}

int file_seek(MPI_File fh, MPI_Offset offset, int whence) {
  Result<io::Whence> from = whence_of(whence);
  if (!from.ok()) return fail(std::move(from).status());
  return done(file_of(fh).seek(offset, from.value()));
}

int file_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  Result<io::Whence> from = whence_of(whence);
  if (!from.ok()) return fail(std::move(from).status());
  return done(file_of(fh).seek_shared(offset, from.value()));
}

}  // namespace starling::mpi
