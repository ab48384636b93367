# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The checks that scripts/check_layers runs: each module has a check(tree) that refuses what it finds."""
