// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling/array.hpp: arrays of objects that move, and messages that find them, on any MPI. Link
// libstarling_array_<mpi>. docs/howto/arrays.md has a first program; the headers below say what each piece does.
//
// **Thread safety**: a Session and all that belongs to it are used by the thread that made it.
#pragma once

#include <starling/array/element.hpp>
