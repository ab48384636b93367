// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Progress: shows the iterations while they run. On a terminal one line is rewritten in place; elsewhere a plain line
// appears every so many iterations.
// Thread safety: one thread. Only one rank should own one.
// Invariants: a terminal line is finished with a line break by finish() or the destructor.
#pragma once

#include <cstdio>
#include <string>

namespace cg {

enum class ProgressStyle { kNone, kPlain, kUpdating };

struct ProgressOptions {
  ProgressStyle style = ProgressStyle::kPlain;
  int plain_every = 50;     // iterations between two plain lines
  double tolerance = 1e-8;  // the residual at which the bar is full
};

class Progress {
 public:
  Progress(const ProgressOptions& options, std::FILE* out);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(int iteration, double relative_residual);
  void finish();

 private:
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] std::string bar() const;
  void write_updating();

  ProgressOptions options_;
  std::FILE* out_;
  double start_s_;
  double last_update_s_ = -1.0;
  int iteration_ = 0;
  double relative_residual_ = 1.0;
  bool line_open_ = false;
};

}  // namespace cg
