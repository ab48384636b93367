// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/error_registry.hpp"

#include <mpi-ext.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"

namespace starling::mpi {
namespace {

struct ClassText {
  int error_class;
  const char* name;
  const char* sentence;
};

#define STARLING_ERROR(name, sentence) \
  ClassText { name, #name, sentence }
constexpr std::array kClasses = {
    STARLING_ERROR(MPI_SUCCESS, "no error"),
    STARLING_ERROR(MPI_ERR_BUFFER, "the buffer cannot be used"),
    STARLING_ERROR(MPI_ERR_COUNT, "the count is not valid"),
    STARLING_ERROR(MPI_ERR_TYPE, "the datatype is not valid here"),
    STARLING_ERROR(MPI_ERR_TAG, "the tag is not valid"),
    STARLING_ERROR(MPI_ERR_COMM, "the communicator is not valid"),
    STARLING_ERROR(MPI_ERR_RANK, "the rank is not valid"),
    STARLING_ERROR(MPI_ERR_REQUEST, "the request is not valid"),
    STARLING_ERROR(MPI_ERR_ROOT, "the root is not valid"),
    STARLING_ERROR(MPI_ERR_GROUP, "the group is not valid"),
    STARLING_ERROR(MPI_ERR_OP, "the operation is not valid here"),
    STARLING_ERROR(MPI_ERR_TOPOLOGY, "the topology is not valid"),
    STARLING_ERROR(MPI_ERR_DIMS, "the dimensions are not valid"),
    STARLING_ERROR(MPI_ERR_ARG, "an argument is not valid"),
    STARLING_ERROR(MPI_ERR_UNKNOWN, "the cause is not known"),
    STARLING_ERROR(MPI_ERR_TRUNCATE, "the message is longer than the receive buffer"),
    STARLING_ERROR(MPI_ERR_OTHER, "the call failed; its message says why"),
    STARLING_ERROR(MPI_ERR_INTERN, "the library failed inside"),
    STARLING_ERROR(MPI_ERR_PENDING, "the operation has neither completed nor failed yet"),
    STARLING_ERROR(MPI_ERR_IN_STATUS, "some of the operations failed; each status says which and why"),
    STARLING_ERROR(MPI_ERR_ACCESS, "access is denied"),
    STARLING_ERROR(MPI_ERR_AMODE, "the access mode is not valid"),
    STARLING_ERROR(MPI_ERR_ASSERT, "the assertion is not valid"),
    STARLING_ERROR(MPI_ERR_BAD_FILE, "the file name is not valid"),
    STARLING_ERROR(MPI_ERR_BASE, "the base address is not valid"),
    STARLING_ERROR(MPI_ERR_CONVERSION, "a data conversion function failed"),
    STARLING_ERROR(MPI_ERR_DISP, "the displacement is not valid"),
    STARLING_ERROR(MPI_ERR_DUP_DATAREP, "the data representation is defined already"),
    STARLING_ERROR(MPI_ERR_FILE_EXISTS, "the file exists already"),
    STARLING_ERROR(MPI_ERR_FILE_IN_USE, "the file is in use"),
    STARLING_ERROR(MPI_ERR_FILE, "the file handle is not valid"),
    STARLING_ERROR(MPI_ERR_INFO_KEY, "the info key is too long or empty"),
    STARLING_ERROR(MPI_ERR_INFO_NOKEY, "the info object has no such key"),
    STARLING_ERROR(MPI_ERR_INFO_VALUE, "the info value is too long or empty"),
    STARLING_ERROR(MPI_ERR_INFO, "the info object is not valid"),
    STARLING_ERROR(MPI_ERR_IO, "input or output failed"),
    STARLING_ERROR(MPI_ERR_KEYVAL, "the attribute key is not valid"),
    STARLING_ERROR(MPI_ERR_LOCKTYPE, "the lock type is not valid"),
    STARLING_ERROR(MPI_ERR_NAME, "the service name is not published"),
    STARLING_ERROR(MPI_ERR_NO_MEM, "there is not enough memory"),
    STARLING_ERROR(MPI_ERR_NOT_SAME, "the argument differs between the ranks"),
    STARLING_ERROR(MPI_ERR_NO_SPACE, "there is not enough space on the file system"),
    STARLING_ERROR(MPI_ERR_NO_SUCH_FILE, "the file does not exist"),
    STARLING_ERROR(MPI_ERR_PORT, "the port name is not valid"),
    STARLING_ERROR(MPI_ERR_QUOTA, "the quota is exceeded"),
    STARLING_ERROR(MPI_ERR_READ_ONLY, "the file or file system is read-only"),
    STARLING_ERROR(MPI_ERR_RMA_ATTACH, "the memory cannot be attached to the window"),
    STARLING_ERROR(MPI_ERR_RMA_CONFLICT, "accesses to the window conflict"),
    STARLING_ERROR(MPI_ERR_RMA_RANGE, "the target memory is outside the window"),
    STARLING_ERROR(MPI_ERR_RMA_SHARED, "the memory cannot be shared"),
    STARLING_ERROR(MPI_ERR_RMA_SYNC, "the window's synchronization calls are out of order"),
    STARLING_ERROR(MPI_ERR_SERVICE, "the service name cannot be published or found"),
    STARLING_ERROR(MPI_ERR_SIZE, "the size is not valid"),
    STARLING_ERROR(MPI_ERR_SPAWN, "the processes cannot be started"),
    STARLING_ERROR(MPI_ERR_UNSUPPORTED_DATAREP, "the data representation is not supported"),
    STARLING_ERROR(MPI_ERR_UNSUPPORTED_OPERATION, "the operation is not supported"),
    STARLING_ERROR(MPI_ERR_WIN, "the window is not valid"),
    STARLING_ERROR(MPI_ERR_RMA_FLAVOR, "the window is of the wrong flavor"),
    STARLING_ERROR(MPI_ERR_PROC_ABORTED, "a peer process has ended"),
    STARLING_ERROR(MPI_ERR_VALUE_TOO_LARGE, "the value does not fit its variable; use the large-count form"),
    STARLING_ERROR(MPI_ERR_SESSION, "the session is not valid"),
    STARLING_ERROR(MPI_ERR_ERRHANDLER, "the error handler is not valid"),
    STARLING_ERROR(MPI_ERR_ABI, "the ABI does not provide this"),
    STARLING_ERROR(MPIX_ERR_PROC_FAILED, "a process that the call needs has died"),
    STARLING_ERROR(MPIX_ERR_PROC_FAILED_PENDING, "the receive waits on, but a process that could send has died"),
    STARLING_ERROR(MPIX_ERR_REVOKED, "the communicator has been revoked"),
    STARLING_ERROR(MPI_T_ERR_CANNOT_INIT, "the tool interface cannot be initialised"),
    STARLING_ERROR(MPI_T_ERR_NOT_ACCESSIBLE, "the tool interface cannot be used now"),
    STARLING_ERROR(MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialised"),
    STARLING_ERROR(MPI_T_ERR_NOT_SUPPORTED, "the tool interface does not support this"),
    STARLING_ERROR(MPI_T_ERR_MEMORY, "there is not enough memory"),
    STARLING_ERROR(MPI_T_ERR_INVALID, "the argument of the tool interface is not valid"),
    STARLING_ERROR(MPI_T_ERR_INVALID_INDEX, "the index is not valid"),
    STARLING_ERROR(MPI_T_ERR_INVALID_ITEM, "the item index is not valid"),
    STARLING_ERROR(MPI_T_ERR_INVALID_SESSION, "the session of the tool interface is not valid"),
    STARLING_ERROR(MPI_T_ERR_INVALID_HANDLE, "the handle of the tool interface is not valid"),
    STARLING_ERROR(MPI_T_ERR_INVALID_NAME, "no variable has this name"),
    STARLING_ERROR(MPI_T_ERR_OUT_OF_HANDLES, "no more handles are available"),
    STARLING_ERROR(MPI_T_ERR_OUT_OF_SESSIONS, "no more sessions are available"),
    STARLING_ERROR(MPI_T_ERR_CVAR_SET_NOT_NOW, "the variable cannot be set now"),
    STARLING_ERROR(MPI_T_ERR_CVAR_SET_NEVER, "the variable cannot be set"),
    STARLING_ERROR(MPI_T_ERR_PVAR_NO_WRITE, "the variable cannot be written"),
    STARLING_ERROR(MPI_T_ERR_PVAR_NO_STARTSTOP, "the variable cannot be started or stopped"),
    STARLING_ERROR(MPI_T_ERR_PVAR_NO_ATOMIC, "the variable cannot be read and written at once"),
    STARLING_ERROR(MPI_ERR_LASTCODE, "the last code of the standard's range"),
};
#undef STARLING_ERROR

const ClassText* find(int error_class) noexcept {
  const auto* found = std::find_if(kClasses.begin(), kClasses.end(),
                                   [&](const ClassText& text) { return text.error_class == error_class; });
  return found == kClasses.end() ? nullptr : found;
}

}  // namespace

const char* error_name(int error_class) noexcept {
  const ClassText* text = find(error_class);
  return text ? text->name : nullptr;
}

const char* error_sentence(int error_class) noexcept {
  const ClassText* text = find(error_class);
  return text ? text->sentence : "the cause is not known";
}

ErrorRegistry::ErrorRegistry() : last_used_(MPI_ERR_LASTCODE) {}

int ErrorRegistry::add(int error_class) {
  const int code = ++last_used_;
  added_.emplace(code, Added{error_class < 0 ? code : error_class, ""});
  return code;
}

int ErrorRegistry::add_class() { return add(-1); }

int ErrorRegistry::add_code(int error_class) { return add(error_class); }

bool ErrorRegistry::set_text(int code, std::string text) {
  const auto found = added_.find(code);
  if (found == added_.end()) return false;
  found->second.text = std::move(text);
  return true;
}

ErrorRegistry::Removed ErrorRegistry::remove_class(int error_class) {
  const auto found = added_.find(error_class);
  if (found == added_.end() || found->second.error_class != error_class) return Removed::kUnknown;
  const bool has_codes = std::any_of(added_.begin(), added_.end(), [&](const auto& entry) {
    return entry.first != error_class && entry.second.error_class == error_class;
  });
  if (has_codes || !found->second.text.empty()) return Removed::kInUse;
  added_.erase(found);
  return Removed::kDone;
}

ErrorRegistry::Removed ErrorRegistry::remove_code(int code) {
  const auto found = added_.find(code);
  if (found == added_.end() || found->second.error_class == code) return Removed::kUnknown;
  if (!found->second.text.empty()) return Removed::kInUse;
  added_.erase(found);
  return Removed::kDone;
}

ErrorRegistry::Removed ErrorRegistry::remove_text(int code) {
  const auto found = added_.find(code);
  if (found == added_.end() || found->second.text.empty()) return Removed::kUnknown;
  found->second.text.clear();
  return Removed::kDone;
}

int ErrorRegistry::class_of(int code) const {
  const auto added = added_.find(code);
  if (added != added_.end()) return added->second.error_class;
  return find(code) ? code : -1;
}

std::string ErrorRegistry::text(int code) const {
  const auto added = added_.find(code);
  if (added != added_.end()) return added->second.text;
  if (const ClassText* text = find(code)) return formatted("{}: {}", text->name, text->sentence);
  return formatted("error code {} is not known to this library", code);
}

}  // namespace starling::mpi
