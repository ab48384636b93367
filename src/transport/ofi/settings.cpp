// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/settings.hpp"

#include "base/format.hpp"

namespace starling::transport::ofi {
namespace {

STARLING_CONFIG(net, "NET", std::string, "tcp", kNetwork, kAllAlike,
                "What carries messages between the nodes of a job: tcp (sockets) or ofi (libfabric, for networks that "
                "have providers there; connections between jobs take TCP all the same).");
STARLING_CONFIG(ofi_eager_limit, "OFI_EAGER_LIMIT", std::int64_t, 64 * 1024, kNetwork, kProcess,
                "Largest message, bytes, that is sent over libfabric without asking the receiver first; longer ones it "
                "reads from the sender's memory, where the provider can (FI_RMA).");
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
  Settings settings;
  if (config.get(ofi_provider) != "any") settings.provider = config.get(ofi_provider);
  settings.eager_limit = config.get(ofi_eager_limit);
  return settings;
}

}  // namespace starling::transport::ofi
