// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PortTraffic: what a relay carries between the server and the Inputs and Outputs of other processes. A process has one
// of three kinds: RemotePorts in the server, LocalPort where such an Input or Output runs, NoPorts elsewhere.
//
// Thread safety: the relay's thread.
#pragma once

#include <map>

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
  /// The run has ended. May be called again.
  virtual void close() = 0;
  virtual bool closed() const = 0;
};

class NoPorts final : public PortTraffic {
 public:
  void on_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) override;
  void on_death(int) override {}
  bool send() override { return false; }
  void close() override {}
  bool closed() const override { return true; }
};

/// The server closes it.
class LocalPort final : public PortTraffic {
 public:
  LocalPort(const RelayContext& context, Port& port);

  void on_message(MessageKind kind, int peer, const std::shared_ptr<const Buffer>& message) override;
  void on_death(int peer) override;
  bool send() override;
  void close() override {}
  bool closed() const override { return closed_; }

 private:
  Neighbors& neighbors_;
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
  void close() override;
  bool closed() const override { return ports_.empty(); }

 private:
  struct RemotePort {
    bool has_input = false;
    bool told_to_end = false;
    bool told_to_close = false;
    std::uint64_t told_room = 0;
  };

  bool send_deliveries(int peer, Deliveries& deliveries);
  void add(Message& message, const Delivery& delivery);
  bool send_room(int peer, RemotePort& port);

  const RelayContext& context_;
  Server& server_;
  std::map<int, RemotePort> ports_;  ///< By rank.
};

}  // namespace starling::farm
