// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The sequence of basic types that a datatype stands for, as runs of equal ones, in typemap order.
// Thread safety: reads immutable data.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "datatype/types/datatype.hpp"
#include "datatype/types/parts.hpp"

namespace starling::datatype {

/// Calls visit(basic, n) for each run of n equal basic types in count elements; stops at the first failed Status.
/// Neighbouring runs of one basic type need not be joined.
template <typename Visit>
Status for_each_run(const Datatype& type, std::int64_t count, Visit&& visit) {
  if (count == 0 || type.size() == 0) return {};
  if (type.basic() != Basic::kNone) return visit(type.basic(), count * (type.size() / info(type.basic()).size));
  const Arguments arguments(type.contents());
  for (std::int64_t element = 0; element < count; ++element) {
    for (std::int64_t i = 0; i < arguments.part_count(); ++i) {
      const TypePart part = arguments.part(i);
      STARLING_TRY(for_each_run(*part.type, part.count * part.block_length, visit));
    }
  }
  return {};
}

}  // namespace starling::datatype
