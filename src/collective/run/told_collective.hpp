// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What is told to who listens of a collective of the program: its beginning and its end.
// Thread safety: the holder of the world's lock.
#pragma once

#include "collective/run/call_counter.hpp"
#include "observe/listener.hpp"

namespace starling::collective {

/// mpi_call: that has begun it, or of a persistent one has made it. number: of the communicator's collectives.
inline observe::Occurrence tell_begin(observe::Listener& listener, const Arguments& arguments, std::uint32_t mpi_call,
                                      std::uint32_t number) {
  const ToldOfOperation& told = kTold[static_cast<std::size_t>(arguments.operation)];
  observe::Occurrence what;
  what.kind = observe::OccurrenceKind::kCollectiveBegun;
  what.call = mpi_call;
  what.context_id = arguments.comm->context_id();
  what.rank = told.root ? arguments.root : -1;
  what.bytes = bytes_of(arguments, told);
  what.number = number;
  listener.hear(what);
  return what;
}

inline void tell_end(observe::Listener& listener, observe::Occurrence beginning) {
  beginning.kind = observe::OccurrenceKind::kCollectiveEnded;
  listener.hear(beginning);
}

}  // namespace starling::collective
