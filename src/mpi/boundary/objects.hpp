// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The objects behind MPI handles: the engine's object and what only the C interface knows of it (its name, attributes,
// error handler, topology, info).
// Thread safety: the holder of the world's lock.
// Invariants: an errhandler lives while its handle is not freed or something uses it; uses counts both.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/ref.hpp"
#include "comm/communicator.hpp"
#include "datatype/op/op.hpp"
#include "datatype/types/datatype.hpp"
#include "mpi/attribute/attributes.hpp"
#include "mpi/boundary/error_owner.hpp"
#include "mpi/info/info.hpp"
#include "mpi/p2p/send_buffer.hpp"
#include "mpi/topology/topologies.hpp"

namespace starling::mpi {

enum class ErrhandlerKind : std::uint8_t { kComm, kWin, kFile, kSession };

struct ErrhandlerObject {
  ErrhandlerKind kind = ErrhandlerKind::kComm;
  void (*function)() = nullptr;
  std::uint32_t uses = 0;
};

class CommObject final : public RefCounted<CommObject> {
 public:
  explicit CommObject(Ref<comm::Communicator> communicator) : comm(std::move(communicator)) {}

  Ref<comm::Communicator> comm;
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  std::string name;
  AttributeSet attributes;
  Info info;
  SendBuffer buffer;
  Topology topology;
};

struct TypeObject {
  Ref<datatype::Datatype> type;  ///< empty for a predefined type
  std::string name;
  AttributeSet attributes;
};

struct SessionObject {
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  Info info;  ///< what was asked for, with the thread level that is provided
  SendBuffer buffer;
};

struct RequestEntry {
  p2p::Request* request = nullptr;
  ErrorOwner owner;  ///< whose error handler hears of a failure
};

struct MessageEntry {
  p2p::MatchedMessage* matched = nullptr;
  Ref<comm::Communicator> comm;
  MPI_Comm owner = MPI_COMM_NULL;
};

}  // namespace starling::mpi
