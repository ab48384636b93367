# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes mpif.h, the modules mpi and mpi_f08, and the C entries behind them from the rows in api/."""
