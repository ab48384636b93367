// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Picture: a PNG with one scale of colours for quantities and one colour for each process.
//
// **Thread safety**: none. **Invariants**: what lies outside is cut off; a file that cannot be written throws
// std::runtime_error.
#pragma once

#include <gd.h>

#include <memory>
#include <string>

namespace starling::examples {

/// The square of a picture that is drawn into; its coordinates go from 0 to 1, y upwards.
struct Field {
  int left = 0;
  int top = 0;
  int size = 0;
};

class Picture {
 public:
  Picture(int width, int height);

  /// The colour of a quantity from 0 to 1: black, red, yellow, white.
  int of_quantity(double share) const;
  int of_process(int rank) const;
  int black() const { return of_quantity(0); }
  int white() const { return of_quantity(1); }

  /// The square with its lower left corner at (x, y); `line` frames it unless it is negative.
  void square(const Field& field, double x, double y, double size, int colour, int line = -1);
  void dot(const Field& field, double x, double y, int colour);
  void save(const std::string& path) const;

 private:
  static constexpr int kQuantities = 200;
  static constexpr int kProcesses = 12;

  std::unique_ptr<gdImage, decltype(&gdImageDestroy)> image_;
  int quantities_[kQuantities];
  int processes_[kProcesses];
};

}  // namespace starling::examples
