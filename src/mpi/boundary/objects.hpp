// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The objects behind MPI handles that several chapters know: the engine's object, what messages and error handlers need
// to know of it, and a slot for what each chapter adds. Windows and files are one chapter's and stand there (rma/,
// io/). Thread safety: the holder of the world's lock. Invariants: an errhandler lives while its handle is not freed or
// something uses it; uses counts both.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/ref.hpp"
#include "comm/communicator.hpp"
#include "datatype/op/op.hpp"
#include "datatype/types/datatype.hpp"
#include "mpi/boundary/error_owner.hpp"
#include "mpi/boundary/slot.hpp"
#include "p2p/point_to_point.hpp"

namespace starling::mpi {

class AttributeSet;
class Info;
class SendBuffer;
struct Topology;

enum class ErrhandlerKind : std::uint8_t { kComm, kWin, kFile, kSession };

struct ErrhandlerObject {
  ErrhandlerKind kind = ErrhandlerKind::kComm;
  void (*function)() = nullptr;
  std::uint32_t uses = 0;
};

/// An object that has an error handler: a communicator, a window, a file or a session.
class ErrhandlerHolder {
 public:
  ErrhandlerHolder() noexcept = default;
  ErrhandlerHolder(const ErrhandlerHolder&) = delete;
  ErrhandlerHolder& operator=(const ErrhandlerHolder&) = delete;
  virtual ~ErrhandlerHolder() = default;

  /// How a message calls the object, after "on "; empty when it has no name.
  [[nodiscard]] virtual std::string text() const { return {}; }

  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
};

class CommObject final : public RefCounted<CommObject>, public ErrhandlerHolder {
 public:
  explicit CommObject(Ref<comm::Communicator> communicator) : comm(std::move(communicator)) {}

  /// MPI_COMM_WORLD, the name the user gave, or how many ranks it has.
  [[nodiscard]] std::string text() const override;

  Ref<comm::Communicator> comm;
  MPI_Comm handle = MPI_COMM_NULL;
  std::string name;
  Slot<AttributeSet> attributes;
  Slot<Info> info;
  Slot<SendBuffer> buffer;
  Slot<Topology> topology;
};

struct TypeObject {
  Ref<datatype::Datatype> type;  ///< empty for a predefined type
  std::string name;
  Slot<AttributeSet> attributes;
};

class SessionObject final : public ErrhandlerHolder {
 public:
  Slot<Info> info;  ///< what was asked for, with the thread level that is provided
  Slot<SendBuffer> buffer;
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
