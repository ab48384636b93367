// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Error classes and codes: those of the standard with their names and texts, and those that the user adds.
// Thread safety: the standard's are constants; a registry needs its Context's lock.
// Invariants: the standard's codes are their classes; user codes are above MPI_ERR_LASTCODE; a class counts as a code.
// Source: MPI-5.0, chapters 9.4 and 9.5.
#pragma once

#include <map>
#include <string>

namespace starling::mpi {

/// "MPI_ERR_COUNT"; null when the standard has no such class.
[[nodiscard]] const char* error_name(int error_class) noexcept;
/// What the class means, as a sentence without its full stop.
[[nodiscard]] const char* error_sentence(int error_class) noexcept;

class ErrorRegistry {
 public:
  ErrorRegistry();

  [[nodiscard]] int add_class();
  [[nodiscard]] int add_code(int error_class);
  /// False: not an error that the user has added.
  bool set_text(int code, std::string text);
  /// Why something cannot be removed.
  enum class Removed { kDone, kUnknown, kInUse };
  Removed remove_class(int error_class);
  Removed remove_code(int code);
  Removed remove_text(int code);

  /// The class of a code of the standard's or the user's, or -1.
  [[nodiscard]] int class_of(int code) const;
  /// "MPI_ERR_COUNT: ...", the user's text, or a sentence that the code is unknown.
  [[nodiscard]] std::string text(int code) const;
  [[nodiscard]] int last_used() const noexcept { return last_used_; }

 private:
  struct Added {
    int error_class;
    std::string text;
  };
  int add(int error_class);

  std::map<int, Added> added_;
  int last_used_;
};

}  // namespace starling::mpi
