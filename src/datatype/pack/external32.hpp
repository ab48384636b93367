// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// external32: the representation of data that every machine can read: big-endian, IEEE, with the sizes of the standard.
//
// Some types are narrower there than here (MPI_LONG has 4 bytes, MPI_WCHAR 2); a value that does not fit is an error
// and not a wrong number. Layout: the entries of the typemap in order, without gaps.
// Thread safety: no state. Invariants: types are committed. Source: MPI-5.0, chapter 14.5.2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "datatype/types/datatype.hpp"

namespace starling::datatype {

/// Bytes of count elements in external32. ErrorClass::kCount when that exceeds 64 bits.
[[nodiscard]] Result<std::int64_t> external32_bytes(std::int64_t count, const Datatype& type);

/// Writes count elements at `from` to `out`, which has room for external32_bytes. ErrorClass::kValueTooLarge when a
/// number does not fit its external size.
Status external32_pack(const void* from, std::int64_t count, const Datatype& type, std::byte* out);

/// The way back.
Status external32_unpack(const std::byte* in, void* to, std::int64_t count, const Datatype& type);

}  // namespace starling::datatype
