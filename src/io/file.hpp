// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// File: one rank's side of an open MPI file.
//
// Thread safety: the holder of the world's lock. Owned by mpi/ through Ref; operations under way keep what they need of
// it. Calls marked collective are made by all ranks of the file, in the same order.
// Invariants: pointers count etypes of the current view; at most one split access is active.
// Source: MPI-5.0, chapter 14.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/ref.hpp"
#include "io/file_pointers.hpp"
#include "io/operation/operation_runner.hpp"
#include "io/settings/hints.hpp"
#include "io/two_phase/two_phase_access.hpp"

namespace starling::io {

/// Who takes part. With the shared pointer, kAll means in the order of the ranks.
enum class Ranks : std::uint8_t { kAlone, kAll };
enum class Whence : std::uint8_t { kSet, kCurrent, kEnd };

struct Access {
  Direction direction;
  Pointer pointer;
  Ranks ranks;
  std::int64_t offset;  ///< in etypes, for kExplicit
  void* buffer;         ///< a write reads only
  std::int64_t count;
  const datatype::Datatype* type;
};

class File final : public RefCounted<File> {
 public:
  /// Collective over comm. Where its ranks are on several nodes, these share the file system.
  static Result<Ref<File>> open(OperationRunner& runner, comm::Communicator& comm, const std::string& path, int amode,
                                const InfoPairs& info);
  static Status remove(const std::string& path);
  /// Collective. The file is closed whatever it returns, but for a split access under way: check that first.
  Status close();
  Status check_no_split() const;

  [[nodiscard]] int amode() const noexcept { return amode_; }
  [[nodiscard]] const std::string& path() const noexcept { return file_->path(); }
  [[nodiscard]] comm::Communicator& comm() const noexcept { return *comm_; }
  [[nodiscard]] InfoPairs info() const { return hints_.pairs(); }
  [[nodiscard]] const View& view() const noexcept { return *view_; }
  [[nodiscard]] Result<std::int64_t> size() const { return file_->size(); }

  // Collective.
  Status set_info(const InfoPairs& info);
  Status set_size(std::int64_t bytes);
  Status preallocate(std::int64_t bytes);
  Status sync();
  Status set_atomicity(Atomicity atomicity);
  /// displacement -1: the shared pointer's, in a sequential file.
  Status set_view(std::int64_t displacement, TypeRef etype, TypeRef filetype, DatarepRef datarep,
                  const InfoPairs& info);
  Status seek_shared(std::int64_t offset, Whence whence);

  [[nodiscard]] Atomicity atomicity() const noexcept { return atomicity_; }
  Status seek(std::int64_t offset, Whence whence);
  Result<std::int64_t> position() const;
  Result<std::int64_t> position_shared() const;
  /// The byte of the file that an offset in the view stands for.
  Result<std::int64_t> byte_offset(std::int64_t offset) const;

  /// Blocking. *bytes: what the buffer got or gave.
  Status access(const Access& access, std::int64_t* bytes);
  /// Nonblocking.
  Result<p2p::Request*> start(const Access& access);
  /// Split collective. The end names what it ends.
  Status begin(const Access& access);
  Status end(Direction direction, Pointer pointer, std::int64_t* bytes);

 private:
  struct Split {
    p2p::Request* request = nullptr;
    Direction direction = Direction::kRead;
    Pointer pointer = Pointer::kExplicit;
  };

  File(OperationRunner& runner, Ref<comm::Communicator> comm, int amode);
  friend class RefCounted<File>;
  ~File() = default;

  Status open_everywhere(const std::string& path);
  Status share_state();

  [[nodiscard]] world::World& world() const noexcept { return runner_.world(); }
  Status check_allowed(Direction direction, Pointer pointer) const;
  /// What MPI_File_set_size and MPI_File_preallocate ask of a size. Collective.
  [[nodiscard]] Status check_new_size(std::int64_t bytes);
  /// Whether any rank has written since the last flush. Collective.
  [[nodiscard]] Result<bool> is_unsynced_anywhere();
  /// What closing does to the file on the disk: it is deleted, or what was written reaches the device.
  Status settle();
  /// The view that the arguments of set_view describe.
  Result<ViewRef> make_view(std::int64_t displacement, TypeRef etype, TypeRef filetype, DatarepRef datarep) const;
  /// The position that an offset stands for, or kArg.
  Result<std::int64_t> position_from(std::int64_t offset, Whence whence, std::int64_t current) const;

  Result<Operation::What> plan(const Access& access);
  /// A nonblocking access of one rank by the shared pointer.
  Result<p2p::Request*> start_shared(const Access& access);
  /// An operation for what could be planned, or one of nothing, for a rank whose failure must not keep the others.
  std::unique_ptr<Operation> make_operation(const Access& access, Status* failure);

  OperationRunner& runner_;
  Ref<comm::Communicator> comm_;
  int amode_;
  std::shared_ptr<PosixFile> file_;
  Hints hints_;
  ViewRef view_;
  Atomicity atomicity_ = Atomicity::kNone;
  FilePointers pointers_;
  bool leads_node_;        ///< of the ranks of the file on this node it is the first
  bool unsynced_ = false;  ///< something was written since the last sync
  Split split_;
};

}  // namespace starling::io
