// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Meeting: two processes, mostly of different hosts, tell each other over a socket what they offer (their cards) and
// make a connection of two places. Both know a secret, by which the connection's sockets are proved.
//
// Both prepare, introduce themselves, of whom the caller speaks first, and join.
//
// Thread safety: the holder of the world's lock, which is given up while the socket is not ready.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "transport/tcp/proofs.hpp"
#include "world/connection/own_card.hpp"
#include "world/dynamic/join_socket.hpp"
#include "world/network/library_layout.hpp"
#include "world/world.hpp"

namespace starling::world {

/// A connection of two processes, and the other one.
struct Met {
  JobConnection* connection = nullptr;  ///< null: this process does not take part
  GlobalProcess other;
  std::shared_ptr<void> also;  ///< lives as long as the two are connected
};

class Meeting {
 public:
  /// Their places in the connection. Of the caller's card the id and the settings hold.
  enum class Side : std::int32_t { kCaller = 0, kAcceptor = 1 };

  /// failure: the class of what goes wrong.
  Meeting(World& world, JoinSocket& socket, Side side, const transport::tcp::Secret& secret, ErrorClass failure)
      : world_(world), socket_(socket), side_(side), secret_(secret), failure_(failure) {}

  /// Opens entrances and makes this node's segment.
  Status prepare();
  Status introduce();
  /// Both are connected then, or neither is.
  Result<Met> join();

 private:
  struct Introduction {
    std::string card;
    GlobalProcess process;
    std::uint64_t layout = kLibraryLayout;
    std::uint64_t id = 0;
    std::string alike;

    [[nodiscard]] std::string bytes() const;
    static std::optional<Introduction> parse(std::string_view bytes);
  };

  Status tell();
  Status hear();
  [[nodiscard]] WorldRank place() const noexcept { return WorldRank(static_cast<std::int32_t>(side_)); }

  World& world_;
  JoinSocket& socket_;
  Side side_;
  transport::tcp::Secret secret_;
  ErrorClass failure_;
  std::optional<OwnCard> own_;
  Introduction mine_;
  Introduction theirs_;
};

}  // namespace starling::world
