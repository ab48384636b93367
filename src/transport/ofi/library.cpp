// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/library.hpp"

#ifdef STARLING_HAS_OFI

#include <dlfcn.h>

#include "base/format.hpp"

namespace starling::transport::ofi {
namespace {

constexpr const char* kLibrary = "libfabric.so.1";

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<Library> Library::open() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Status::error(ErrorClass::kOther,
                         formatted("STARLING_NET=ofi needs libfabric, which is not on this host: {}. Install it, on "
                                   "Debian by the package libfabric1, or take STARLING_NET=tcp",
                                   dlerror()));
  }
  Library found;
  const bool complete = find(library, "fi_getinfo", found.getinfo) && find(library, "fi_freeinfo", found.freeinfo) &&
                        find(library, "fi_dupinfo", found.dupinfo) && find(library, "fi_fabric", found.fabric) &&
                        find(library, "fi_strerror", found.strerror);
  if (complete) return found;
  return Status::error(ErrorClass::kOther, formatted("{} lacks functions of libfabric: {}", kLibrary, dlerror()));
}

}  // namespace starling::transport::ofi

#endif
