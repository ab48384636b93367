// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// InterfaceWatch: tells when a network interface of this host at which ranks may be called goes down or comes back. It
// looks at each heartbeat, which is one system call for each interface. Connections over such an interface end the job
// by themselves (transport/tcp/silence.hpp); without one the user should still know.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "transport/tcp/interfaces.hpp"

namespace starling::launch {

class InterfaceWatch {
 public:
  using IsUp = std::function<bool(const std::string& interface)>;

  explicit InterfaceWatch(IsUp is_up = transport::tcp::is_interface_up) : is_up_(std::move(is_up)) {}

  /// All of these were up a moment ago. Loopback is not watched.
  void start(std::vector<transport::tcp::InterfaceAddress> offered);
  /// A note for each interface that has changed since the last look. Of one interface it tells the first loss and the
  /// first return.
  [[nodiscard]] std::vector<std::string> look();

 private:
  struct Watched {
    transport::tcp::NamedInterface interface;
    bool was_lost = false;
    bool came_back = false;
  };

  IsUp is_up_;
  std::vector<Watched> watched_;
};

}  // namespace starling::launch
