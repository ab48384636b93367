// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sites.hpp"

#include <fcntl.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "base/format.hpp"
#include "names.hpp"
#include "program_file.hpp"

namespace starling::symbolize {
namespace {

/// Files by their paths; null: it cannot be read.
class SiteFiles {
 public:
  ProgramFile* of(const std::string& path, const std::string& id) {
    const auto [entry, is_new] = files_.try_emplace(path);
    if (is_new) {
      const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
      if (file >= 0) entry->second = ProgramFile::open(path, file);
    }
    ProgramFile* const program = entry->second.get();
    return program != nullptr && (id == "-" || program->build_id() == id) ? program : nullptr;
  }

 private:
  std::map<std::string, std::unique_ptr<ProgramFile>> files_;
};

std::string site_text(SiteFiles& files, const std::string& question) {
  std::istringstream words(question);
  std::string address_digits, id, path;
  words >> address_digits >> id >> std::ws;
  std::getline(words, path);
  const std::uint64_t address = std::strtoull(address_digits.c_str(), nullptr, 16);
  ProgramFile* const program = address > 0 ? files.of(path, id) : nullptr;
  if (program == nullptr) return {};
  const Place& place = program->places(address - 1).front();  // the call is before what it returns to
  if (place.function.empty()) return {};
  if (place.file.empty()) return formatted("{} ({}+{:#x})", place.function, last_part(path), address);
  return formatted("{} at {}:{}", place.function, last_part(place.file), place.line);
}

}  // namespace

int print_sites() {
  SiteFiles files;
  for (std::string question; std::getline(std::cin, question);) {
    std::string text = site_text(files, question);
    for (char& each : text)
      if (each == '\n') each = ' ';
    if (std::puts(text.c_str()) < 0 || std::fflush(stdout) != 0) return 1;
  }
  return 0;
}

}  // namespace starling::symbolize
