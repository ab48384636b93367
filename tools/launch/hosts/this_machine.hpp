// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ThisMachine: whether a name means the machine on which we run. Names are never looked up over the network: a name
// that only a resolver knows as ours counts as another host, which a remote shell then reaches. Thread safety: a value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "launch/hosts/host.hpp"

namespace starling::launch {

class ThisMachine {
 public:
  /// Host names and addresses, as texts, that mean this machine, beside localhost; and the user that we run as.
  ThisMachine(std::vector<std::string> names, const std::vector<std::string>& addresses, std::string user);

  /// The host name, its short form, the name that Slurm gives to this node, and the addresses of our interfaces.
  static ThisMachine ask();

  /// The host name; empty where there is none.
  [[nodiscard]] static std::string own_name();

  [[nodiscard]] bool is(std::string_view name) const;
  /// Here, and as the user that we are.
  [[nodiscard]] bool is(const Host& host) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::string> addresses_;
  std::string user_;
};

}  // namespace starling::launch
