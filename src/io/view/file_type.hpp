// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The layout that a datatype has in a file: the same constructors with each predefined type as wide as the data
// representation makes it.
//
// Displacements that count extents of a type follow that type's width; those in bytes are what the
// user computed with MPI_File_get_type_extent. Source: MPI-5.0, chapters 14.1.1 (portable datatypes) and 14.5.
// Thread safety: reads immutable data.
#pragma once

#include "io/view/datarep.hpp"

namespace starling::io {

using TypeRef = Ref<const datatype::Datatype>;

/// Committed. The type itself for a native representation.
Result<TypeRef> file_type(const datatype::Datatype& type, const Datarep& datarep);

/// What the first bytes of count elements in a file are.
Result<Portion> portion(const datatype::Datatype& type, std::int64_t count, std::int64_t file_bytes,
                        const Datarep& datarep);

}  // namespace starling::io
