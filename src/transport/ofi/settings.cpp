// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/settings.hpp"

#include "base/format.hpp"
#include "transport/tcp/settings.hpp"

namespace starling::transport::ofi {
namespace {

STARLING_CONFIG(net, "NET", std::string, "tcp", kNetwork, kAllAlike,
                "What carries messages between the nodes of a job: tcp (sockets) or ofi (libfabric, for networks that "
                "have providers there; connections between jobs take TCP all the same).");
STARLING_CONFIG(ofi_provider, "OFI_PROVIDER", std::string, "any", kNetwork, kAllAlike,
                "Provider of libfabric that STARLING_NET=ofi takes, as fi_info names it, such as efa, verbs;ofi_rxm, "
                "cxi or tcp;ofi_rxm; any: the first that it offers for messages to other nodes.");

}  // namespace

bool is_wanted(const config::Store& config) { return config.get(net) != "tcp"; }

Result<Settings> settings_of(const config::Store& config) {
  if (config.get(net) != "ofi") {
    return Status::error(ErrorClass::kArg,
                         formatted("STARLING_NET={} is not understood: it takes tcp or ofi", config.get(net)));
  }
  Result<tcp::Settings> network = tcp::settings_of(config);
  if (!network.ok()) return std::move(network).status();
  Settings settings;
  if (config.get(ofi_provider) != "any") settings.provider = config.get(ofi_provider);
  settings.eager_limit = network.value().eager_limit;
  return settings;
}

}  // namespace starling::transport::ofi
