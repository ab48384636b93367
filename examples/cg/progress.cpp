// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace cg {
namespace {

constexpr double kUpdateInterval_s = 0.05;
constexpr std::size_t kBarWidth = 24;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Progress::Progress(const ProgressOptions& options, std::FILE* out) : options_(options), out_(out), start_s_(now_s()) {}

Progress::~Progress() { finish(); }

void Progress::show(int iteration, double relative_residual) {
  iteration_ = iteration;
  relative_residual_ = relative_residual;
  if (options_.style == ProgressStyle::kUpdating) {
    const double now = now_s();
    if (now - last_update_s_ >= kUpdateInterval_s) {
      last_update_s_ = now;
      write_updating();
    }
  } else if (options_.style == ProgressStyle::kPlain && iteration % options_.plain_every == 0) {
    std::fprintf(out_, "%s\n", describe().c_str());
    std::fflush(out_);
  }
}

void Progress::finish() {
  if (iteration_ > 0 && options_.style == ProgressStyle::kUpdating) write_updating();
  if (line_open_) std::fputc('\n', out_);
  std::fflush(out_);
  line_open_ = false;
  iteration_ = 0;
}

void Progress::write_updating() {
  // Carriage return, the text, then "erase to the end of the line", so that a shorter text leaves nothing behind.
  std::fprintf(out_, "\r%s %s\033[K", bar().c_str(), describe().c_str());
  std::fflush(out_);
  line_open_ = true;
}

std::string Progress::describe() const {
  const double elapsed_s = std::max(now_s() - start_s_, 1e-9);
  char text[128];
  std::snprintf(text, sizeof text, "iteration %6d  residual %9.3e  %8.1f iterations/s", iteration_, relative_residual_,
                iteration_ / elapsed_s);
  return text;
}

// The residual falls about geometrically, so its logarithm measures the way to the tolerance.
std::string Progress::bar() const {
  const double way = std::log(std::max(relative_residual_, 1e-300)) / std::log(options_.tolerance);
  const auto filled = static_cast<std::size_t>(std::clamp(way, 0.0, 1.0) * static_cast<double>(kBarWidth));
  std::string text(kBarWidth, '.');
  std::fill_n(text.begin(), filled, '#');
  return "[" + text + "]";
}

}  // namespace cg
