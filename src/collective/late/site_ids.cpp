// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/late/site_ids.hpp"

#include <dlfcn.h>

#include <string_view>

namespace starling::collective {

std::uint64_t SiteIds::look_up(const void* address) noexcept {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return 1;
  std::string_view file = info.dli_fname;
  file.remove_prefix(file.find_last_of('/') + 1);  // none: npos + 1 is 0
  std::uint64_t id = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  for (const char letter : file) id = (id ^ static_cast<unsigned char>(letter)) * kMix;
  return id | 1;
}

}  // namespace starling::collective
