// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// open_exchange(): finds the PMI or PMIx launcher that has started this process, by its variables.
// Thread safety: reads and changes the environment.
#pragma once

#include <memory>

#include "bootstrap/pmi/exchange.hpp"
#include "config/config.hpp"

namespace starling::bootstrap {

/// Null when no launcher offers an exchange; an error says why the one that does cannot be used.
Result<std::unique_ptr<Exchange>> open_exchange(const config::Store& config);

/// Takes the variables out of the environment: a program that this process starts is none of those that the launcher
/// has started.
void forget_exchange();

}  // namespace starling::bootstrap
