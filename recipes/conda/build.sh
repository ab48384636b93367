#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
# shellcheck disable=SC2086  # several words
cmake -S . -B build/conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib \
  -DSTARLING_BUILD_TESTS=OFF -DSTARLING_BUILD_BENCH=OFF -DSTARLING_BUILD_EXAMPLES=OFF
cmake --build build/conda --target product
cmake --install build/conda --prefix "$PREFIX"
