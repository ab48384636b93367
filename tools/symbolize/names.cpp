// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace starling::symbolize {

namespace {

/// A template's name begins with the type of its result: "void solve<double>".
std::string without_result(const std::string& name) {
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    const char c = name[at];
    if (c == '>' || c == ')' || c == '}') ++depth;
    if (c == '<' || c == '(' || c == '{') --depth;
    if (c == ' ' && depth == 0 && name.find("operator") == std::string::npos) return name.substr(at + 1);
  }
  return name;
}

}  // namespace

std::string readable_name(const char* symbol) {
  int failure = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &failure), std::free);
  return failure == 0 ? text.get() : symbol;
}

std::string without_parameters(std::string name) {
  if (const std::size_t version = name.find("@@"); version != std::string::npos) name.resize(version);
  const std::size_t end = name.rfind(')');
  if (end == std::string::npos) return name;
  const std::string_view behind = std::string_view(name).substr(end + 1);
  if (!behind.empty() && behind != " const" && behind != " volatile" && !behind.starts_with(" [clone")) return name;
  int depth = 0;
  for (std::size_t at = end + 1; at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] != '(' || --depth > 0) continue;
    if (at == 0 || std::string_view(name).substr(0, at).ends_with("operator")) return name;
    name.resize(at);
    return without_result(name);
  }
  return name;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace starling::symbolize
