// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Opening, closing and what a file is. Positions stand in file_seek.cpp, the data accesses in file_access.cpp.
#include "io/file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "base/format.hpp"
#include "base/status.hpp"
#include "io/agreement.hpp"
#include "io/disk/system_error.hpp"
#include "io/pointer/make_shared_pointer.hpp"
#include "io/settings/amode.hpp"
#include "io/two_phase/aggregators.hpp"
#include "world/communicators/communicators.hpp"

namespace starling::io {
namespace {

STARLING_CONFIG(sync_on_close, "IO_SYNC_ON_CLOSE", bool, true, kProcess, kProcess,
                "Whether closing a file that was written waits until the data are on the device, as MPI_File_sync "
                "does.");

/// What rank 0 tells when a file has been opened.
struct OpenState {
  std::int64_t file_bytes = 0;
  CollectiveHints hints;
};

/// What must agree in a view.
struct ViewFacts {
  std::int32_t error_class = 0;
  std::int32_t padding = 0;
  std::int64_t etype_bytes = 0;
  std::uint64_t datarep = 0;
};

/// Of ranks on several nodes: whether all have opened the same file. Collective.
Status check_same_file(world::World& world, comm::Communicator& comm, const PosixFile& file) {
  const PosixFile::Identity mine = file.identity();
  PosixFile::Identity at_first = mine;
  STARLING_TRY(world.collectives().broadcast(comm, &at_first, sizeof at_first, 0));
  if (mine.may_be(at_first)) return agree(world, comm, {});
  return agree(world, comm,
               Status::error(ErrorClass::kNotSame,
                             formatted("the file \"{}\" is not the one that rank 0 has opened on its node; choose a "
                                       "path on a file system that all nodes share",
                                       file.path())));
}

Status check_same_view(const std::vector<ViewFacts>& all, const ViewFacts& mine) {
  for (const ViewFacts& other : all) {
    if (other.error_class != 0) {
      return Status::error(static_cast<ErrorClass>(other.error_class),
                           "another rank failed in this call; its own message says why");
    }
    if (other.etype_bytes != mine.etype_bytes || other.datarep != mine.datarep) {
      return Status::error(ErrorClass::kNotSame, "the etype's extent or the datarep is not the same on all ranks");
    }
  }
  return {};
}

}  // namespace

File::File(OperationRunner& runner, Ref<comm::Communicator> comm, int amode)
    : runner_(runner), comm_(std::move(comm)), amode_(amode), hints_(runner.world().config()) {
  const std::vector<NodeRanks> nodes = nodes_of(*comm_, world().placement());
  leads_node_ = std::any_of(nodes.begin(), nodes.end(),
                            [&](const NodeRanks& node) { return node.ranks.front() == comm_->rank(); });
}

Result<Ref<File>> File::open(OperationRunner& runner, comm::Communicator& comm, const std::string& path, int amode,
                             const InfoPairs& info) {
  if (comm.is_inter()) {
    return Status::error(ErrorClass::kComm, "a file is opened on an intracommunicator; merge the two groups first");
  }
  STARLING_TRY(check_same(runner.world(), comm, amode, "amode"));
  STARLING_TRY(check_amode(amode));
  world::MadeCommunicator own = world::dup(runner.world(), comm);
  if (!own.ok()) return std::move(own).status();
  auto file = Ref<File>::adopt(new File(runner, std::move(own).value(), amode));
  file->hints_.take(info);
  STARLING_TRY(file->open_everywhere(path));
  STARLING_TRY(file->share_state());
  Result<ViewRef> view = View::create(0, TypeRef::share(&datatype::byte_type()), TypeRef::share(&datatype::byte_type()),
                                      predefined_datarep("native"));
  if (!view.ok()) return std::move(view).status();
  file->view_ = std::move(view).value();
  return file;
}

Status File::open_everywhere(const std::string& path) {
  const bool first = comm_->rank() == 0;
  const auto open_here = [&](Opener opener) -> Status {
    Result<std::shared_ptr<PosixFile>> opened =
        PosixFile::open(path, open_flags(amode_, opener), static_cast<mode_t>(hints_.permissions()));
    if (!opened.ok()) return std::move(opened).status();
    file_ = std::move(opened).value();
    return {};
  };
  // Rank 0 comes first, for only one can create the file.
  Status at_first = first ? open_here(Opener::kFirst) : Status();
  STARLING_TRY(follow_first(world(), *comm_, std::move(at_first)));
  STARLING_TRY(agree(world(), *comm_, first ? Status() : open_here(Opener::kOther)));
  return comm_->shared_domain() != nullptr ? Status() : check_same_file(world(), *comm_, *file_);
}

Status File::share_state() {
  Result<std::unique_ptr<SharedPointer>> shared = make_shared_pointer(world(), *comm_);
  if (!shared.ok()) return std::move(shared).status();
  OpenState state;
  if (comm_->rank() == 0) {
    state.hints = hints_.collective;
    Result<std::int64_t> size = file_->size();
    state.file_bytes = size.ok() && (amode_ & kAppend) != 0 ? size.value() : 0;
  }
  STARLING_TRY(world().collectives().broadcast(*comm_, &state, sizeof state, 0));
  hints_.collective = state.hints;
  pointers_ = FilePointers(std::move(shared).value());
  pointers_.set_individual(state.file_bytes);  // etypes are bytes until a view is set
  Status set;
  if (comm_->rank() == 0 && pointers_.has_shared()) set = pointers_.shared().set(state.file_bytes);
  // No rank uses the shared pointer before it is set.
  return follow_first(world(), *comm_, std::move(set));
}

Status File::remove(const std::string& path) {
  if (unlink(path.c_str()) == 0) return {};
  return system_error(errno, formatted("the file \"{}\" cannot be deleted", path));
}

Status File::close() {
  STARLING_TRY(check_no_split());
  // What a freed request left behind belongs to what is made durable here.
  runner_.finish(*file_);
  // Once all have told, none accesses the file any more.
  Result<bool> dirty = is_unsynced_anywhere();
  if (!dirty.ok()) {
    // A process may have died: every survivor does what one does for all. Others may still use the shared pointer.
    leads_node_ = true;
    static_cast<void>((amode_ & kDeleteOnClose) != 0 ? remove(file_->path()) : settle());
    return std::move(dirty).status();
  }
  Status released = pointers_.has_shared() ? pointers_.shared().release() : Status();
  const bool settles = dirty.value() || (amode_ & kDeleteOnClose) != 0;
  Status settled = agree(world(), *comm_, settles ? settle() : Status());
  return settled.ok() ? std::move(released) : std::move(settled);
}

Status File::settle() {
  if ((amode_ & kDeleteOnClose) != 0) return comm_->rank() == 0 ? remove(file_->path()) : Status();
  return leads_node_ && world().config().get(sync_on_close) ? file_->flush() : Status();
}

Status File::check_no_split() const {
  if (split_.request == nullptr) return {};
  return Status::error(ErrorClass::kOther,
                       "a split collective access of the file is under way; end it with its ..._end call first");
}

Status File::set_info(const InfoPairs& info) {
  hints_.take(info);
  return world().collectives().broadcast(*comm_, &hints_.collective, sizeof hints_.collective, 0);
}

Status File::check_new_size(std::int64_t bytes) {
  STARLING_TRY(check_no_split());
  STARLING_TRY(check_writable(amode_));
  STARLING_TRY(check_same(world(), *comm_, bytes, "size"));
  return bytes < 0 ? Status::error(ErrorClass::kArg, "size is negative; it must be 0 or more") : Status();
}

Result<bool> File::is_unsynced_anywhere() {
  Result<std::vector<std::int32_t>> unsynced = tell_all(world(), *comm_, static_cast<std::int32_t>(unsynced_));
  if (!unsynced.ok()) return std::move(unsynced).status();
  return std::count(unsynced.value().begin(), unsynced.value().end(), 0) != comm_->size();
}

Status File::set_size(std::int64_t bytes) {
  STARLING_TRY(check_new_size(bytes));
  return follow_first(world(), *comm_, comm_->rank() == 0 ? file_->resize(bytes) : Status());
}

Status File::preallocate(std::int64_t bytes) {
  STARLING_TRY(check_new_size(bytes));
  return follow_first(world(), *comm_, comm_->rank() == 0 ? file_->allocate(bytes) : Status());
}

Status File::sync() {
  STARLING_TRY(check_no_split());
  // What the processes of a node have written before they told is on the device when a flush there returns.
  Result<bool> dirty = is_unsynced_anywhere();
  if (!dirty.ok()) return std::move(dirty).status();
  unsynced_ = false;
  if (!dirty.value()) return {};
  return agree(world(), *comm_, leads_node_ ? file_->flush() : Status());
}

Status File::set_atomicity(Atomicity atomicity) {
  STARLING_TRY(check_no_split());
  STARLING_TRY(check_same(world(), *comm_, static_cast<std::int32_t>(atomicity), "flag"));
  atomicity_ = atomicity;
  return {};
}

Result<ViewRef> File::make_view(std::int64_t displacement, TypeRef etype, TypeRef filetype, DatarepRef datarep) const {
  constexpr std::int64_t kDisplacementCurrent = -1;
  const bool sequential = (amode_ & kSequential) != 0;
  if (sequential != (displacement == kDisplacementCurrent)) {
    return Status::error(ErrorClass::kArg, sequential ? "disp must be MPI_DISPLACEMENT_CURRENT in a sequential file"
                                                      : "disp is MPI_DISPLACEMENT_CURRENT, which is for files that "
                                                        "were opened with MPI_MODE_SEQUENTIAL");
  }
  if (sequential) {
    displacement = 0;
    if (pointers_.has_shared()) {
      Result<std::int64_t> etypes = pointers_.shared().get();
      if (!etypes.ok()) return std::move(etypes).status();
      displacement = view_->offset_of(etypes.value() * view_->etype_bytes());
    }
  }
  Result<ViewRef> view = View::create(displacement, std::move(etype), std::move(filetype), std::move(datarep));
  if (view.ok() && view.value()->overlaps() && (amode_ & kReadOnly) == 0) {
    return Status::error(ErrorClass::kArg, "the filetype's data overlap, and the file is open for writing");
  }
  return view;
}

Status File::set_view(std::int64_t displacement, TypeRef etype, TypeRef filetype, DatarepRef datarep,
                      const InfoPairs& info) {
  STARLING_TRY(check_no_split());
  Result<ViewRef> made = make_view(displacement, std::move(etype), std::move(filetype), std::move(datarep));
  ViewFacts mine;
  if (made.ok()) {
    mine.etype_bytes = made.value()->etype_bytes();
    mine.datarep = std::hash<std::string>()(made.value()->datarep().name());
  } else {
    mine.error_class = static_cast<std::int32_t>(made.status().error_class());
  }
  Result<std::vector<ViewFacts>> all = tell_all(world(), *comm_, mine);
  if (!all.ok()) return std::move(all).status();
  if (!made.ok()) return std::move(made).status();
  STARLING_TRY(check_same_view(all.value(), mine));
  view_ = std::move(made).value();
  pointers_.set_individual(0);
  if (comm_->rank() == 0 && pointers_.has_shared()) STARLING_TRY(pointers_.shared().set(0));
  return set_info(info);
}

}  // namespace starling::io
