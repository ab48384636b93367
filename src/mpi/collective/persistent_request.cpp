// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/collective/persistent_request.hpp"

#include <utility>

#include "collective/run/persistent_call.hpp"
#include "mpi/boundary/context.hpp"

namespace starling::mpi {

PersistentCollective::PersistentCollective(Ref<collective::PersistentCall> call) noexcept : call_(std::move(call)) {}

PersistentCollective::~PersistentCollective() = default;

Result<p2p::Request*> PersistentCollective::begin(Context& context) { return context.collectives->start(*call_); }

}  // namespace starling::mpi
