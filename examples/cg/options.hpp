// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of the solver.
// Thread safety: values and pure functions.
#pragma once

#include <string>

#include "solver.hpp"

namespace cg {

enum class ProgressChoice { kAuto, kAlways, kNever };

struct Options {
  std::string matrix_path;
  SolverOptions solver;
  double shift = 0.0;
  ProgressChoice progress = ProgressChoice::kAuto;
  int progress_every = 50;
  bool help = false;
};

// Throws InputError when the arguments make no sense.
[[nodiscard]] Options parse_options(int argc, char** argv);

[[nodiscard]] const char* usage();

}  // namespace cg
