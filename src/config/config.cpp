// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "config/config.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "base/nearest_name.hpp"

namespace starling::config {
namespace {

constexpr std::string_view kPrefix = "STARLING_";

/// STARLING_JOB_ variables are the launcher's word to its ranks (bootstrap/), not settings.
constexpr std::string_view kReservedPrefix = "JOB_";

/// What other programs of ours read, and a rank finds in its environment as well: mpicc and mpicxx.
constexpr std::string_view kOfOtherPrograms[] = {"CC", "CXX", "FC"};

constexpr CategoryText kCategories[] = {
    {"collectives", "How collective calls choose their algorithms."},
    {"shared memory", "Rings and buffers between the processes of a node."},
    {"waiting", "How a process waits."},
    {"messages", "Point-to-point messages."},
    {"process", "The process as a whole."},
    {"network", "Connections between nodes."},
};

std::vector<const Declaration*>& registry() {
  static std::vector<const Declaration*> all;
  return all;
}

std::string nearest(std::string_view name) {
  NearestName best(name);
  for (const Declaration* variable : declarations()) best.offer(variable->name());
  return std::string(kPrefix).append(best.found());
}

/// Parses an integer with an optional k, m or g; false when the text is not one or does not fit.
bool parse_integer(std::string_view text, std::int64_t* value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *value);
  if (error != std::errc()) return false;
  int shift = 0;
  if (rest != end) {
    switch (std::tolower(static_cast<unsigned char>(*rest))) {
      case 'k': shift = 10; break;
      case 'm': shift = 20; break;
      case 'g': shift = 30; break;
      default: return false;
    }
    if (rest + 1 != end) return false;
  }
  std::int64_t scaled = 0;
  if (__builtin_mul_overflow(*value, std::int64_t{1} << shift, &scaled)) return false;
  *value = scaled;
  return true;
}

bool parse_boolean(std::string_view text, std::int64_t* value) {
  for (std::string_view yes : {"1", "true", "yes", "on"}) {
    if (text == yes) return *value = 1, true;
  }
  for (std::string_view no : {"0", "false", "no", "off"}) {
    if (text == no) return *value = 0, true;
  }
  return false;
}

bool parse_real(std::string_view text, double* value) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && rest == text.data() + text.size();
}

const char* expected(VariableType type) {
  switch (type) {
    case VariableType::kInteger: return "a whole number, with k, m or g for powers of 1024";
    case VariableType::kBoolean: return "1 or 0, true or false, yes or no, on or off";
    case VariableType::kReal: return "a number";
    case VariableType::kText: break;
  }
  return "text";
}

}  // namespace

namespace internal {
std::string default_text(std::int64_t value) { return std::to_string(value); }
std::string default_text(bool value) { return value ? "1" : "0"; }
std::string default_text(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}
std::string default_text(const std::string& value) { return value; }
}  // namespace internal

std::span<const CategoryText> categories() noexcept { return kCategories; }

Declaration::Declaration(const char* name, VariableType type, std::string default_text, Category category, Scope scope,
                         const char* sentence)
    : name_(name),
      type_(type),
      default_text_(std::move(default_text)),
      category_(category),
      scope_(scope),
      sentence_(sentence),
      index_(registry().size()) {
  registry().push_back(this);
}

std::vector<const Declaration*> declarations() {
  std::vector<const Declaration*> sorted = registry();
  std::sort(sorted.begin(), sorted.end(),
            [](const Declaration* a, const Declaration* b) { return std::strcmp(a->name(), b->name()) < 0; });
  return sorted;
}

const Declaration* find(std::string_view name) {
  for (const Declaration* variable : registry()) {
    if (name == variable->name()) return variable;
  }
  return nullptr;
}

Store::Store() : values_(registry().size()) {
  for (const Declaration* variable : registry()) {
    // A default is written by us: a default that does not parse shows in every test.
    if (!assign(*variable, variable->default_text(), "default").ok()) values_[variable->index()] = {};
  }
}

Status Store::assign(const Declaration& variable, std::string_view text, const char* origin) {
  Value value{std::string(text), 0, 0, origin};
  bool good = true;
  switch (variable.type()) {
    case VariableType::kInteger: good = parse_integer(text, &value.integer); break;
    case VariableType::kBoolean: good = parse_boolean(text, &value.integer); break;
    case VariableType::kReal: good = parse_real(text, &value.real); break;
    case VariableType::kText: break;
  }
  if (!good) {
    return Status::error(ErrorClass::kArg, variable.environment_name() + "=" + std::string(text) +
                                               " is not understood: it takes " + expected(variable.type()) +
                                               " (default " + variable.default_text() + "). " + variable.sentence());
  }
  values_[variable.index()] = std::move(value);
  return {};
}

Status Store::set(std::string_view name, std::string_view text, const char* origin) {
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  const Declaration* variable = find(name);
  if (!variable) {
    return Status::error(ErrorClass::kArg, "there is no configuration variable STARLING_" + std::string(name) +
                                               "; the nearest is " + nearest(name));
  }
  return assign(*variable, text, origin);
}

Status Store::set_all(const Overrides& overrides) {
  for (const auto& [name, text] : overrides) STARLING_TRY(set(name, text));
  return {};
}

Status Store::read_environment(std::vector<std::string>* warnings) {
  for (char** entry = environ; *entry; ++entry) {
    std::string_view line(*entry);
    const std::size_t equals = line.find('=');
    if (!line.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(kPrefix.size(), equals - kPrefix.size());
    if (name.starts_with(kReservedPrefix) || std::ranges::find(kOfOtherPrograms, name) != std::end(kOfOtherPrograms)) {
      continue;
    }
    if (const Declaration* variable = find(name)) {
      STARLING_TRY(assign(*variable, line.substr(equals + 1), "environment"));
    } else if (warnings) {
      warnings->push_back("STARLING_" + std::string(name) +
                          " is not a variable of Starling and does nothing; did you mean " + nearest(name) +
                          "? 'starling info --config' lists them all.");
    }
  }
  return {};
}

std::string Store::alike() const {
  std::string lines;
  for (const Declaration* variable : declarations()) {
    if (variable->scope() != Scope::kAllAlike || text(*variable) == variable->default_text()) continue;
    lines += std::string(variable->name()) + "=" + text(*variable) + "\n";
  }
  return lines;
}

Status Store::take_alike(std::string_view lines) {
  for (const Declaration* variable : declarations()) {
    if (variable->scope() == Scope::kAllAlike) STARLING_TRY(assign(*variable, variable->default_text(), "default"));
  }
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t equals = std::min(line.find('='), line.size());
    STARLING_TRY(set(line.substr(0, equals), line.substr(std::min(equals + 1, line.size()))));
  }
  return {};
}

std::int64_t Store::get(const Variable<std::int64_t>& variable) const { return values_[variable.index()].integer; }
bool Store::get(const Variable<bool>& variable) const { return values_[variable.index()].integer != 0; }
double Store::get(const Variable<double>& variable) const { return values_[variable.index()].real; }
const std::string& Store::get(const Variable<std::string>& variable) const { return values_[variable.index()].text; }
const std::string& Store::text(const Declaration& variable) const { return values_[variable.index()].text; }
const char* Store::origin(const Declaration& variable) const { return values_[variable.index()].origin; }

}  // namespace starling::config
