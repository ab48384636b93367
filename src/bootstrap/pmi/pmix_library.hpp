// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PmixLibrary: the functions of libpmix.so.2 that are used here, as its public header declares them. The library is
// opened at run time, since jobs of our own launcher need none; it stays open as long as the process, for it has a
// thread. Thread safety: a value. Empty where the build has no PMIx (STARLING_PMIX).
#pragma once

#ifdef STARLING_HAS_PMIX

#include <pmix.h>

#include "base/status.hpp"

namespace starling::bootstrap {

struct PmixLibrary {
  decltype(&PMIx_Init) init = nullptr;
  decltype(&PMIx_Finalize) finalize = nullptr;
  decltype(&PMIx_Abort) abort = nullptr;
  decltype(&PMIx_Put) put = nullptr;
  decltype(&PMIx_Commit) commit = nullptr;
  decltype(&PMIx_Fence_nb) fence_nb = nullptr;
  decltype(&PMIx_Get) get = nullptr;
  decltype(&PMIx_Error_string) error_string = nullptr;

  static Result<PmixLibrary> open();
};

}  // namespace starling::bootstrap

#endif
