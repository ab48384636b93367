// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling-symbolize --sites: a helper that names return addresses in files as long as it is asked.
#pragma once

namespace starling::symbolize {

/// Reads lines "ADDRESS ID PATH" (hexadecimal digits; an ID of "-" is none) until there are no more, and answers each
/// by a line: "iterate at solver.c:88", or without debug information "iterate (solver+0x11a9)". An empty one: nothing
/// is known there, or the file at PATH is another one. The exit status.
int print_sites();

}  // namespace starling::symbolize
