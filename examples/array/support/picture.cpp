// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace starling::examples {

Picture::Picture(int width, int height) : image_(gdImageCreate(width, height), gdImageDestroy) {
  if (!image_) throw std::runtime_error("a picture needs more memory than there is");
  const auto part = [](double share) { return static_cast<int>(std::lround(255 * std::clamp(share, 0.0, 1.0))); };
  for (int i = 0; i < kQuantities; ++i) {
    const double share = 3.0 * i / (kQuantities - 1);
    quantities_[i] = gdImageColorAllocate(image_.get(), part(share), part(share - 1), part(share - 2));
  }
  constexpr int kColours[kProcesses] = {0x4477AA, 0xEE6677, 0x228833, 0xCCBB44, 0x66CCEE, 0xAA3377,
                                        0xEE7733, 0x44AA99, 0x882255, 0x999933, 0x332288, 0xBBBBBB};
  for (int i = 0; i < kProcesses; ++i) {
    const int each = kColours[i];
    processes_[i] = gdImageColorAllocate(image_.get(), each >> 16, each >> 8 & 255, each & 255);
  }
}

int Picture::of_quantity(double share) const {
  return quantities_[static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * (kQuantities - 1)))];
}

int Picture::of_process(int rank) const { return processes_[rank % kProcesses]; }

void Picture::square(const Field& field, double x, double y, double size, int colour, int line) {
  const auto pixel = [&](double share) { return static_cast<int>(std::lround(share * field.size)); };
  const int left = field.left + pixel(x);
  const int right = field.left + pixel(x + size) - 1;
  const int top = field.top + field.size - pixel(y + size);
  const int bottom = field.top + field.size - pixel(y) - 1;
  if (right < left || bottom < top) return dot(field, x, y, colour);
  gdImageFilledRectangle(image_.get(), left, top, right, bottom, colour);
  if (line >= 0) gdImageRectangle(image_.get(), left, top, right, bottom, line);
}

void Picture::dot(const Field& field, double x, double y, int colour) {
  const int across = std::min(static_cast<int>(x * field.size), field.size - 1);
  const int up = std::min(static_cast<int>(y * field.size), field.size - 1);
  gdImageSetPixel(image_.get(), field.left + across, field.top + field.size - 1 - up, colour);
}

void Picture::save(const std::string& path) const {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) throw std::runtime_error("cannot write " + path + ": does its folder exist, and may it be written?");
  gdImagePngEx(image_.get(), file.get(), 9);
}

}  // namespace starling::examples
