// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SiteNames: what lies at addresses of programs, from a helper (starling-symbolize --sites) that runs as long as it is
// asked. Where the helper is missing, dies or is too slow nothing has a name.
// Thread safety: none.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/descriptor.hpp"
#include "trace/model/site_namer.hpp"

namespace starling::launch {

class SiteNames {
 public:
  SiteNames() = default;
  ~SiteNames();
  SiteNames(const SiteNames&) = delete;
  SiteNames& operator=(const SiteNames&) = delete;

  /// As a trace::SiteNamer says it.
  std::string name_of(const trace::SiteAddress& site);
  /// Asks this object, which outlives it.
  [[nodiscard]] trace::SiteNamer namer() {
    return [this](const trace::SiteAddress& site) { return name_of(site); };
  }

 private:
  [[nodiscard]] bool start();
  [[nodiscard]] bool ask(const std::string& line, std::string* answer);
  void end();

  Descriptor helper_;  ///< its standard input and output
  pid_t process_ = 0;
  bool started_ = false;
};

}  // namespace starling::launch
