// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

namespace cg {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// Cuts the first word off the text; empty at its end.
std::string_view take_word(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) {
    text = {};
    return {};
  }
  const std::size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

std::string lower(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string quoted(std::string_view word) {
  std::string out = "'";
  out.append(word).append("'");
  return out;
}

// std::from_chars knows no plus sign; the format allows one.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

}  // namespace

MatrixMarketReader::MatrixMarketReader(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "rb"), &std::fclose) {
  if (!file_) {
    throw InputError("cannot open matrix file " + quoted(path) + ": " + std::strerror(errno) +
                     ". Give the path of a Matrix Market file that rank 0 can read.");
  }
  read_banner();
  read_size();
}

void MatrixMarketReader::fail(const std::string& what) const {
  throw InputError(path_ + ":" + std::to_string(line_number_) + ": " + what);
}

bool MatrixMarketReader::read_line() {
  buffer_.clear();
  char piece[4096];
  while (std::fgets(piece, sizeof piece, file_.get()) != nullptr) {
    buffer_ += piece;
    if (buffer_.back() == '\n') break;
  }
  if (std::ferror(file_.get()) != 0) fail(std::string("the file could not be read: ") + std::strerror(errno));
  if (buffer_.empty()) return false;
  ++line_number_;
  line_ = buffer_;
  return true;
}

bool MatrixMarketReader::read_data_line() {
  while (read_line()) {
    const std::size_t first = line_.find_first_not_of(kSpaces);
    if (first != std::string_view::npos && line_[first] != '%') return true;
  }
  return false;
}

void MatrixMarketReader::read_banner() {
  if (!read_line()) fail("the file is empty; it should begin with '%%MatrixMarket matrix coordinate real symmetric'.");
  if (line_.substr(0, 2) == "\x1f\x8b") fail("the file is compressed with gzip; unpack it first (gunzip).");
  if (lower(take_word(line_)) != "%%matrixmarket") {
    fail("this is no Matrix Market file: its first line does not begin with '%%MatrixMarket'.");
  }
  const std::string object = lower(take_word(line_));
  const std::string format = lower(take_word(line_));
  const std::string field = lower(take_word(line_));
  const std::string symmetry = lower(take_word(line_));
  if (object != "matrix") fail("the file holds a " + quoted(object) + ", not a matrix.");
  if (format != "coordinate") {
    fail("the storage format is " + quoted(format) + "; only sparse 'coordinate' files can be read.");
  }
  if (field == "real" || field == "double") {
    header_.field = Field::kReal;
  } else if (field == "integer") {
    header_.field = Field::kInteger;
  } else if (field == "pattern") {
    header_.field = Field::kPattern;
  } else {
    fail("the entries are " + quoted(field) + "; this solver takes 'real', 'integer' or 'pattern'.");
  }
  if (symmetry == "symmetric") {
    header_.symmetry = Symmetry::kSymmetric;
  } else if (symmetry == "general") {
    header_.symmetry = Symmetry::kGeneral;
  } else {
    fail("the matrix is " + quoted(symmetry) + "; conjugate gradients need a 'symmetric' one.");
  }
}

void MatrixMarketReader::read_size() {
  if (!read_data_line()) fail("the file ends before the line with the rows, columns and entries of the matrix.");
  const std::int64_t rows = parse_integer(take_word(line_), "the number of rows");
  const std::int64_t columns = parse_integer(take_word(line_), "the number of columns");
  const std::int64_t entries = parse_integer(take_word(line_), "the number of entries");
  if (!take_word(line_).empty()) fail("the size line holds more than rows, columns and entries.");
  if (rows != columns) {
    fail("the matrix is " + std::to_string(rows) + " by " + std::to_string(columns) +
         "; a symmetric matrix is square.");
  }
  if (rows < 1) fail("the matrix has no rows.");
  if (entries < 0) fail("the number of entries is negative.");
  header_.rows = rows;
  header_.entries = entries;
}

std::optional<Entry> MatrixMarketReader::next() {
  const bool more = read_data_line();
  if (entries_read_ == header_.entries) {
    if (more) fail("the file holds more than the " + std::to_string(header_.entries) + " entries it announces.");
    return std::nullopt;
  }
  if (!more) {
    fail("the file ends after " + std::to_string(entries_read_) + " of " + std::to_string(header_.entries) +
         " entries; it is truncated.");
  }
  Entry entry;
  entry.row = parse_index(take_word(line_), "row");
  entry.column = parse_index(take_word(line_), "column");
  entry.value = header_.field == Field::kPattern ? 1.0 : parse_value(take_word(line_));
  if (!take_word(line_).empty()) fail("the line holds more than one entry.");
  if (header_.symmetry == Symmetry::kSymmetric) check_triangle(entry);
  ++entries_read_;
  return entry;
}

// The format stores the lower triangle; many writers store the upper one, which means the same. Both at once would
// count entries twice.
void MatrixMarketReader::check_triangle(const Entry& entry) {
  if (entry.row == entry.column) return;
  const Triangle side = entry.row > entry.column ? Triangle::kLower : Triangle::kUpper;
  if (triangle_ == Triangle::kUnknown) triangle_ = side;
  if (side != triangle_) {
    fail(
        "a 'symmetric' file holds one triangle, but this one holds entries on both sides of the diagonal; "
        "if it means the whole matrix, its first line must say 'general'.");
  }
}

std::int64_t MatrixMarketReader::parse_integer(std::string_view token, const char* what) const {
  const std::string_view digits = without_plus(token);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (token.empty()) fail(std::string(what) + " is missing.");
  if (error != std::errc() || end != digits.data() + digits.size()) {
    fail(std::string(what) + " is " + quoted(token) + ", which is not a whole number.");
  }
  return number;
}

std::int64_t MatrixMarketReader::parse_index(std::string_view token, const char* what) const {
  const std::int64_t index = parse_integer(token, what);
  if (index < 1 || index > header_.rows) {
    fail(std::string(what) + " " + std::to_string(index) + " is outside 1 to " + std::to_string(header_.rows) + ".");
  }
  return index - 1;
}

double MatrixMarketReader::parse_value(std::string_view token) const {
  const std::string_view digits = without_plus(token);
  double number = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (token.empty()) fail("the value of the entry is missing.");
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(number)) {
    fail("the value " + quoted(token) + " is not a finite number.");
  }
  return number;
}

}  // namespace cg
