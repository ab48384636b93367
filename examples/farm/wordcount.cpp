// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The most frequent words of a folder of text: a chain of two kernels, of which the first reads a file and the second
// counts.
//
// usage: wordcount FOLDER [--farm-...]
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <starling/farm.hpp>

#include "main.hpp"

namespace {

using Counts = std::unordered_map<std::string, long>;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Counts count(const std::string& text) {
  Counts counts;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      ++counts[word];
      word.clear();
    }
  }
  return counts;
}

void print(const Counts& counts) {
  std::vector<std::pair<long, std::string>> sorted;
  for (const auto& [word, number] : counts) sorted.emplace_back(-number, word);
  std::sort(sorted.begin(), sorted.end());
  if (sorted.size() > 10) sorted.resize(10);
  for (const auto& [number, word] : sorted) std::printf("%8ld %s\n", -number, word.c_str());
}

}  // namespace

int run(int argc, char** argv) {
  const starling::farm::Options options(argc, argv);
  if (argc != 2) {
    std::fputs("usage: wordcount FOLDER [--farm-...]\n", stderr);
    return 3;
  }
  std::filesystem::recursive_directory_iterator next(argv[1]);
  const auto input = [&]() -> std::optional<std::string> {
    for (; next != std::filesystem::end(next); ++next) {
      if (!next->is_regular_file()) continue;
      const std::string path = next->path();
      ++next;
      return path;
    }
    return std::nullopt;
  };
  Counts total;
  const auto output = [&](const Counts& counts) {
    for (const auto& [word, number] : counts) total[word] += number;
  };
  const auto summary = starling::farm::run(options, input, starling::farm::chain(text_of, count), output);
  if (summary.output) print(total);
  return summary.exit_code();
}
