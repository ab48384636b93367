// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Library: the functions of libfabric.so.1 that are used here, as its public headers declare them. The library is
// opened at run time, since jobs on one node and over TCP need none; it stays open as long as the process, for its
// providers may have threads. All else of libfabric is called through the objects that these return.
// Thread safety: a value. Empty where the build has no libfabric (STARLING_OFI).
#pragma once

#ifdef STARLING_HAS_OFI

#include <rdma/fabric.h>

#include "base/status.hpp"

namespace starling::transport::ofi {

struct Library {
  decltype(&fi_getinfo) getinfo = nullptr;
  decltype(&fi_freeinfo) freeinfo = nullptr;
  decltype(&fi_dupinfo) dupinfo = nullptr;
  decltype(&fi_fabric) fabric = nullptr;
  decltype(&fi_strerror) strerror = nullptr;

  static Result<Library> open();
};

}  // namespace starling::transport::ofi

#endif
