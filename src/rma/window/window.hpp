// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Window: memory of a group of ranks that each of them may read and write (MPI_Win).
//
// Accesses are complete at the target when their calls return: what can be reached by loads and stores is copied on the
// spot, the rest by the kernel or at the target's handler (TargetMemory). Only short puts to a target that waits in MPI
// may still be under way (PutStreams), until finish(), which a flush and the end of an epoch call. So an epoch is a
// right to access (Epochs). All locks and flags of a window lie in memory that the ranks of a node share: no call needs
// a thread of the target for them. What goes to another node goes by messages (FarSide), which are under way until
// finish().
//
// Owned by mpi/; made by OneSided::create, collectively. Thread safety: the world's lock; what waits gives it up.
// Invariants: accumulates exclude each other by the target's lock, whatever their operators and types, so each element
// is updated atomically and in the order of the calls. Source: MPI-5.0, chapter 12.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "datatype/op/op.hpp"
#include "memory/region.hpp"
#include "p2p/request/message.hpp"
#include "rma/epoch/epochs.hpp"
#include "rma/far/far_side.hpp"
#include "rma/shared/attachments.hpp"
#include "rma/shared/control.hpp"
#include "rma/shared/window_peers.hpp"
#include "rma/target/target.hpp"
#include "rma/target/target_memory.hpp"
#include "rma/window/element.hpp"

namespace starling::rma {

enum class Flavor : std::uint8_t { kCreate, kAllocate, kDynamic, kShared };

/// An accumulate of any kind; `result` has a type where the old values are wanted.
struct Accumulation {
  Buffer origin;
  Buffer result;
  Place place;
  const datatype::Op* op = nullptr;
};

class Window {
 public:
  /// What creation has found out (one_sided.cpp).
  struct Setup {
    Ref<comm::Communicator> comm;
    Flavor flavor;
    memory::JobSegment* segment = nullptr;   ///< that the ranks of this node share
    p2p::PointToPoint* messages = nullptr;   ///< to ranks of other nodes; null: there are none
    std::shared_ptr<memory::Region> region;  ///< ranks that are threads share its mapping
    std::vector<Target> targets;
    void* base = nullptr;  ///< of this rank's part
  };
  Window(progress::Engine& progress, TargetMemory memory, Setup setup);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  [[nodiscard]] comm::Communicator& comm() const noexcept { return *setup_.comm; }
  [[nodiscard]] Flavor flavor() const noexcept { return setup_.flavor; }
  [[nodiscard]] void* base() const noexcept { return setup_.base; }
  [[nodiscard]] const Target& target(std::int32_t rank) const noexcept {
    return targets_[static_cast<std::size_t>(rank)];
  }

  /// A part as loads and stores see it; nothing where they do not reach it. kProcNull: the first part with memory.
  struct SharedPart {
    void* address = nullptr;
    std::int64_t bytes = 0;
    std::int64_t disp_unit = 1;
  };
  Result<SharedPart> shared_part(std::int32_t rank) const;

  // Dynamic windows.
  Status attach(void* base, std::int64_t bytes);
  Status detach(const void* base);

  /// Of a window that spans nodes, else null.
  [[nodiscard]] FarSide* far_side() noexcept { return far_.get(); }
  [[nodiscard]] Epochs& epochs() noexcept { return epochs_; }
  [[nodiscard]] const Epochs& epochs() const noexcept { return epochs_; }
  /// This rank accesses the window no more, and others do not access this rank's part. The last rank of the node that
  /// lives returns the memory to the machine: after a death one rank frees the window while another reads what is left.
  /// Where a rank dies in between, the memory stays until the job ends.
  void leave();

  // Accesses. Datatypes are committed, counts not negative.
  Status put(const Buffer& origin, const Place& place) {
    std::byte* at = plain_place(origin, place);
    if (at == nullptr) [[unlikely]]
      return put_any(origin, place);
    copy_plain(at, static_cast<const std::byte*>(origin.address) + origin.type->true_lb(), bytes_of(origin));
    return {};
  }
  Status get(const Buffer& origin, const Place& place) {
    const std::byte* at = plain_place(origin, place);
    if (at == nullptr) [[unlikely]]
      return get_any(origin, place);
    copy_plain(static_cast<std::byte*>(origin.address) + origin.type->true_lb(), at, bytes_of(origin));
    return {};
  }
  Status accumulate(const Accumulation& what) {
    const bool one_element = what.place.count == 1 && what.place.type->is_predefined() &&
                             is_same_element(what.origin, what.place) &&
                             (what.result.type == nullptr || is_same_element(what.result, what.place));
    if (!one_element) return accumulate_any(what);
    std::uint64_t unwanted = 0;
    void* result = what.result.type != nullptr ? what.result.address : &unwanted;
    const Buffer old{result, 1, what.place.type};
    std::byte* at = plain_place(old, what.place);
    const Combine combine = find_combine(what.op->predefined_op(), what.place.type->basic());
    if (at == nullptr || combine == nullptr) return accumulate_any(what);
    combine_alone(combine, what.origin.address, at, result, what.place.rank);
    return {};
  }
  /// One element of a predefined type; `result` takes the old value.
  Status fetch_and_op(const void* origin, void* result, const Place& place, const datatype::Op& op) {
    const Buffer old{result, 1, place.type};
    std::byte* at = plain_place(old, place);
    const Combine combine = find_combine(op.predefined_op(), place.type->basic());
    if (at == nullptr || combine == nullptr) [[unlikely]]
      return accumulate_any({{const_cast<void*>(origin), 1, place.type}, old, place, &op});
    combine_alone(combine, origin, at, result, place.rank);
    return {};
  }
  Status compare_and_swap(const void* origin, const void* compare, void* result, const Place& place);

  /// Waits until what was put at a target, or at all, is there; the puts of other windows, too. rank may be kProcNull.
  Status finish(std::int32_t rank) {
    if (rank == p2p::kProcNull) return {};
    const Target& goal = target(rank);
    if (goal.reach == Reach::kFar) [[unlikely]]
      return far_->origin().finish(rank);
    return memory_.finish(goal);
  }
  Status finish_all() { return far_ ? finish_all_and_far() : memory_.finish_all(); }
  /// Waits until the buffers of this rank's accesses are free, and what they get has come. rank may be kProcNull.
  Status finish_here(std::int32_t rank) {
    return !far_ || rank == p2p::kProcNull ? Status() : far_->origin().finish_here(rank);
  }
  /// What completes with the accesses to a rank so far, at this end; null: they are complete. rank may be kProcNull.
  [[nodiscard]] p2p::Request* watch(std::int32_t rank) {
    return !far_ || rank == p2p::kProcNull ? nullptr : far_->origin().watch(rank);
  }
  Status finish_here_all() { return far_ ? far_->origin().finish_here_all() : Status(); }

 private:
  /// Where a plain access goes: a target in an open epoch, within reach and range, contiguous data of one size on both
  /// sides. Null otherwise, also for what is merely unusual.
  std::byte* plain_place(const Buffer& origin, const Place& place) noexcept {
    constexpr std::int64_t kManyElements = std::int64_t{1} << 31;
    if (static_cast<std::uint32_t>(place.rank) >= targets_.size()) return nullptr;
    const Target& target = targets_[static_cast<std::uint32_t>(place.rank)];
    if (!epochs_.allow(target) || !target.plain) return nullptr;
    if (!origin.type->is_contiguous() || !place.type->is_contiguous()) return nullptr;
    if (origin.count >= kManyElements || place.count >= kManyElements) return nullptr;
    std::int64_t begin = 0;
    const std::int64_t bytes = place.count * place.type->size();
    if (bytes != bytes_of(origin) || __builtin_mul_overflow(place.disp, target.disp_unit, &begin) ||
        __builtin_add_overflow(begin, place.type->true_lb(), &begin)) {
      return nullptr;
    }
    const auto room = static_cast<std::int64_t>(target.bytes);
    if (begin < 0 || bytes > room || begin > room - bytes || bytes == 0) return nullptr;
    epochs_.note_access();
    return reinterpret_cast<std::byte*>(  // NOLINT(performance-no-int-to-ptr)
        target.address + static_cast<std::uint64_t>(begin));
  }

  static std::int64_t bytes_of(const Buffer& buffer) noexcept { return buffer.count * buffer.type->size(); }
  static bool is_same_element(const Buffer& buffer, const Place& place) noexcept {
    return buffer.count == 1 && buffer.type == place.type;
  }

  void combine_alone(Combine combine, const void* origin, void* at, void* result, std::int32_t rank) {
    SharedLock& lock = control_.accumulate(rank);
    peers_.take_exclusive(lock);
    combine(origin, at, result);
    peers_.drop_exclusive(lock);
  }

  /// The size that dominates is a single move.
  static void copy_plain(std::byte* to, const std::byte* from, std::int64_t bytes) noexcept {
    if (bytes == 8) {
      std::memcpy(to, from, 8);
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
  }

  Status finish_all_and_far();
  Status put_any(const Buffer& origin, const Place& place);
  Status get_any(const Buffer& origin, const Place& place);
  /// False: the put must go another way.
  bool begin_put(const Target& goal, const TargetPosition& at, const Buffer& origin);
  Status accumulate_any(const Accumulation& what);

  /// Where the data of an access lie, if it is allowed and in range.
  Result<TargetPosition> locate(const Place& place);
  [[nodiscard]] Status check_range(const Place& place) const;

  static Status check_accumulation(const Accumulation& accumulation);
  class Accumulator;

  [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(targets_.size()); }

  std::vector<Target> targets_;
  Control control_;
  WindowPeers peers_;
  std::unique_ptr<FarSide> far_;
  Epochs epochs_;
  TargetMemory memory_;
  Setup setup_;
  std::int32_t rank_;
  Attachments attachments_;
};

}  // namespace starling::rma
