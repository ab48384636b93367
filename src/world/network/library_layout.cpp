// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/network/library_layout.hpp"

#include "collective/node/arrival_history.hpp"
#include "collective/node/shared_buffer_layout.hpp"
#include "collective/parts/partial_reduction.hpp"
#include "memory/arena.hpp"
#include "memory/layout.hpp"
#include "rma/far/far_message.hpp"
#include "rma/shared/control.hpp"
#include "rma/target/target_handler.hpp"
#include "transport/shm/postbox.hpp"
#include "transport/single_copy.hpp"

namespace starling::world {
namespace {

/// Counted up when the meaning of packets, collectives or windows changes but no struct does.
constexpr std::uint64_t kProtocol = 10;

using collective::ArrivalHistory;
using collective::SharedBufferLayout;
using rma::TargetHandler;
using transport::shm::ConnectionHead;
using transport::shm::CopyDescriptor;
using transport::shm::Postbox;

}  // namespace

constexpr std::uint64_t kLayout = memory::fingerprint({kProtocol,
                                                       memory::JobHeader::kLayout,
                                                       sizeof(Postbox),
                                                       offsetof(Postbox, context_id),
                                                       offsetof(Postbox, bytes),
                                                       offsetof(Postbox, data),
                                                       sizeof(ConnectionHead),
                                                       offsetof(ConnectionHead, copy_descriptors),
                                                       sizeof(CopyDescriptor),
                                                       offsetof(CopyDescriptor, copied),
                                                       sizeof(transport::CopyOffer),
                                                       sizeof(collective::Flag),
                                                       offsetof(collective::Flag, payload),
                                                       sizeof(SharedBufferLayout::Head),
                                                       sizeof(SharedBufferLayout::Meeting),
                                                       sizeof(SharedBufferLayout::Finished),
                                                       sizeof(ArrivalHistory::Head),
                                                       sizeof(ArrivalHistory::RankTimes),
                                                       sizeof(ArrivalHistory::CallPlan),
                                                       sizeof(ArrivalHistory::Kind),
                                                       sizeof(collective::Offer),
                                                       sizeof(collective::ResultPlace),
                                                       SharedBufferLayout::kMostDepth,
                                                       SharedBufferLayout::kMostSegments,
                                                       SharedBufferLayout::kSmallestPlaceBytes,
                                                       sizeof(TargetHandler),
                                                       offsetof(TargetHandler, state),
                                                       offsetof(TargetHandler, agent_asleep),
                                                       offsetof(TargetHandler, first_address),
                                                       offsetof(TargetHandler, beside),
                                                       offsetof(TargetHandler, more_runs),
                                                       offsetof(TargetHandler, data),
                                                       sizeof(rma::OwnedLock),
                                                       sizeof(rma::SharedLock),
                                                       sizeof(rma::RankLocks),
                                                       offsetof(rma::RankLocks, accumulate),
                                                       sizeof(rma::AttachmentTable),
                                                       sizeof(rma::FarRequest),
                                                       offsetof(rma::FarRequest, bytes),
                                                       sizeof(rma::Comb),
                                                       sizeof(memory::ArenaHead)});

const std::uint64_t kLibraryLayout = kLayout;

Status agree_on_library(memory::JobSegment& segment) {
  std::uint64_t first = 0;
  auto& agreed = segment.header().library_layout;
  if (agreed.compare_exchange_strong(first, kLayout, std::memory_order_acq_rel) || first == kLayout) return {};
  return Status::error(
      ErrorClass::kOther,
      "another process of the job, or one that connects with it, has loaded another build of the library; "
      "the two builds cannot exchange messages. All processes need the same libmpi_abi.so.1: "
      "'ldd PROGRAM' names it, and LD_LIBRARY_PATH or the program's rpath chooses it");
}

}  // namespace starling::world
