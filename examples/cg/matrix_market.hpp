// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reader of symmetric matrices in the Matrix Market exchange format, one entry at a time, so that the file is never
// whole in memory.
// Thread safety: one reader, one thread.
// Invariants: every entry returned has both indices in [0, rows) and a finite value; exactly header().entries entries
// come, or InputError is thrown with the file and the line.
// Source: Boisvert, Pozo, Remington: The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "input_error.hpp"

namespace cg {

// One stored entry; indices count from zero.
struct Entry {
  std::int64_t row = 0;
  std::int64_t column = 0;
  double value = 0.0;
};

enum class Field { kReal, kInteger, kPattern };

// kSymmetric: the file holds one triangle and each entry stands for two. kGeneral: it holds both.
enum class Symmetry { kGeneral, kSymmetric };

struct MatrixMarketHeader {
  Field field = Field::kReal;
  Symmetry symmetry = Symmetry::kGeneral;
  std::int64_t rows = 0;
  std::int64_t entries = 0;
};

class MatrixMarketReader {
 public:
  // Opens the file and reads its header.
  explicit MatrixMarketReader(const std::string& path);

  [[nodiscard]] const MatrixMarketHeader& header() const { return header_; }

  // The next stored entry, or nothing after the last. A pattern's entries have the value 1.
  [[nodiscard]] std::optional<Entry> next();

 private:
  enum class Triangle { kUnknown, kLower, kUpper };

  void read_banner();
  void read_size();
  bool read_line();
  bool read_data_line();
  void check_triangle(const Entry& entry);
  std::int64_t parse_integer(std::string_view token, const char* what) const;
  double parse_value(std::string_view token) const;
  std::int64_t parse_index(std::string_view token, const char* what) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string buffer_;
  std::string_view line_;
  std::int64_t line_number_ = 0;
  std::int64_t entries_read_ = 0;
  Triangle triangle_ = Triangle::kUnknown;
  MatrixMarketHeader header_;
};

}  // namespace cg
