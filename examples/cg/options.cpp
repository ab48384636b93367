// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "input_error.hpp"

namespace cg {
namespace {

[[noreturn]] void reject(std::string_view name, std::string_view value, const char* wanted) {
  throw InputError(std::string(name) + "=" + std::string(value) + ": " + wanted + ". See --help.");
}

template <typename Number>
Number parse_number(std::string_view name, std::string_view value, const char* wanted) {
  Number number{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) reject(name, value, wanted);
  return number;
}

double parse_double_within(std::string_view name, std::string_view value, double low, double high, const char* wanted) {
  const auto number = parse_number<double>(name, value, wanted);
  if (!(number > low && number < high)) reject(name, value, wanted);
  return number;
}

int parse_positive(std::string_view name, std::string_view value) {
  constexpr const char* kWanted = "a whole number of at least 1 is needed";
  const int number = parse_number<int>(name, value, kWanted);
  if (number < 1) reject(name, value, kWanted);
  return number;
}

ProgressChoice parse_progress(std::string_view name, std::string_view value) {
  if (value == "auto") return ProgressChoice::kAuto;
  if (value == "always") return ProgressChoice::kAlways;
  if (value == "never") return ProgressChoice::kNever;
  reject(name, value, "auto, always or never is needed");
}

void apply(Options& options, std::string_view name, std::string_view value) {
  if (name == "--tolerance") {
    options.solver.tolerance = parse_double_within(name, value, 0.0, 1.0, "a number between 0 and 1 is needed");
  } else if (name == "--max-iterations") {
    options.solver.max_iterations = parse_positive(name, value);
  } else if (name == "--shift") {
    options.shift = parse_double_within(name, value, -HUGE_VAL, HUGE_VAL, "a finite number is needed");
  } else if (name == "--progress") {
    options.progress = parse_progress(name, value);
  } else if (name == "--every") {
    options.progress_every = parse_positive(name, value);
  } else {
    throw InputError("unknown option " + std::string(name) + ". See --help.");
  }
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      options.help = true;
      return options;
    }
    if (word.substr(0, 1) == "-" && word.size() > 1) {
      const std::size_t equals = std::min(word.find('='), word.size());
      apply(options, word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
    } else if (options.matrix_path.empty()) {
      options.matrix_path = word;
    } else {
      throw InputError("more than one matrix file: " + options.matrix_path + " and " + std::string(word) +
                       ". Name one. See --help.");
    }
  }
  if (options.matrix_path.empty()) throw InputError("no matrix file named. See --help.");
  return options;
}

const char* usage() {
  return R"(cg: solve a symmetric positive definite linear system by conjugate gradients

usage: mpiexec -n RANKS cg [options] MATRIX.mtx

MATRIX.mtx is a Matrix Market file: coordinate; real, integer or pattern; symmetric, or general with symmetric
content. The right-hand side is made from a known solution, so that the error of the answer can be shown.

  --tolerance=T       stop when |b - A x| / |b| is at most T          (1e-8)
  --max-iterations=N  give up after N iterations                      (10000)
  --shift=S           solve (A + S I) x = b                           (0)
  --progress=WHEN     one line that updates itself: auto (when the output is a terminal), always, never    (auto)
  --every=N           without that line, report every N iterations    (50)

exit status: 0 solved, 1 the true residual is above the tolerance, 2 the file or the command line cannot be used
)";
}

}  // namespace cg
