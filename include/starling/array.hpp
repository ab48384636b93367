// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling/array.hpp: arrays of objects that move, and messages that find them, on any MPI. Link
// libstarling_array_<mpi>. docs/howto/arrays.md has a first program; the headers below say what each piece does. A
// source that calls no MPI itself may include <starling/array/element.hpp> instead, and is then compiled once for all
// MPIs.
//
// **Thread safety**: a Session and all that belongs to it are used by the thread that made it.
#pragma once

#include <starling/array/element.hpp>
#include <starling/array/mpi.hpp>
