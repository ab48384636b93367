// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// InterfaceFilter: which interfaces and subnets the user wants (STARLING_NET_INTERFACES): "all", or names and subnets
// with commas between them ("eth0,10.1.0.0/16"), after a ^ those that are not wanted ("^docker0").
// Thread safety: a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "config/config.hpp"
#include "transport/tcp/interfaces.hpp"

namespace starling::transport::tcp {

class InterfaceFilter {
 public:
  /// Lets everything through.
  InterfaceFilter() = default;
  /// An error names the word that is not understood.
  static Result<InterfaceFilter> parse(std::string_view text);
  static Result<InterfaceFilter> of(const config::Store& config);

  [[nodiscard]] bool allows(const InterfaceAddress& address) const;
  /// As it was written.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  struct Subnet {
    SocketAddress address;
    std::int32_t bits = 0;
  };
  [[nodiscard]] Status add(std::string_view word);
  [[nodiscard]] bool names(const InterfaceAddress& address) const;

  std::string text_ = "all";
  bool excludes_ = true;  ///< what is named; else everything else
  std::vector<std::string> interfaces_;
  std::vector<Subnet> subnets_;
};

/// Whether two addresses of a family begin with the same bits.
[[nodiscard]] bool is_same_subnet(const SocketAddress& a, const SocketAddress& b, std::int32_t bits) noexcept;

}  // namespace starling::transport::tcp
