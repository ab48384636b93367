// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Configuration variables: declared once, beside their use.
//
//   STARLING_CONFIG(ring_slots, "SHM_RING_SLOTS", std::int64_t, 128, kSharedMemory, kProcess,
//                   "Postboxes in the ring of one connection.");
//   ...
//   std::int64_t slots = config.get(ring_slots);
//
// declares a typed variable read from STARLING_SHM_RING_SLOTS, its Category and its Scope. The declarations form one
// immutable list that `starling info --config`, the reference page and MPI_T print. Values live in a Store, one for
// each World, never in a global. Sizes take the suffixes k, m, g (powers of 1024).
//
// Thread safety: declarations are immutable after static initialisation; a Store is written by its World only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"

namespace starling::config {

enum class VariableType : std::uint8_t { kInteger, kBoolean, kReal, kText };

/// Who may have a value of its own, and when it may change.
enum class Scope : std::uint8_t {
  kProcess,   ///< each process, set before MPI starts
  kAllAlike,  ///< nobody: the processes of a communicator need the same, else their collective calls do not fit
  kAnyTime,   ///< each process, also while the program runs
};

/// What a variable is about: the group in which MPI_T and the reference page show it.
enum class Category : std::uint8_t { kCollectives, kSharedMemory, kWaiting, kMessages, kProcess, kNetwork };
struct CategoryText {
  const char* name;
  const char* sentence;
};
/// In the order of Category.
[[nodiscard]] std::span<const CategoryText> categories() noexcept;

/// A declared variable. Everything in it is a literal, so it may be read at any time.
class Declaration {
 public:
  Declaration(const char* name, VariableType type, std::string default_text, Category category, Scope scope,
              const char* sentence);
  Declaration(const Declaration&) = delete;
  Declaration& operator=(const Declaration&) = delete;

  [[nodiscard]] const char* name() const noexcept { return name_; }  ///< without STARLING_
  [[nodiscard]] std::string environment_name() const { return std::string("STARLING_") + name_; }
  [[nodiscard]] VariableType type() const noexcept { return type_; }
  [[nodiscard]] const std::string& default_text() const noexcept { return default_text_; }
  [[nodiscard]] const char* sentence() const noexcept { return sentence_; }
  [[nodiscard]] Category category() const noexcept { return category_; }
  [[nodiscard]] Scope scope() const noexcept { return scope_; }
  /// While the program runs.
  [[nodiscard]] bool may_change() const noexcept { return scope_ == Scope::kAnyTime; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }

 private:
  const char* name_;
  VariableType type_;
  std::string default_text_;
  Category category_;
  Scope scope_;
  const char* sentence_;
  std::size_t index_;
};

/// All declarations of the program, in order of name.
[[nodiscard]] std::vector<const Declaration*> declarations();

/// The declaration of a name without STARLING_; null when there is none.
[[nodiscard]] const Declaration* find(std::string_view name);

namespace internal {
template <typename T>
struct TypeOf;
template <>
struct TypeOf<std::int64_t> {
  static constexpr VariableType kType = VariableType::kInteger;
};
template <>
struct TypeOf<bool> {
  static constexpr VariableType kType = VariableType::kBoolean;
};
template <>
struct TypeOf<double> {
  static constexpr VariableType kType = VariableType::kReal;
};
template <>
struct TypeOf<std::string> {
  static constexpr VariableType kType = VariableType::kText;
};
std::string default_text(std::int64_t value);
std::string default_text(bool value);
std::string default_text(double value);
std::string default_text(const std::string& value);
}  // namespace internal

/// A declared variable of type T: std::int64_t, bool, double or std::string.
template <typename T>
class Variable : public Declaration {
 public:
  Variable(const char* name, const T& default_value, Category category, Scope scope, const char* sentence)
      : Declaration(name, internal::TypeOf<T>::kType, internal::default_text(default_value), category, scope,
                    sentence) {}
};

/// Values that a program gives to variables: name, with or without STARLING_, and text.
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// The values of one World: the defaults, overridden by the environment or by a test.
class Store {
 public:
  Store();

  /// Reads every STARLING_ variable of the environment. A value that does not parse is an error that names the
  /// variable; an unknown name yields a warning with the nearest known one, appended to warnings.
  Status read_environment(std::vector<std::string>* warnings);

  /// Sets one variable by its name, with or without STARLING_. origin: a word that lives as long as the program.
  Status set(std::string_view name, std::string_view text, const char* origin = "set");
  Status set_all(const Overrides& overrides);

  /// The variables of Scope::kAllAlike that are not at their default, as lines "NAME=VALUE".
  [[nodiscard]] std::string alike() const;
  /// Takes the variables of Scope::kAllAlike from such lines; those that are not there get their default.
  Status take_alike(std::string_view lines);

  [[nodiscard]] std::int64_t get(const Variable<std::int64_t>& variable) const;
  [[nodiscard]] bool get(const Variable<bool>& variable) const;
  [[nodiscard]] double get(const Variable<double>& variable) const;
  [[nodiscard]] const std::string& get(const Variable<std::string>& variable) const;

  /// The value as text, and where it came from: "default", "environment", "file" or "set".
  [[nodiscard]] const std::string& text(const Declaration& variable) const;
  [[nodiscard]] const char* origin(const Declaration& variable) const;

 private:
  struct Value {
    std::string text;
    std::int64_t integer = 0;
    double real = 0;
    const char* origin = "default";
  };
  Status assign(const Declaration& variable, std::string_view text, const char* origin);

  std::vector<Value> values_;
};

}  // namespace starling::config

/// Declares a configuration variable `id` read from STARLING_<name>, of Category::category and Scope::scope. Use at
/// namespace scope in one .cpp file.
#define STARLING_CONFIG(id, name, type, default_value, category, scope, sentence)                           \
  static const ::starling::config::Variable<type> id {                                                      \
    name, default_value, ::starling::config::Category::category, ::starling::config::Scope::scope, sentence \
  }
