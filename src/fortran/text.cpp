// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/text.hpp"

#include <algorithm>
#include <cstring>

namespace starling::fortran {

std::string text(const char* given, std::size_t length) {
  while (length > 0 && given[length - 1] == ' ') --length;
  return {given, length};
}

std::string trimmed_text(const char* given, std::size_t length) {
  std::string whole = text(given, length);
  whole.erase(0, std::min(whole.find_first_not_of(' '), whole.size()));
  return whole;
}

void give_text(const char* text, char* target, std::size_t length) {
  const std::size_t copied = std::min(std::strlen(text), length);
  std::memcpy(target, text, copied);
  std::memset(target + copied, ' ', length - copied);
}

}  // namespace starling::fortran
