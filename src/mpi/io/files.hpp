// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The open files of a rank: what stands behind an MPI_File.
// Thread safety: the holder of the world's lock. Invariants: the engine outlives the files.
#pragma once

#include <memory>

#include "io/file.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/handle_table.hpp"

namespace starling::mpi {

struct FileObject {
  Ref<io::File> file;
  MPI_Errhandler errhandler = MPI_ERRORS_RETURN;
};

class Files {
 public:
  explicit Files(world::World& world) : engine(world) {}

  io::OperationRunner engine;
  HandleTable<std::unique_ptr<FileObject>> table;
};

/// Null when the handle is no open file's.
[[nodiscard]] FileObject* find_file(Context& context, MPI_File handle) noexcept;

/// The engine's side of a handle that the boundary has checked.
[[nodiscard]] inline io::File& file_of(MPI_File handle) { return *find_file(*current(), handle)->file; }

/// A handle for a type that the engine holds: the predefined one, or a new one that must be freed.
Result<MPI_Datatype> share_type(Context& context, const datatype::Datatype& type);

/// The pairs of an info object; none for MPI_INFO_NULL.
[[nodiscard]] inline io::InfoPairs pairs_of(MPI_Info info) {
  const Info* found = info == MPI_INFO_NULL ? nullptr : current()->info(info);
  return found != nullptr ? found->pairs() : io::InfoPairs{};
}

}  // namespace starling::mpi
