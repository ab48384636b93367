// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/choose/list.hpp"

#include <array>

#include "transport/given_network.hpp"
#include "transport/loop/loop_transport.hpp"
#include "transport/ofi/ofi_kind.hpp"
#include "transport/self/self_transport.hpp"
#include "transport/shm/shm_transport.hpp"
#include "transport/tcp/tcp_transport.hpp"

namespace starling::transport {

std::span<const TransportKind> transport_kinds() noexcept {
  // clang-format off
  static constexpr std::array kKinds = {
      TransportKind{"self", self::SelfTransport::reaches, self::SelfTransport::create},
      TransportKind{"shm",  shm::ShmTransport::reaches,   shm::ShmTransport::create_of_node},
      TransportKind{"loop", loop::LoopTransport::reaches, loop::LoopTransport::create},
      TransportKind{"given", GivenNetwork::reaches,       GivenNetwork::create},
      TransportKind{"ofi",  ofi::reaches,                 ofi::create},
      TransportKind{"tcp",  tcp::TcpTransport::reaches,   tcp::TcpTransport::create},
  };
  // clang-format on
  return kKinds;
}

}  // namespace starling::transport
