// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The open files of a rank: what stands behind an MPI_File.
// Thread safety: the holder of the world's lock. Invariants: the engine outlives the files.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "io/file.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/info/info.hpp"

namespace starling::mpi {

class FileObject final : public ErrhandlerHolder {
 public:
  explicit FileObject(Ref<io::File> opened) : file(std::move(opened)) {}
  [[nodiscard]] std::string text() const override { return '"' + file->path() + '"'; }

  Ref<io::File> file;
};

/// What MPI_Register_datarep has added, by name.
struct Datareps {
  std::map<std::string, io::DatarepRef, std::less<>> registered;
};

/// The object behind a handle that the boundary has checked.
[[nodiscard]] inline FileObject& file_object(MPI_File handle) {
  return static_cast<FileObject&>(**current()->files.find(handle));
}

/// The engine's side of it.
[[nodiscard]] inline io::File& file_of(MPI_File handle) { return *file_object(handle).file; }

/// A handle for a type that the engine holds: the predefined one, or a new one that must be freed.
Result<MPI_Datatype> share_type(Context& context, const datatype::Datatype& type);

/// The pairs of an info object; none for MPI_INFO_NULL.
[[nodiscard]] inline io::InfoPairs pairs_of(MPI_Info info) {
  const Info* found = info == MPI_INFO_NULL ? nullptr : find_info(*current(), info);
  return found != nullptr ? found->pairs() : io::InfoPairs{};
}

}  // namespace starling::mpi
