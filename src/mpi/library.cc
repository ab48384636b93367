// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The shared library consists of the component's archive alone; CMake wants a source file for a library.
