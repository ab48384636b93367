// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "config/report.hpp"

#include <vector>

namespace starling::config {
namespace {

/// Filled by static initialisation, then only read.
std::vector<const Report*>& reports() {
  static std::vector<const Report*> list;
  return list;
}

}  // namespace

Report::Report(const char* name, Write writer) : name_(name), write_(writer) { reports().push_back(this); }

const Report* find_report(std::string_view name) {
  for (const Report* report : reports()) {
    if (report->name() == name) return report;
  }
  return nullptr;
}

}  // namespace starling::config
