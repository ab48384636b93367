// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/perfetto/packet_writer.hpp"

#include <algorithm>

namespace starling::trace::perfetto {
namespace {

constexpr std::uint64_t kSequence = 1;
constexpr std::size_t kMostNameBytes = 4096;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// The format wants UTF-8; what else programs call their communicators is shown byte by byte as '?'.
std::string printable(std::string_view text) {
  std::string copy(text.substr(0, kMostNameBytes));
  for (char& each : copy)
    if (static_cast<unsigned char>(each) < ' ' || static_cast<unsigned char>(each) > '~') each = '?';
  return copy;
}

}  // namespace

PacketWriter::PacketWriter(OutputFile& file) : file_(file) {
  const std::size_t packet = out_.open(Trace::kPacket);
  out_.number(TracePacket::kTrustedPacketSequenceId, kSequence);
  out_.number(TracePacket::kSequenceFlags, TracePacket::kIncrementalStateCleared);
  out_.number(TracePacket::kFirstPacketOnSequence, 1);
  out_.close(packet);
}

std::size_t PacketWriter::open_packet(std::uint64_t flags) {
  const std::size_t packet = out_.open(Trace::kPacket);
  out_.number(TracePacket::kTrustedPacketSequenceId, kSequence);
  out_.number(TracePacket::kSequenceFlags, flags);
  return packet;
}

void PacketWriter::close_packet(std::size_t packet) {
  out_.close(packet);
  if (out_.text().size() >= kPieceBytes) flush();
}

void PacketWriter::flush() {
  file_.write(out_.text());
  out_.clear();
}

std::uint64_t PacketWriter::track(std::string_view name, std::uint64_t parent, std::int32_t rank) {
  const std::uint64_t uuid = ++tracks_;
  const std::size_t packet = open_packet(TracePacket::kNeedsIncrementalState);
  const std::size_t track = out_.open(TracePacket::kTrackDescriptor);
  out_.number(TrackDescriptor::kUuid, uuid);
  out_.bytes(TrackDescriptor::kName, printable(name));
  if (parent != 0) out_.number(TrackDescriptor::kParentUuid, parent);
  out_.number(TrackDescriptor::kChildOrdering, TrackDescriptor::kExplicitOrder);
  out_.number(TrackDescriptor::kSiblingOrderRank, static_cast<std::uint64_t>(rank));
  out_.close(track);
  close_packet(packet);
  return uuid;
}

Word PacketWriter::word(std::uint32_t field, std::string_view text) {
  Words& words = words_[field];
  const auto [place, added] = words.try_emplace(printable(text), words.size() + 1);
  if (!added) return {place->second};
  const std::size_t packet = open_packet(TracePacket::kNeedsIncrementalState);
  const std::size_t data = out_.open(TracePacket::kInternedData);
  const std::size_t entry = out_.open(field);
  out_.number(InternedData::kIid, place->second);
  out_.bytes(InternedData::kText, place->first);
  out_.close(entry);
  out_.close(data);
  close_packet(packet);
  return {place->second};
}

void PacketWriter::open_event(std::uint64_t track, std::int64_t ns, std::uint64_t type) {
  packet_ = open_packet(TracePacket::kNeedsIncrementalState);
  out_.number(TracePacket::kTimestamp, static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)));
  event_ = out_.open(TracePacket::kTrackEvent);
  out_.number(TrackEvent::kType, type);
  out_.number(TrackEvent::kTrackUuid, track);
}

void PacketWriter::begin_slice(std::uint64_t track, std::int64_t ns, Word category, Word name) {
  open_event(track, ns, TrackEvent::kSliceBegin);
  out_.number(TrackEvent::kCategoryIids, category.iid);
  out_.number(TrackEvent::kNameIid, name.iid);
}

void PacketWriter::begin_instant(std::uint64_t track, std::int64_t ns, Word category, Word name) {
  open_event(track, ns, TrackEvent::kInstant);
  out_.number(TrackEvent::kCategoryIids, category.iid);
  out_.number(TrackEvent::kNameIid, name.iid);
}

void PacketWriter::annotate(Word key, std::int64_t number) {
  const std::size_t annotation = out_.open(TrackEvent::kDebugAnnotations);
  out_.number(DebugAnnotation::kNameIid, key.iid);
  out_.number(DebugAnnotation::kIntValue, static_cast<std::uint64_t>(number));
  out_.close(annotation);
}

void PacketWriter::annotate(Word key, Word value) {
  const std::size_t annotation = out_.open(TrackEvent::kDebugAnnotations);
  out_.number(DebugAnnotation::kNameIid, key.iid);
  out_.number(DebugAnnotation::kStringValueIid, value.iid);
  out_.close(annotation);
}

void PacketWriter::annotate_true(Word key) {
  const std::size_t annotation = out_.open(TrackEvent::kDebugAnnotations);
  out_.number(DebugAnnotation::kNameIid, key.iid);
  out_.number(DebugAnnotation::kBoolValue, 1);
  out_.close(annotation);
}

void PacketWriter::flow(std::uint64_t flow) { out_.fixed64(TrackEvent::kFlowIds, flow); }

void PacketWriter::last_of_flow(std::uint64_t flow) { out_.fixed64(TrackEvent::kTerminatingFlowIds, flow); }

void PacketWriter::finish() {
  out_.close(event_);
  close_packet(packet_);
}

void PacketWriter::end_slice(std::uint64_t track, std::int64_t ns) {
  open_event(track, ns, TrackEvent::kSliceEnd);
  finish();
}

}  // namespace starling::trace::perfetto
