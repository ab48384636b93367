// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The Mandelbrot set as a PNG, in tiles of very uneven cost.
//
// usage: mandelbrot WIDTH HEIGHT FILE.png [ITERATIONS] [--farm-...]
#include <gd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <starling/farm.hpp>
#include <vector>

#include "main.hpp"

namespace {

constexpr int kTile = 32;

struct View {
  int width;
  int height;
  int iterations;
};

struct Tile {
  int left = 0;
  int top = 0;
  std::vector<int> colours;  // row by row, 0xRRGGBB
  template <class Archive>
  void serialize(Archive& archive) {
    archive(left, top, colours);
  }
};

int colour_at(const View& view, int x, int y) {
  const double scale = 3.0 / view.width;
  const std::complex<double> c((x - 0.7 * view.width) * scale, (y - 0.5 * view.height) * scale);
  std::complex<double> z = c;
  for (int i = 1; i < view.iterations; ++i, z = z * z + c) {
    if (std::norm(z) <= 16) continue;
    const double share = std::sqrt(static_cast<double>(i) / view.iterations);
    return gdTrueColor(static_cast<int>(255 * share), static_cast<int>(180 * share * share),
                       static_cast<int>(90 * (1 - share)));
  }
  return 0;
}

Tile compute(const View& view, Tile tile) {
  for (int y = tile.top; y < std::min(tile.top + kTile, view.height); ++y) {
    for (int x = tile.left; x < std::min(tile.left + kTile, view.width); ++x)
      tile.colours.push_back(colour_at(view, x, y));
  }
  return tile;
}

void paste(gdImagePtr image, const Tile& tile) {
  const int width = std::min(kTile, gdImageSX(image) - tile.left);
  for (int i = 0; i < static_cast<int>(tile.colours.size()); ++i) {
    gdImageSetPixel(image, tile.left + i % width, tile.top + i / width, tile.colours[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

int run(int argc, char** argv) {
  starling::farm::Options options(argc, argv);
  if (argc < 4) {
    std::fputs("usage: mandelbrot WIDTH HEIGHT FILE.png [ITERATIONS] [--farm-...]\n", stderr);
    return 3;
  }
  const View view{std::max(1, std::atoi(argv[1])), std::max(1, std::atoi(argv[2])),
                  argc > 4 ? std::atoi(argv[4]) : 2000};
  const int columns = (view.width + kTile - 1) / kTile;
  const int tiles = columns * ((view.height + kTile - 1) / kTile);
  options.expected = static_cast<std::uint64_t>(tiles);
  const std::unique_ptr<gdImage, decltype(&gdImageDestroy)> image(gdImageCreateTrueColor(view.width, view.height),
                                                                  gdImageDestroy);
  int next = 0;
  const auto input = [&]() -> std::optional<Tile> {
    if (next == tiles) return std::nullopt;
    const int number = next++;
    return Tile{number % columns * kTile, number / columns * kTile, {}};
  };
  const auto summary = starling::farm::run(
      options, input, [view](const Tile& tile) { return compute(view, tile); },
      [&](const Tile& tile) { paste(image.get(), tile); });
  if (!summary.output) return summary.exit_code();
  std::FILE* file = std::fopen(argv[3], "wb");
  if (file == nullptr) {
    std::perror(argv[3]);
    return 3;
  }
  gdImagePng(image.get(), file);
  std::fclose(file);
  return summary.exit_code();
}
