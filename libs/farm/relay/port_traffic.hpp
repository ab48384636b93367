// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PortTraffic: what a relay carries between the server and the Inputs and Outputs of other processes. A process has one
// of three kinds: RemotePorts in the server, LocalPort where such an Input or Output runs, NoPorts elsewhere.
//
// Thread safety: the relay's thread.
#pragma once

#include <map>
#include <set>

#include "input_output/port.hpp"
#include "relay_context.hpp"
#include "server/server.hpp"

namespace starling::farm {

class PortTraffic {
 public:
  virtual ~PortTraffic() = default;
  virtual void on_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) = 0;
  /// A process at the other end has died.
  virtual void on_death(int peer) = 0;
  /// Sends what there is to be sent. False if that was nothing.
  virtual bool send() = 0;
  /// The run has ended: no Output is given anything more. May be called again, as the next.
  virtual void end() = 0;
  /// And nobody in the tree needs an Input's data.
  virtual void close() = 0;
  virtual bool closed() const = 0;
  /// The processes at the other ends, which may be asked by those that take places.
  virtual void add_peers(std::set<int>& all) const = 0;
};

class NoPorts final : public PortTraffic {
 public:
  void on_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) override;
  void on_death(int) override {}
  bool send() override { return false; }
  void end() override {}
  void close() override {}
  bool closed() const override { return true; }
  void add_peers(std::set<int>&) const override {}
};

/// The server closes it.
class LocalPort final : public PortTraffic {
 public:
  LocalPort(const RelayContext& context, Port& port);

  void on_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) override;
  void on_death(int peer) override;
  bool send() override;
  void end() override {}
  void close() override {}
  bool closed() const override { return closed_; }
  void add_peers(std::set<int>&) const override {}

 private:
  Neighbors& neighbors_;
  Depot& depot_;
  Port& port_;
  const int server_rank_;
  bool closed_ = false;
};

class RemotePorts final : public PortTraffic {
 public:
  RemotePorts(const RelayContext& context, Server& server);

  void on_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) override;
  void on_death(int peer) override;
  bool send() override;
  void end() override;
  void close() override;
  bool closed() const override { return ports_.empty(); }
  void add_peers(std::set<int>& all) const override;

 private:
  struct RemotePort {
    bool has_input = false;
    bool told_to_end = false;
    bool told_no_more = false;
    bool told_to_close = false;
    std::uint64_t told_room = 0;
  };

  bool send_deliveries(int peer, Deliveries& deliveries);
  void add(Message& message, const Delivery& delivery);
  bool send_room(int peer, RemotePort& port);
  bool send_releases();

  const RelayContext& context_;
  Server& server_;
  std::map<int, RemotePort> ports_;  ///< By rank.
};

}  // namespace starling::farm
