// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tcp/introductions.hpp"

#include <string>
#include <utility>

#include "base/format.hpp"

namespace starling::transport::tcp {
namespace {

/// What two ranks that are not alike should do.
std::string advice(const Alike& own, const Alike& peers) {
  if (own.library != peers.library) {
    return "have loaded different builds of the library. All ranks need the same libmpi_abi.so.1: 'ldd PROGRAM' names "
           "it "
           "on each host, and LD_LIBRARY_PATH or the program's rpath chooses it";
  }
  return "have different settings where all ranks need the same ('starling info --config' marks these). Give all hosts "
         "the same, as mpiexec -genv does";
}

}  // namespace

void Introductions::join(WorldRank rank, Descriptor socket, const Alike& alike) {
  calls_.end(rank);
  visitors_.dismiss(rank);
  if (alike == roster_.alike) return host_.join(rank, std::move(socket));
  host_.give_up(rank, Status::error(ErrorClass::kOther,
                                    formatted("{} and {} cannot exchange messages: they {}", roster_.text_of(own_),
                                              roster_.text_of(rank), advice(roster_.alike, alike))));
}

void Introductions::on_event(EventOf event, std::int64_t now_ns) {
  switch (event.kind) {
    case EventOf::Kind::kListener: return visitors_.accept(static_cast<std::size_t>(event.number), now_ns);
    case EventOf::Kind::kVisitor: return visitors_.on_event(event.number, now_ns);
    case EventOf::Kind::kCall: return calls_.on_event(WorldRank(event.number), event.attempt, now_ns);
    case EventOf::Kind::kTimer:
    case EventOf::Kind::kConnection: return;
  }
}

void Introductions::give_up(WorldRank rank, Status why) {
  // The peer may reach this rank although this rank does not reach it.
  if (visitors_.has_answered(rank)) return;
  host_.give_up(rank, std::move(why));
}

}  // namespace starling::transport::tcp
