// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Address: the number by which a transport knows a process that it reaches. What it counts is the transport's matter:
// local ranks of one segment, or world ranks. Thread safety: a value.
#pragma once

#include "base/id.hpp"

namespace starling::transport {

using Address = Id<struct AddressTag>;

}  // namespace starling::transport
