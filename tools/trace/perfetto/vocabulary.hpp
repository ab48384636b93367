// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The words by which Starling's own traces say what no field of Perfetto's format is for. The writer and the reader
// share them; a person sees them in the timeline.
#pragma once

#include <string_view>

namespace starling::trace::perfetto::vocabulary {

inline constexpr std::string_view kJobTrack = "Starling job";  ///< the beginning of the name of the outermost track
inline constexpr std::string_view kRankTrack = "rank ";        ///< then its number

// Categories.
inline constexpr std::string_view kCallCategory = "call";
inline constexpr std::string_view kCollectiveCategory = "collective";
inline constexpr std::string_view kWaitCategory = "wait";
inline constexpr std::string_view kMessageCategory = "message";
inline constexpr std::string_view kTotalCategory = "total";
inline constexpr std::string_view kNoteCategory = "note";

// Events of the categories message and total.
inline constexpr std::string_view kSent = "sent";
inline constexpr std::string_view kReceived = "received";
inline constexpr std::string_view kAllToPeer = "all messages to a rank";
inline constexpr std::string_view kAllCalls = "all calls of a function";
inline constexpr std::string_view kUsage = "memory and processor of a rank";
inline constexpr std::string_view kHost = "cores and limits of a host";
inline constexpr std::string_view kLost = "events overwritten before they were read";

// Annotations.
inline constexpr std::string_view kPeer = "peer";
inline constexpr std::string_view kTag = "tag";
inline constexpr std::string_view kBytes = "bytes";
inline constexpr std::string_view kCommunicator = "communicator";
inline constexpr std::string_view kNumber = "number on the communicator";
inline constexpr std::string_view kRoot = "root";
inline constexpr std::string_view kSkipped = "calls before it that were only counted";
inline constexpr std::string_view kCulprit = "for rank";
inline constexpr std::string_view kInferred = "inferred";
inline constexpr std::string_view kFunction = "function";
inline constexpr std::string_view kCallSite = "call site";
inline constexpr std::string_view kCount = "count";
inline constexpr std::string_view kPeakBytes = "peak memory in bytes";
inline constexpr std::string_view kProcessorTime = "processor time in ns";
inline constexpr std::string_view kTakenOff = "times that others took its core";
inline constexpr std::string_view kSwapped = "bytes in swap";
inline constexpr std::string_view kRunning = "thousandths of a thread that ran";
inline constexpr std::string_view kCores = "cores";
inline constexpr std::string_view kQuota = "thousandths of a core that the control group allows";
inline constexpr std::string_view kPeriods = "periods of the control group";
inline constexpr std::string_view kThrottled = "periods in which it stopped its processes";
inline constexpr std::string_view kSwapIns = "pages read from swap";

}  // namespace starling::trace::perfetto::vocabulary
