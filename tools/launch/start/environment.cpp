// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/environment.hpp"

#include <algorithm>
#include <cstdlib>
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

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

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

bool describes_host(std::string_view name) {
  constexpr std::string_view kNames[] = {"HOSTNAME", "HOST",   "HOME",    "USER",       "LOGNAME",        "SHELL",
                                         "MAIL",     "TMPDIR", "DISPLAY", "XAUTHORITY", "TERM_SESSION_ID"};
  constexpr std::string_view kBeginnings[] = {"SSH_", "XDG_", "DBUS_", "WAYLAND_", "SLURM", "SUDO_"};
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kBeginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

std::vector<std::string> environment_for_other_hosts() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) {
    if (!belongs_to_outer_job(*entry) && !describes_host(name_of(*entry))) entries.emplace_back(*entry);
  }
  return entries;
}

void adopt_environment(const std::vector<std::string>& entries) {
  std::vector<std::string> all = entries;
  for (char** entry = environ; *entry; ++entry) {
    if (describes_host(name_of(*entry))) all.emplace_back(*entry);
  }
  clearenv();
  for (const std::string& entry : all) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    if (equals < entry.size()) setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
  }
}

}  // namespace starling::launch
