// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/host_list.hpp"

#include "base/format.hpp"
#include "launch/hosts/host_merge.hpp"
#include "launch/hosts/host_name.hpp"

namespace starling::launch {
namespace {

Status bad_list(const std::string& problem) {
  return Status::error(
      ErrorClass::kArg,
      formatted("--host: {}. It takes hosts with their slots, as in a:8,user@b:2,[2001:db8::2]:4", problem));
}

}  // namespace

Result<std::vector<Host>> parse_host_list(std::string_view list) {
  std::vector<Host> hosts;
  HostMerge merge(hosts);
  for (bool more = true; more;) {
    const std::size_t comma = list.find(',');
    more = comma != std::string_view::npos;
    const std::string_view word = list.substr(0, comma);
    list.remove_prefix(more ? comma + 1 : list.size());
    if (word.empty()) return bad_list("a name is empty");
    Result<Host> host = parse_host(word);
    if (!host.ok()) return bad_list(host.status().message());
    if (const Status added = merge.add(host.value()); !added.ok()) return bad_list(added.message());
  }
  return hosts;
}

}  // namespace starling::launch
