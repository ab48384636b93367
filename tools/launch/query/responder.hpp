// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Responders: how a node answers the queries about its ranks. They run in the event loop of the node's agent, which
// passes on output and news of the job meanwhile, or in that of a command that looks at a job on this machine.
//
// No responder holds the loop up for more than some milliseconds: to wait for something it takes a timer or watches a
// descriptor, and what it needs then it keeps in their handlers (a shared_ptr), for nobody else owns it. It answers
// within the patience of the query.
// To add a kind: a name in QueryKind, a function with the signature of respond() in a file of its own, a line in
// respond.cpp.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <sys/types.h>

#include <functional>

#include "launch/events/event_loop.hpp"
#include "launch/query/query.hpp"
#include "launch/start/spawn.hpp"
#include "memory/job_segment.hpp"

namespace starling::launch {

/// The ranks of a node, as those see them who answer.
struct NodeView {
  const memory::JobSegment* segment = nullptr;  ///< lives as long as the loop
  pid_t worker = 0;                             ///< the parent of the ranks
  Inherited inherited;                          ///< for the helpers that a responder starts
};

/// Called once, at once or later, in the loop; never after the loop has ended.
using Reply = std::function<void(NodeReply)>;

}  // namespace starling::launch
