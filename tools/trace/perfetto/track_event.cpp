// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/perfetto/track_event.hpp"

#include "trace/perfetto/field_numbers.hpp"
#include "trace/perfetto/wire.hpp"

namespace starling::trace::perfetto {
namespace {

bool annotate(std::string_view annotation, const InternedWords& words, TrackEventRead* event) {
  Key key = Key::kNone;
  std::uint64_t value = 0;
  for (Field field; take_field(annotation, &field);) {
    if (field.number == DebugAnnotation::kNameIid)
      key = words.key(field.value);
    else
      value = field.value;
  }
  const auto rank = static_cast<std::int32_t>(value);
  switch (key) {
    case Key::kPeer: event->peer = rank; break;
    case Key::kTag: event->tag = rank; break;
    case Key::kRoot: event->root = rank; break;
    case Key::kCulprit: event->culprit = rank; break;
    case Key::kBytes: event->bytes = value; break;
    case Key::kNumber: event->number = value; break;
    case Key::kCount: event->count = value; break;
    case Key::kSkipped: event->skipped = static_cast<std::uint32_t>(value); break;
    case Key::kCommunicator: event->context = static_cast<std::uint32_t>(value); break;
    case Key::kFunction: event->function = value; break;
    case Key::kCallSite: event->site = value; break;
    case Key::kInferred: event->inferred = value != 0; break;
    case Key::kPeakBytes: event->usage.peak_bytes = value; break;
    case Key::kProcessorTime: event->usage.processor_ns = static_cast<std::int64_t>(value); break;
    case Key::kTakenOff: event->usage.taken_off = value; break;
    case Key::kSwapped: event->usage.swapped_bytes = value; break;
    case Key::kRunning: event->usage.running_thousandths = value; break;
    case Key::kCores: event->host.cores = value; break;
    case Key::kQuota: event->host.quota_thousandths = value; break;
    case Key::kPeriods: event->host.periods = value; break;
    case Key::kThrottled: event->host.throttled = value; break;
    case Key::kSwapIns: event->host.swap_ins = value; break;
    case Key::kNone: break;
  }
  return annotation.empty();
}

}  // namespace

bool read_track_event(std::string_view text, const InternedWords& words, TrackEventRead* event) {
  for (Field field; take_field(text, &field);) {
    switch (field.number) {
      case TrackEvent::kType: event->type = field.value; break;
      case TrackEvent::kTrackUuid: event->track = field.value; break;
      case TrackEvent::kNameIid: event->name = field.value; break;
      case TrackEvent::kCategoryIids: event->category = words.category(field.value); break;
      case TrackEvent::kFlowIds:
      case TrackEvent::kTerminatingFlowIds: event->flow = field.value; break;
      case TrackEvent::kDebugAnnotations:
        if (!annotate(field.bytes, words, event)) return false;
        break;
      default: break;
    }
  }
  return text.empty();
}

}  // namespace starling::trace::perfetto
