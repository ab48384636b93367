// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/settings/amode.hpp"

#include <fcntl.h>

#include <string>

#include "base/status.hpp"

namespace starling::io {
namespace {

constexpr int kAccesses = kReadOnly | kReadWrite | kWriteOnly;
constexpr int kKnownModes = kAppend | kCreate | kDeleteOnClose | kExclusive | kSequential | kUniqueOpen | kAccesses;

Status wrong(const std::string& why) { return Status::error(ErrorClass::kAmode, "amode " + why); }

}  // namespace

Status check_amode(int amode) {
  if ((amode & ~kKnownModes) != 0)
    return wrong("has bits that are no access mode; combine MPI_MODE_ constants of files with |");
  const int access = amode & kAccesses;
  if (access != kReadOnly && access != kReadWrite && access != kWriteOnly) {
    return wrong("must have exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY");
  }
  if (access == kReadOnly && (amode & (kCreate | kExclusive)) != 0) {
    return wrong("has MPI_MODE_RDONLY together with MPI_MODE_CREATE or MPI_MODE_EXCL; a file is created for writing");
  }
  if (access == kReadWrite && (amode & kSequential) != 0) {
    return wrong("has MPI_MODE_RDWR together with MPI_MODE_SEQUENTIAL; a sequential file is read or written");
  }
  return {};
}

Status check_writable(int amode) {
  if ((amode & kReadOnly) == 0) return {};
  return Status::error(ErrorClass::kReadOnly, "the file was opened with MPI_MODE_RDONLY");
}

int open_flags(int amode, Opener opener) noexcept {
  int flags = (amode & kReadOnly) != 0 ? O_RDONLY : (amode & kWriteOnly) != 0 ? O_WRONLY : O_RDWR;
  if (opener == Opener::kFirst) {
    if ((amode & kCreate) != 0) flags |= O_CREAT;
    // Without O_CREAT the system gives O_EXCL no meaning, nor does the standard.
    if ((amode & kCreate) != 0 && (amode & kExclusive) != 0) flags |= O_EXCL;
  }
  return flags;
}

}  // namespace starling::io
