// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The compiled file, and the line of it, that an address of a program comes from.
// Thread safety: none.
// Source: DWARF 5, 6.1.2: the table of addresses may be missing. GCC writes it, clang does not.
#pragma once

#include <elfutils/libdwfl.h>

#include <string>

namespace starling::symbolize {

/// Null: no debug information has the address. bias: what an address of the unit is less than one of the program.
[[nodiscard]] Dwarf_Die* unit_at(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias);

struct SourceLine {
  std::string file;  ///< empty: not known
  int number = 0;
};
[[nodiscard]] SourceLine line_at(Dwfl_Module* module, Dwarf_Addr address);

}  // namespace starling::symbolize
