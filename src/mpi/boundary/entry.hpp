// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// All that a generated file of the C boundary includes beside the declarations of the bodies: entry and checks.
// Thread safety: see BoundaryCall.
#pragma once

#include <mpi-ext.h>

#include "mpi/boundary/call.hpp"
#include "mpi/boundary/check_arguments.hpp"
#include "mpi/boundary/check_handles.hpp"
