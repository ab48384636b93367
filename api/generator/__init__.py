# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes mpi.h, the C boundary and its tables from the rows in api/."""
