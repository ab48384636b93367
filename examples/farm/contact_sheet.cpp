// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A folder of images to thumbnails and one sheet of all. An image that cannot be read goes into quarantine; the others
// are on the sheet.
//
// usage: contact_sheet FOLDER OUT [--farm-...]    writes OUT/<name>.png for each image and OUT/sheet.png
#include <gd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <starling/farm.hpp>

#include "main.hpp"

namespace {

constexpr int kWidth = 160;
constexpr int kHeight = 120;
constexpr int kGap = 8;

using Image = std::unique_ptr<gdImage, decltype(&gdImageDestroy)>;

struct Thumbnail {
  std::string path;
  int width = 0;
  std::vector<int> colours;  // row by row
  template <class Archive>
  void serialize(Archive& archive) {
    archive(path, width, colours);
  }
};

void save(gdImagePtr image, const std::filesystem::path& path) {
  if (gdImageFile(image, path.c_str()) == 0) throw std::runtime_error("cannot write " + path.string());
}

Thumbnail shrink(const std::string& path, const std::filesystem::path& out) {
  const Image image(gdImageCreateFromFile(path.c_str()), gdImageDestroy);
  if (!image) throw std::runtime_error("cannot read the image " + path);
  const double scale =
      std::min({1.0, double(kWidth) / gdImageSX(image.get()), double(kHeight) / gdImageSY(image.get())});
  const int width = std::max(1, static_cast<int>(gdImageSX(image.get()) * scale));
  const int height = std::max(1, static_cast<int>(gdImageSY(image.get()) * scale));
  const Image small(gdImageCreateTrueColor(width, height), gdImageDestroy);
  gdImageCopyResampled(small.get(), image.get(), 0, 0, 0, 0, width, height, gdImageSX(image.get()),
                       gdImageSY(image.get()));
  save(small.get(), out / (std::filesystem::path(path).stem().string() + ".png"));
  Thumbnail thumbnail{path, width, {}};
  for (int i = 0; i < width * height; ++i) {
    thumbnail.colours.push_back(gdImageGetTrueColorPixel(small.get(), i % width, i / width));
  }
  return thumbnail;
}

void make_sheet(const std::vector<Thumbnail>& all, const std::filesystem::path& path) {
  int columns = 1;
  while (columns * columns < static_cast<int>(all.size())) ++columns;
  const int rows = std::max(1, (static_cast<int>(all.size()) + columns - 1) / columns);
  const Image sheet(gdImageCreateTrueColor(columns * (kWidth + kGap) + kGap, rows * (kHeight + kGap) + kGap),
                    gdImageDestroy);
  for (int place = 0; place < static_cast<int>(all.size()); ++place) {
    const Thumbnail& thumbnail = all[static_cast<std::size_t>(place)];
    const int left = kGap + place % columns * (kWidth + kGap);
    const int top = kGap + place / columns * (kHeight + kGap);
    for (int i = 0; i < static_cast<int>(thumbnail.colours.size()); ++i) {
      gdImageSetPixel(sheet.get(), left + i % thumbnail.width, top + i / thumbnail.width,
                      thumbnail.colours[static_cast<std::size_t>(i)]);
    }
  }
  save(sheet.get(), path);
}

}  // namespace

int run(int argc, char** argv) {
  starling::farm::Options options(argc, argv);
  if (argc != 3) {
    std::fputs("usage: contact_sheet FOLDER OUT [--farm-...]\n", stderr);
    return 3;
  }
  const std::filesystem::path out = argv[2];
  std::filesystem::create_directories(out);
  options.order = starling::farm::Order::kInput;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  options.expected = paths.size();
  std::size_t next = 0;
  const auto input = [&]() -> std::optional<std::string> {
    return next < paths.size() ? std::optional(paths[next++]) : std::nullopt;
  };
  std::vector<Thumbnail> all;
  const auto summary = starling::farm::run(
      options, input, [out](const std::string& path) { return shrink(path, out); },
      [&](Thumbnail thumbnail) { all.push_back(std::move(thumbnail)); });
  if (summary.output) make_sheet(all, out / "sheet.png");
  return summary.exit_code();
}
