// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which calls a traced rank times whatever they do: those that all ranks of a communicator make together, since only
// their ends tell who came last. Thread safety: a pure function.
#pragma once

#include "observe/tracer.hpp"

namespace starling::mpi {

void time_collective_calls(observe::Tracer& tracer);

}  // namespace starling::mpi
