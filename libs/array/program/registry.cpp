// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "registry.hpp"

#include <string_view>
#include <vector>

#include "base/format.hpp"

namespace starling::array::detail {

namespace {

// Filled before main, when no thread but the first runs.
std::vector<const MethodInfo*>& methods() {
  static std::vector<const MethodInfo*> all;
  return all;
}
std::vector<const ReducerInfo*>& reducers() {
  static std::vector<const ReducerInfo*> all;
  return all;
}

}  // namespace

std::uint32_t register_method(const MethodInfo* method) {
  methods().push_back(method);
  return static_cast<std::uint32_t>(methods().size() - 1);
}

std::uint32_t register_reducer(const ReducerInfo* reducer) {
  reducers().push_back(reducer);
  return static_cast<std::uint32_t>(reducers().size() - 1);
}

const MethodInfo& method_numbered(std::uint32_t number) { return *methods().at(number); }
const ReducerInfo& reducer_numbered(std::uint32_t number) { return *reducers().at(number); }

std::uint64_t fingerprint() {
  std::uint64_t state = methods().size() * 65537 + reducers().size();
  const auto add = [&state](const char* name) {
    const std::string_view text(name);
    state = state * 0x9e3779b97f4a7c15u + Index::hash(text.data(), text.size());
  };
  for (const MethodInfo* each : methods()) add(each->name);
  for (const ReducerInfo* each : reducers()) add(each->name);
  return state;
}

std::string readable(const char* pretty) {
  const std::string text(pretty);
  const std::size_t from = text.find(" = ");
  const std::size_t to = text.find_last_of(']');
  if (from == std::string::npos || to == std::string::npos) return text;
  std::string name = text.substr(from + 3, to - from - 3);
  if (!name.empty() && name.front() == '&') name.erase(0, 1);
  // g++ writes a method as (Cell::exchange, void (Cell::*)(int)), or as Cell::exchange
  const std::size_t semicolon = name.find(';');
  return semicolon == std::string::npos ? name : name.substr(0, semicolon);
}

std::string method_name(std::uint32_t number) {
  if (number == kDestroyMethod) return "destroy";
  if (number == kMoveMethod) return "migrate_to";
  if (number == kOrderedMethod) return "a message in order";
  if (number == kSectionMethod || number == kLeaveMethod) return "a broadcast to a section";
  if (number == kJoinMethod) return "the news that it is in a section";
  if (number == kMarkMethod) return "the mark of a collection";
  return readable(method_numbered(number).name);
}

void finish_reading(const Archive& archive) {
  if (archive.left() == 0) return;
  throw ArchiveError(
      formatted("its serialize leaves {} bytes that were written unread: it must read what it wrote, in the same order",
                archive.left()));
}

}  // namespace starling::array::detail
