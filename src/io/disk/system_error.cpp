// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/disk/system_error.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/status.hpp"

namespace starling::io {
namespace {

struct Advice {
  ErrorClass error_class;
  const char* text;
};
constexpr Advice kAdvice[] = {
    {ErrorClass::kNoSuchFile, "; check the path, or add MPI_MODE_CREATE"},
    {ErrorClass::kFileExists, "; leave MPI_MODE_EXCL out or choose another name"},
    {ErrorClass::kAccess, "; check the permissions of the file and of its folder"},
    {ErrorClass::kReadOnly, "; write to another file system"},
    {ErrorClass::kNoSpace, "; free space or write elsewhere"},
    {ErrorClass::kQuota, "; free space in the quota or write elsewhere"},
    {ErrorClass::kBadFile, "; check the name"},
};

const char* advice(ErrorClass error_class) noexcept {
  for (const Advice& one : kAdvice) {
    if (one.error_class == error_class) return one.text;
  }
  return "";
}

}  // namespace

ErrorClass class_of_errno(int error_number) noexcept {
  switch (error_number) {
    case ENOENT: return ErrorClass::kNoSuchFile;
    case EEXIST: return ErrorClass::kFileExists;
    case EACCES:
    case EPERM: return ErrorClass::kAccess;
    case EROFS: return ErrorClass::kReadOnly;
    case ENOSPC: return ErrorClass::kNoSpace;
    case EDQUOT: return ErrorClass::kQuota;
    case EBUSY:
    case ETXTBSY: return ErrorClass::kFileInUse;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case ENXIO:
    case ENODEV:
    case ESPIPE: return ErrorClass::kBadFile;
    case ENOMEM: return ErrorClass::kNoMem;
    case EOPNOTSUPP: return ErrorClass::kUnsupportedOperation;
    default: return ErrorClass::kIo;
  }
}

Status system_error(int error_number, std::string what) {
  const ErrorClass error_class = class_of_errno(error_number);
  what += ": " + std::generic_category().message(error_number) + advice(error_class);
  return Status::error(error_class, std::move(what));
}

}  // namespace starling::io
