// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the transport over libfabric have in common: a job with one rank on each node, joined over the
// loopback interface by TCP and by a provider of libfabric.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "support/sanitized.hpp"
#include "transport/ofi/ofi_transport.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::ofi {

/// The first that libfabric offers: on every Linux it has some over TCP.
inline constexpr const char* kTestedProvider = "";

/// Why there is nothing to test; empty: there is.
inline std::string why_not(const std::string& provider = kTestedProvider) {
  if (kUnderThreadSanitizer) return "ThreadSanitizer does not see how libfabric orders its accesses";
  const auto fabric = Fabric::open({provider, 0}, {});
  return fabric.ok() ? "" : fabric.status().message();
}

class OfiNodes {
 public:
  using Inbox = tcp::TcpInbox;
  static constexpr std::int64_t kEagerLimit = 12'345;

  explicit OfiNodes(std::int32_t ranks, const std::string& provider = kTestedProvider)
      : OfiNodes(std::vector<std::string>(static_cast<std::size_t>(ranks), provider)) {}
  /// providers: of each rank.
  explicit OfiNodes(const std::vector<std::string>& providers)
      : counted(static_cast<std::int32_t>(providers.size())),
        joined(static_cast<std::int32_t>(providers.size()), tcp::impatient_settings()) {
    for (std::size_t rank = 0; rank < providers.size(); ++rank)
      start(static_cast<std::int32_t>(rank), {providers[rank], kEagerLimit});
  }

  void start(std::int32_t rank, const Settings& settings) {
    const auto index = static_cast<std::size_t>(rank);
    auto fabric = Fabric::open(settings, joined.roster.addresses(WorldRank(rank)));
    ASSERT_TRUE(fabric.ok()) << fabric.status().message();
    auto made = OfiTransport::create(std::move(joined.ends[index]), std::move(fabric).value(), joined.roster, settings,
                                     WorldRank(rank), PeerId(Inbox::kFirstPeer), counted.of(rank));
    ASSERT_TRUE(made.ok()) << made.status().message();
    ends.push_back(std::move(made).value());
  }

  bool try_send(std::int32_t from, std::int32_t to, std::uint64_t word, std::size_t bytes = 0) {
    const std::vector<std::byte> payload(bytes, static_cast<std::byte>(word));
    return end(from).try_send_words(Address(to), {}, {word, 0}, payload.data(), bytes);
  }
  /// Sends; meanwhile all ranks are polled, and what arrives is kept.
  void send(std::int32_t from, std::int32_t to, std::uint64_t word, std::size_t bytes = 0) {
    const bool sent = poll_until([&] { return try_send(from, to, word, bytes); });
    ASSERT_TRUE(sent) << "from " << from << " to " << to << ": " << end(from).take_failure().message();
  }
  /// Polls all ranks until it is so; false after a time that only a lost packet takes.
  template <typename Done>
  bool poll_until(Done&& done) {
    const std::int64_t until = now_ns() + tcp::TcpNodes::kLongNs;
    while (!done()) {
      if (now_ns() > until) return false;
      for (std::size_t rank = 0; rank < ends.size(); ++rank) {
        if (ends[rank]) ends[rank]->poll(inbox(static_cast<std::int32_t>(rank)));
      }
    }
    return true;
  }
  bool await(std::int32_t rank, std::size_t messages) {
    return poll_until([&] { return inbox(rank).messages.size() >= messages; });
  }
  /// Ends all TCP connections of the ranks, without a goodbye, as a death does.
  void cut_connections() {
    for (int socket = 0; socket < 4096; ++socket) {
      for (const auto& name : {getsockname, getpeername}) {
        sockaddr_in address{};
        socklen_t bytes = sizeof address;
        if (name(socket, reinterpret_cast<sockaddr*>(&address), &bytes) != 0 || address.sin_family != AF_INET) continue;
        for (const auto& rank : joined.roster.ranks) {
          int listens = 0;
          socklen_t size = sizeof listens;
          getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size);
          if (listens == 0 && rank.front().port() == ntohs(address.sin_port)) shutdown(socket, SHUT_RDWR);
        }
      }
    }
  }
  /// The words of what has arrived.
  std::vector<std::uint64_t> words(std::int32_t rank) {
    std::vector<std::uint64_t> found;
    for (const Inbox::Message& message : inbox(rank).messages) found.push_back(message.word);
    inbox(rank).messages.clear();
    return found;
  }
  OfiTransport& end(std::int32_t rank) { return *ends[static_cast<std::size_t>(rank)]; }
  Inbox& inbox(std::int32_t rank) { return joined.inbox(rank); }

  CountedRanks counted;
  tcp::TcpNodes joined;  ///< gives its ends away
  std::vector<std::unique_ptr<OfiTransport>> ends;
};

}  // namespace starling::transport::ofi
