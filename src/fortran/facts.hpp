// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the MPI library is told of the Fortran compiler. Source: MPI-5.0, 20.4.
#pragma once

namespace starling::fortran {

/// Only the first in a program is heard, so nothing is said where somebody has done it.
void tell_facts();

}  // namespace starling::fortran
