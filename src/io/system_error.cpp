// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/system_error.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/error_classes.hpp"

namespace starling::io {
namespace {

struct Advice {
  ErrorClass error_class;
  const char* text;
};
constexpr Advice kAdvice[] = {
    {ErrorClass::kNoSuchFile, "; check the path, or add MPI_MODE_CREATE"},
    {error::kFileExists, "; leave MPI_MODE_EXCL out or choose another name"},
    {error::kAccess, "; check the permissions of the file and of its folder"},
    {error::kReadOnly, "; write to another file system"},
    {error::kNoSpace, "; free space or write elsewhere"},
    {error::kQuota, "; free space in the quota or write elsewhere"},
    {error::kBadFile, "; check the name"},
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
    case EEXIST: return error::kFileExists;
    case EACCES:
    case EPERM: return error::kAccess;
    case EROFS: return error::kReadOnly;
    case ENOSPC: return error::kNoSpace;
    case EDQUOT: return error::kQuota;
    case EBUSY:
    case ETXTBSY: return error::kFileInUse;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case ENXIO:
    case ENODEV:
    case ESPIPE: return error::kBadFile;
    case ENOMEM: return ErrorClass::kNoMem;
    case EOPNOTSUPP: return ErrorClass::kUnsupportedOperation;
    default: return error::kIo;
  }
}

Status system_error(int error_number, std::string what) {
  const ErrorClass error_class = class_of_errno(error_number);
  what += ": " + std::generic_category().message(error_number) + advice(error_class);
  return Status::error(error_class, std::move(what));
}

}  // namespace starling::io
