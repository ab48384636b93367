// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/pmi/pmix_library.hpp"

#ifdef STARLING_HAS_PMIX

#include <dlfcn.h>

#include "base/format.hpp"

namespace starling::bootstrap {
namespace {

constexpr const char* kLibrary = "libpmix.so.2";

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<PmixLibrary> PmixLibrary::open() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Status::error(ErrorClass::kOther,
                         formatted("{}. Install PMIx's library, on Debian the package libpmix2", dlerror()));
  }
  PmixLibrary pmix;
  const bool complete = find(library, "PMIx_Init", pmix.init) && find(library, "PMIx_Finalize", pmix.finalize) &&
                        find(library, "PMIx_Abort", pmix.abort) && find(library, "PMIx_Put", pmix.put) &&
                        find(library, "PMIx_Commit", pmix.commit) && find(library, "PMIx_Fence_nb", pmix.fence_nb) &&
                        find(library, "PMIx_Get", pmix.get) && find(library, "PMIx_Error_string", pmix.error_string);
  if (complete) return pmix;
  return Status::error(ErrorClass::kOther, formatted("{} lacks functions of PMIx: {}", kLibrary, dlerror()));
}

}  // namespace starling::bootstrap

#endif
