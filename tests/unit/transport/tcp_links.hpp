// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Two ranks with several links between them: networks 127.0.1.0/24, 127.0.2.0/24 and on of the loopback interface, each
// as if by a card of its own. Their connections are found among the descriptors of this process.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "support/pattern.hpp"
#include "transport/tcp/socket_state.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {

/// Calls `visit` with each connected socket of this process over a link.
inline void for_each_socket_of_link(int link, const std::function<void(int)>& visit) {
  for (int socket = 3; socket < 256; ++socket) {
    sockaddr_in here{};
    sockaddr_in there{};
    socklen_t bytes = sizeof here;
    if (getsockname(socket, reinterpret_cast<sockaddr*>(&here), &bytes) != 0 || here.sin_family != AF_INET) continue;
    bytes = sizeof there;
    if (getpeername(socket, reinterpret_cast<sockaddr*>(&there), &bytes) != 0) continue;
    if ((ntohl(here.sin_addr.s_addr) >> 8) == (0x7f000000U >> 8) + static_cast<std::uint32_t>(link)) visit(socket);
  }
}
/// A socket's number is given again, this is not.
inline ino_t identity_of(int socket) {
  struct stat status {};
  EXPECT_EQ(fstat(socket, &status), 0);
  return status.st_ino;
}
inline std::set<ino_t> sockets_of_link(int link) {
  std::set<ino_t> found;
  for_each_socket_of_link(link, [&](int socket) { found.insert(identity_of(socket)); });
  return found;
}
/// Bytes that all connections over a link, but those left out, have sent, and that have arrived.
inline std::uint64_t sent_over(int link, const std::set<ino_t>& without = {}) {
  constexpr std::size_t kBytesAcked = 120;  // in the system's tcp_info; libc's ends before it
  std::uint64_t sent = 0;
  for_each_socket_of_link(link, [&](int socket) {
    if (without.contains(identity_of(socket))) return;
    std::byte info[kBytesAcked + sizeof sent] = {};
    socklen_t bytes = sizeof info;
    std::uint64_t acked = 0;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &bytes) == 0)
      std::memcpy(&acked, info + kBytesAcked, sizeof acked);
    sent += acked;
  });
  return sent;
}
/// Ends all connections over a link; returns how many.
inline int break_link(int link) {
  int broken = 0;
  for_each_socket_of_link(link, [&](int socket) { broken += shutdown(socket, SHUT_RDWR) == 0 ? 1 : 0; });
  return broken;
}

class LinkedRanks {
 public:
  explicit LinkedRanks(int links, Settings wanted = {}) : settings(std::move(wanted)) {
    roster.job = 78;
    roster.hosts = {"alder", "birch"};
    EXPECT_TRUE(fill_randomly(roster.secret).ok());
    for (int rank = 0; rank < 2; ++rank) {
      roster.ranks.emplace_back();
      for (int link = 1; link <= links; ++link) {
        const SocketAddress at = *SocketAddress::parse(formatted("127.0.{}.{}", link, rank + 1));
        listeners[rank].push_back(Listener::open(at, {}).value());
        roster.ranks.back().push_back(listeners[rank].back().address());
        addresses[rank].push_back({formatted("card{}", link), at, 24, 0, true});
      }
    }
    for (const int rank : {0, 1}) {
      // Where the system takes the loopback address for its own end.
      addresses[rank].push_back({"card1", SocketAddress::loopback().with_port(0), 24, 0, true});
      ends[rank] = TcpTransport::create({roster, listeners[rank], {}, addresses[rank]}, settings, WorldRank(rank),
                                        PeerId(TcpInbox::kFirstPeer))
                       .value();
    }
  }

  ListedRoster roster;
  Settings settings;
  std::vector<Listener> listeners[2];
  std::vector<InterfaceAddress> addresses[2];
  std::unique_ptr<TcpTransport> ends[2];
};

/// One direction of a stream of packets with numbers and random sizes, of which some are sent in parts as the links
/// take them, some whole and some packed; the receiver has a place for some.
class LinkedStream final : public Sink {
 public:
  LinkedStream(TcpTransport& from, Address to, std::uint64_t seed, std::uint64_t packets)
      : from_(from), to_(to), random_(seed), places_(seed + 1), packets_(packets) {}

  /// What a packet carries: a part of one long text that does not repeat soon, from another place for each.
  static std::span<const std::byte> text_of(std::uint64_t packet, std::size_t bytes) {
    static const std::vector<std::byte> kText = [] {
      std::vector<std::byte> text(std::size_t{6} << 20);
      tests::fill_pattern(text.data(), text.size(), 1);
      return text;
    }();
    return std::span(kText).subspan(packet * 997 % (std::size_t{1} << 20), bytes);
  }
  static std::vector<std::byte> payload_of(std::uint64_t packet, std::size_t bytes) {
    const auto text = text_of(packet, bytes);
    return {text.begin(), text.end()};
  }

  /// Sends what goes now.
  void send_some() {
    while (true) {
      if (left_ != 0) {
        const std::size_t gone = from_.go_on(to_, payload_.data() + payload_.size() - left_, left_);
        left_ -= gone;
        if (left_ != 0) return;
        ++sent_;
        is_made_ = false;
      }
      if (sent_ == packets_) return;
      if (!is_made_) make();
      if (!send_next()) return;
    }
  }
  [[nodiscard]] bool has_sent_all() const { return sent_ == packets_; }
  /// A payload is handed on in part.
  [[nodiscard]] bool is_inside() const { return left_ != 0; }
  [[nodiscard]] bool has_received_all() const { return received_ == packets_; }
  [[nodiscard]] std::uint64_t received() const { return received_; }

  void on_packet(PeerId /*peer*/, const Packet& packet) override { take(packet, packet.payload); }
  void on_placed(PeerId /*peer*/, const Packet& packet) override {
    EXPECT_NE(place_, nullptr);
    take(packet, {place_.get(), packet.payload.size()});
    place_.reset();
    is_asked_ = false;
  }
  std::byte* destination(PeerId /*peer*/, const PacketHeader& /*header*/, const std::uint64_t (&words)[2],
                         std::size_t bytes) override {
    EXPECT_EQ(words[0], received_) << "asked out of order";
    if (!is_asked_ && places_() % 3 != 0) place_ = std::make_unique<std::byte[]>(bytes);
    is_asked_ = true;
    return place_.get();
  }
  void on_lost(PeerId /*peer*/, LostBy /*by*/, const Status& why) override { loss = why.message(); }

  std::string loss;
  bool is_right = true;

 private:
  void make() {
    const std::uint64_t kind = random_() % 10;
    std::size_t bytes = random_() % 2000;
    if (kind >= 4) bytes = 200'000 + random_() % 300'000;
    if (kind >= 7) bytes = 256 * 1024 + random_() % (2 * 1024 * 1024);
    payload_ = payload_of(sent_, bytes);
    is_made_ = true;
  }
  bool send_next() {
    const std::uint64_t words[2] = {sent_, payload_.size()};
    if (payload_.size() <= TcpTransport::kMaxPayload) {
      if (!from_.try_send_words(to_, {}, words, payload_.data(), payload_.size())) return false;
      ++sent_;
      is_made_ = false;
      return true;
    }
    const std::optional<std::size_t> gone = from_.try_begin(to_, {}, words, payload_.data(), payload_.size());
    if (!gone) return false;
    left_ = payload_.size() - *gone;
    if (left_ == 0) {
      ++sent_;
      is_made_ = false;
    }
    return true;
  }
  void take(const Packet& packet, std::span<const std::byte> payload) {
    is_asked_ = false;
    is_right &= packet.words[0] == received_ && packet.words[1] == payload.size();
    is_right &= tests::are_equal(payload, text_of(received_, packet.words[1]));
    EXPECT_TRUE(is_right) << "packet " << packet.words[0] << " in place of " << received_;
    ++received_;
  }

  TcpTransport& from_;
  Address to_;
  std::mt19937_64 random_;
  std::mt19937_64 places_;
  std::uint64_t packets_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::vector<std::byte> payload_;
  std::size_t left_ = 0;
  bool is_made_ = false;
  bool is_asked_ = false;
  std::unique_ptr<std::byte[]> place_;
};

}  // namespace starling::transport::tcp
