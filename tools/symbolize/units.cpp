// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "units.hpp"

namespace starling::symbolize {

Dwarf_Die* unit_at(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias) {
  if (Dwarf_Die* const listed = dwfl_module_addrdie(module, address, bias)) return listed;
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, bias)) != nullptr;) {
    if (dwarf_haspc(unit, address - *bias) > 0) return unit;
  }
  return nullptr;
}

SourceLine line_at(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_at(module, address, &bias);
  Dwarf_Line* const line = unit != nullptr ? dwarf_getsrc_die(unit, address - bias) : nullptr;
  const char* const file = line != nullptr ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
  SourceLine found;
  if (file == nullptr) return found;
  found.file = file;
  dwarf_lineno(line, &found.number);
  return found;
}

}  // namespace starling::symbolize
