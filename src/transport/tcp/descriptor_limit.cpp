// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/descriptor_limit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/format.hpp"

namespace starling::transport::tcp {
namespace {

/// For the files of the program, the callers that have not proved themselves, and the library's own.
constexpr std::size_t kOtherDescriptors = 256;

}  // namespace

Status allow_connections(std::size_t connections) {
  const rlim_t needed = connections + kOtherDescriptors;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return {};
  limit.rlim_cur = std::min<rlim_t>(needed, limit.rlim_max);
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == needed) return {};
  return Status::error(ErrorClass::kOther,
                       formatted("this process may open {} descriptors (ulimit -n), and needs {} to be connected to {} "
                                 "ranks of other nodes. Raise the limit, or take STARLING_NET_CONNECT=lazy",
                                 limit.rlim_cur, needed, connections));
}

std::string text_of_error(int why) {
  rlimit limit{};
  if (why != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::strerror(why);
  return formatted("this process has opened all descriptors that it may (ulimit -n): {}", limit.rlim_cur);
}

}  // namespace starling::transport::tcp
