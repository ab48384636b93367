// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The numbers of the fields of Perfetto's trace format that are written and read here, under their names there:
// https://github.com/google/perfetto, protos/perfetto/trace. A file is one message Trace.
#pragma once

#include <cstdint>

namespace starling::trace::perfetto {

struct Trace {
  static constexpr std::uint32_t kPacket = 1;
};

struct TracePacket {
  static constexpr std::uint32_t kTimestamp = 8;  ///< ns
  static constexpr std::uint32_t kTrustedPacketSequenceId = 10;
  static constexpr std::uint32_t kTrackEvent = 11;
  static constexpr std::uint32_t kInternedData = 12;
  static constexpr std::uint32_t kSequenceFlags = 13;
  static constexpr std::uint32_t kTrackDescriptor = 60;
  static constexpr std::uint32_t kFirstPacketOnSequence = 87;
  static constexpr std::uint64_t kIncrementalStateCleared = 1;
  static constexpr std::uint64_t kNeedsIncrementalState = 2;
};

struct InternedData {
  static constexpr std::uint32_t kEventCategories = 1;
  static constexpr std::uint32_t kEventNames = 2;
  static constexpr std::uint32_t kDebugAnnotationNames = 3;
  static constexpr std::uint32_t kDebugAnnotationStringValues = 29;
  // Of each entry of these: EventCategory, EventName, DebugAnnotationName, InternedString.
  static constexpr std::uint32_t kIid = 1;
  static constexpr std::uint32_t kText = 2;
};

struct TrackDescriptor {
  static constexpr std::uint32_t kUuid = 1;
  static constexpr std::uint32_t kName = 2;
  static constexpr std::uint32_t kParentUuid = 5;
  static constexpr std::uint32_t kCounter = 8;
  static constexpr std::uint32_t kChildOrdering = 11;
  static constexpr std::uint32_t kSiblingOrderRank = 12;
  static constexpr std::uint64_t kExplicitOrder = 3;
};

struct CounterDescriptor {
  static constexpr std::uint32_t kUnit = 3;
  static constexpr std::uint64_t kUnitSizeBytes = 3;
};

struct TrackEvent {
  static constexpr std::uint32_t kCategoryIids = 3;
  static constexpr std::uint32_t kDebugAnnotations = 4;
  static constexpr std::uint32_t kType = 9;
  static constexpr std::uint32_t kNameIid = 10;
  static constexpr std::uint32_t kTrackUuid = 11;
  static constexpr std::uint32_t kCounterValue = 30;
  static constexpr std::uint32_t kFlowIds = 47;             ///< fixed64
  static constexpr std::uint32_t kTerminatingFlowIds = 48;  ///< fixed64
  static constexpr std::uint64_t kSliceBegin = 1;
  static constexpr std::uint64_t kSliceEnd = 2;
  static constexpr std::uint64_t kInstant = 3;
  static constexpr std::uint64_t kCounter = 4;
};

struct DebugAnnotation {
  static constexpr std::uint32_t kNameIid = 1;
  static constexpr std::uint32_t kBoolValue = 2;
  static constexpr std::uint32_t kUintValue = 3;
  static constexpr std::uint32_t kIntValue = 4;
  static constexpr std::uint32_t kStringValueIid = 17;
};

}  // namespace starling::trace::perfetto
