// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PersistentCall: a collective that is started again and again: its arguments, the algorithm that was chosen for it
// once, and a CommunicatorState of its own, as if its communicator had been duplicated for it. So persistent
// collectives of one communicator may be started in another order on each rank and never meet its other calls.
//
// Thread safety: the holder of the world's lock. Ownership: the handle and the start that is under way share it.
// Invariants: ranks make the persistent collectives of a communicator in the same order, so that the instance of the
// state is the same everywhere. Source: MPI-5.0, 6.13.
#pragma once

#include "base/ref.hpp"
#include "collective/arguments/kept_arguments.hpp"
#include "collective/choose/algorithm.hpp"
#include "collective/run/communicator_state.hpp"
#include "collective/run/verified.hpp"

namespace starling::collective {

class PersistentCall final : public RefCounted<PersistentCall>, public Chooser {
 public:
  PersistentCall(const Arguments& arguments, std::uint32_t instance)
      : kept(arguments, Form::kPersistent), state(instance) {}

  KeptArguments kept;
  CommunicatorState state;
  const Algorithm* algorithm = nullptr;
  std::uint32_t made_by = 0;  ///< which MPI call, as the status card has it

  const Algorithm& choose(Call& /*call*/) override { return *algorithm; }

 private:
  friend class RefCounted<PersistentCall>;
  ~PersistentCall() = default;
};

}  // namespace starling::collective
