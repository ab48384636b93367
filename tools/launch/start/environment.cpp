// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/environment.hpp"

#include <algorithm>
#include <string_view>

#include "bootstrap/environment.hpp"

extern char** environ;

namespace starling::launch {
namespace {

bool assigns(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

bool belongs_to_outer_job(std::string_view entry) {
  return std::any_of(std::begin(bootstrap::kJobVariables), std::end(bootstrap::kJobVariables),
                     [&](const char* name) { return assigns(entry, name); });
}

}  // namespace

Environment Environment::inherited(bool empty) {
  Environment environment;
  if (empty) return environment;
  for (char** entry = environ; *entry; ++entry) {
    if (!belongs_to_outer_job(*entry)) environment.entries_.emplace_back(*entry);
  }
  return environment;
}

void Environment::set(const std::string& name, const std::string& value) {
  std::string entry = name + "=" + value;
  for (std::string& existing : entries_) {
    if (assigns(existing, name)) {
      existing = std::move(entry);
      return;
    }
  }
  entries_.push_back(std::move(entry));
}

void Environment::set_all(const std::vector<EnvironmentSetting>& settings) {
  for (const EnvironmentSetting& setting : settings) set(setting.name, setting.value);
}

char* const* Environment::pointers() {
  pointers_.clear();
  for (std::string& entry : entries_) pointers_.push_back(entry.data());
  pointers_.push_back(nullptr);
  return pointers_.data();
}

}  // namespace starling::launch
