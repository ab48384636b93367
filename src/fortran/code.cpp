// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where this library's code lies, for those who tell a program's calls apart by where they come from.
#include "base/program_site.hpp"

extern "C" {
/// The linker's words for the begin of this library and the end of its code.
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char etext __attribute__((visibility("hidden")));

__attribute__((visibility("default"))) extern const StarlingFortranCode starling_fortran_code;
const StarlingFortranCode starling_fortran_code = {&__ehdr_start, &etext};
}
