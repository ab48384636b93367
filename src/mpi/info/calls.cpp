// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Info objects. Source: MPI-5.0, chapter 10.
#include "api/calls.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/text.hpp"
#include "mpi/info/info.hpp"

namespace starling::mpi {
namespace {

Status check_key(std::string_view key) {
  if (!key.empty() && key.size() < MPI_MAX_INFO_KEY) return {};
  return Status::error(ErrorClass::kInfoKey,
                       formatted("the key has {} characters; it must have 1 to {}", key.size(), MPI_MAX_INFO_KEY - 1));
}

Status check_value(std::string_view value) {
  if (value.size() < MPI_MAX_INFO_VAL) return {};
  return Status::error(ErrorClass::kInfoValue, formatted("the value has {} characters; it must have at most {}",
                                                         value.size(), MPI_MAX_INFO_VAL - 1));
}

Status check_writable(MPI_Info info) {
  if (info != MPI_INFO_ENV) return {};
  return Status::error(ErrorClass::kInfo, "MPI_INFO_ENV cannot be changed; duplicate it and change the copy");
}

Status check_change(MPI_Info info, std::string_view key, std::string_view value) {
  STARLING_TRY(check_writable(info));
  STARLING_TRY(check_key(key));
  return check_value(value);
}

}  // namespace

int info_create(MPI_Info* info) { return give_info(*current(), Info{}, info); }

int info_create_env(int argc, char* argv[], MPI_Info* info) {
  Info contents;
  if (argc > 0 && argv != nullptr && argv[0] != nullptr) {
    contents.set("command", argv[0]);
    std::string rest;
    for (int index = 1; index < argc; ++index) rest += (index > 1 ? " " : "") + std::string(argv[index]);
    contents.set("argv", std::string_view(rest).substr(0, MPI_MAX_INFO_VAL - 1));
  }
  return give_info(*current(), std::move(contents), info);
}

int info_dup(MPI_Info info, MPI_Info* newinfo) { return give_info(*current(), *find_info(*current(), info), newinfo); }

int info_free(MPI_Info* info) {
  if (Status writable = check_writable(*info); !writable.ok()) return fail(std::move(writable));
  current()->infos.erase(*info);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

int info_set(MPI_Info info, const char* key, const char* value) {
  if (Status check = check_change(info, key, value); !check.ok()) return fail(std::move(check));
  find_info(*current(), info)->set(key, value);
  return MPI_SUCCESS;
}

int info_delete(MPI_Info info, const char* key) {
  if (Status check = check_change(info, key, {}); !check.ok()) return fail(std::move(check));
  if (find_info(*current(), info)->erase(key)) return MPI_SUCCESS;
  return fail(Status::error(ErrorClass::kInfoNoKey, formatted("the info object has no key \"{}\"", key)));
}

int info_get_nkeys(MPI_Info info, int* nkeys) {
  *nkeys = static_cast<int>(find_info(*current(), info)->pairs().size());
  return MPI_SUCCESS;
}

int info_get_nthkey(MPI_Info info, int n, char* key) {
  const auto& pairs = find_info(*current(), info)->pairs();
  if (n < 0 || static_cast<std::size_t>(n) >= pairs.size()) {
    return fail(Status::error(ErrorClass::kArg,
                              formatted("n is {}; the info object has {} keys, counted from 0", n, pairs.size())));
  }
  int length = 0;
  return copy_text(pairs[static_cast<std::size_t>(n)].first, key, MPI_MAX_INFO_KEY, &length);
}

int info_get_string(MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
  if (Status check = check_key(key); !check.ok()) return fail(std::move(check));
  const std::string* found = find_info(*current(), info)->get(key);
  *flag = found != nullptr ? 1 : 0;
  if (found == nullptr) return MPI_SUCCESS;
  if (*buflen > 0 && value != nullptr) {
    int copied = 0;
    copy_text(*found, value, *buflen, &copied);
  }
  *buflen = static_cast<int>(found->size()) + 1;
  return MPI_SUCCESS;
}

int info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  if (Status check = check_key(key); !check.ok()) return fail(std::move(check));
  const std::string* found = find_info(*current(), info)->get(key);
  *flag = found != nullptr ? 1 : 0;
  if (found == nullptr) return MPI_SUCCESS;
  // valuelen counts characters without the zero that follows them.
  int copied = 0;
  return copy_text(*found, value, valuelen + 1, &copied);
}

int info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  if (Status check = check_key(key); !check.ok()) return fail(std::move(check));
  const std::string* found = find_info(*current(), info)->get(key);
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) *valuelen = static_cast<int>(found->size());
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
