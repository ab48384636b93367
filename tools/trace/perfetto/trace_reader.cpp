// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/perfetto/trace_reader.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "trace/file/mapped_file.hpp"
#include "trace/perfetto/field_numbers.hpp"
#include "trace/perfetto/interned_words.hpp"
#include "trace/perfetto/vocabulary.hpp"
#include "trace/perfetto/wire.hpp"

namespace starling::trace::perfetto {
namespace {

/// A packet's field TrackEvent, with its annotations.
struct TrackEventRead {
  std::uint64_t type = 0;
  std::uint64_t track = 0;
  std::uint64_t name = 0;
  std::uint64_t flow = 0;
  Category category = Category::kNone;
  std::int32_t peer = kNoRank;
  std::int32_t tag = -1;
  std::int32_t root = -1;
  std::int32_t culprit = kNoRank;
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;
  std::uint64_t count = 0;
  std::uint32_t context = 0;
  std::uint32_t skipped = 0;
  std::uint64_t function = 0;  ///< a value's number
  std::uint64_t site = 0;      ///< a value's number
  bool inferred = false;
  RankUsage usage;
  HostTotals host;
};

/// A rank's thread, and the call that it is in.
struct Track {
  std::int32_t rank = kNoRank;
  std::uint32_t thread = 0;
  int depth = 0;       ///< 1: in a call, 2: in a wait within it
  bool named = false;  ///< the call has a name
  Call call;
};

std::int32_t number_after(std::string_view text, std::string_view words) {
  std::int32_t number = kNoRank;
  if (!text.starts_with(words)) return kNoRank;
  text.remove_prefix(words.size());
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class TraceReader {
 public:
  explicit TraceReader(TimelineSink& sink) : sink_(sink) {}

  /// False: it is no packet.
  bool packet(std::string_view packet);
  /// how: what is to be said of the end of the file, if anything.
  void end(std::string_view how);
  [[nodiscard]] bool of_starling() const { return of_starling_; }

 private:
  bool add_track(std::string_view descriptor);
  bool read_event(std::string_view text, TrackEventRead* event);
  bool annotate(std::string_view annotation, TrackEventRead* event);
  void event(std::int64_t ns, const TrackEventRead& event);
  void begin_slice(Track& track, std::int64_t ns, const TrackEventRead& event);
  void end_slice(Track& track, std::int64_t ns);
  void instant(Track& track, std::int64_t ns, const TrackEventRead& event);
  void total(Track& track, std::int64_t ns, const TrackEventRead& event);
  void host_total(std::int64_t ns, const TrackEventRead& event);
  void begin_sink();
  void introduce(std::uint64_t name);
  /// The number of the site whose text is this value; 0: there is none.
  std::uint32_t introduce_site(std::uint64_t value);

  TimelineSink& sink_;
  InternedWords words_;
  JobFacts facts_;
  bool of_starling_ = false;
  bool begun_ = false;
  std::int64_t last_ns_ = 0;
  std::uint64_t job_track_ = 0;
  std::unordered_map<std::uint64_t, std::int32_t> hosts_;  ///< by track
  std::unordered_map<std::uint64_t, Track> tracks_;
  std::vector<bool> introduced_;        ///< by word
  std::vector<bool> introduced_sites_;  ///< by value
  std::map<std::string, std::uint32_t, std::less<>> functions_;
  std::map<std::int32_t, RankTotals> totals_;
};

bool TraceReader::packet(std::string_view packet) {
  std::int64_t ns = 0;
  std::string_view event_text;
  for (Field field; take_field(packet, &field);) {
    if (field.number == TracePacket::kTimestamp) ns = static_cast<std::int64_t>(field.value);
    if (field.type != WireType::kBytes) continue;
    if (field.number == TracePacket::kInternedData && !words_.add(field.bytes)) return false;
    if (field.number == TracePacket::kTrackDescriptor && !add_track(field.bytes)) return false;
    if (field.number == TracePacket::kTrackEvent) event_text = field.bytes;
  }
  if (!packet.empty()) return false;
  if (event_text.empty() || !of_starling_) return true;
  TrackEventRead read;
  if (!read_event(event_text, &read)) return false;
  event(std::max<std::int64_t>(ns, 0), read);
  return true;
}

bool TraceReader::add_track(std::string_view descriptor) {
  constexpr std::int32_t kMostRanks = std::int32_t{1} << 22;
  std::uint64_t uuid = 0, parent = 0;
  std::string_view name;
  for (Field field; take_field(descriptor, &field);) {
    if (field.number == TrackDescriptor::kUuid) uuid = field.value;
    if (field.number == TrackDescriptor::kParentUuid) parent = field.value;
    if (field.number == TrackDescriptor::kName) name = field.bytes;
  }
  if (!descriptor.empty()) return false;
  if (name.starts_with(vocabulary::kJobTrack)) {
    of_starling_ = true;
    job_track_ = uuid;
  } else if (const std::int32_t rank = number_after(name, vocabulary::kRankTrack);
             hosts_.contains(parent) && rank >= 0) {
    if (rank >= kMostRanks) return false;
    facts_.host_of.resize(std::max(facts_.host_of.size(), static_cast<std::size_t>(rank) + 1), 0);
    facts_.host_of[static_cast<std::size_t>(rank)] = hosts_[parent];
    tracks_[uuid].rank = rank;
  } else if (const auto of = tracks_.find(parent); of != tracks_.end()) {
    const std::int32_t owner = of->second.rank;
    Track& track = tracks_[uuid];
    track.rank = owner;
    const std::string_view::size_type comma = name.find(',');
    track.thread = static_cast<std::uint32_t>(
        std::max(0, comma == std::string_view::npos ? 0 : number_after(name.substr(comma), ", thread ")));
  } else if (of_starling_ && parent == job_track_) {
    hosts_[uuid] = static_cast<std::int32_t>(facts_.hosts.size());
    facts_.hosts.emplace_back(name);
  }
  return true;
}

bool TraceReader::read_event(std::string_view text, TrackEventRead* event) {
  for (Field field; take_field(text, &field);) {
    switch (field.number) {
      case TrackEvent::kType: event->type = field.value; break;
      case TrackEvent::kTrackUuid: event->track = field.value; break;
      case TrackEvent::kNameIid: event->name = field.value; break;
      case TrackEvent::kCategoryIids: event->category = words_.category(field.value); break;
      case TrackEvent::kFlowIds:
      case TrackEvent::kTerminatingFlowIds: event->flow = field.value; break;
      case TrackEvent::kDebugAnnotations:
        if (!annotate(field.bytes, event)) return false;
        break;
      default: break;
    }
  }
  return text.empty();
}

bool TraceReader::annotate(std::string_view annotation, TrackEventRead* event) {
  Key key = Key::kNone;
  std::uint64_t value = 0;
  for (Field field; take_field(annotation, &field);) {
    if (field.number == DebugAnnotation::kNameIid)
      key = words_.key(field.value);
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

void TraceReader::begin_sink() {
  if (begun_) return;
  begun_ = true;
  facts_.process_of.resize(facts_.host_of.size(), 0);
  sink_.begin(facts_);
}

void TraceReader::introduce(std::uint64_t name) {
  if (name < introduced_.size() && introduced_[name]) return;
  if (name >= introduced_.size()) introduced_.resize(name + 1);
  introduced_[name] = true;
  functions_[words_.name(name).text] = static_cast<std::uint32_t>(name);
  sink_.function(static_cast<std::uint32_t>(name), words_.name(name).text);
}

std::uint32_t TraceReader::introduce_site(std::uint64_t value) {
  const std::string& text = words_.value(value);
  if (text.empty()) return 0;
  if (value >= introduced_sites_.size()) introduced_sites_.resize(value + 1);
  if (!introduced_sites_[value]) sink_.site(static_cast<std::uint32_t>(value), text);
  introduced_sites_[value] = true;
  return static_cast<std::uint32_t>(value);
}

void TraceReader::event(std::int64_t ns, const TrackEventRead& event) {
  begin_sink();
  last_ns_ = std::max(last_ns_, ns);
  if (event.category == Category::kNote && event.track == job_track_) return sink_.note(words_.name(event.name).text);
  const auto found = tracks_.find(event.track);
  if (found == tracks_.end()) return host_total(ns, event);
  Track& track = found->second;
  switch (event.type) {
    case TrackEvent::kSliceBegin: return begin_slice(track, ns, event);
    case TrackEvent::kSliceEnd: return end_slice(track, ns);
    case TrackEvent::kInstant: return instant(track, ns, event);
    default: return;
  }
}

void TraceReader::begin_slice(Track& track, std::int64_t ns, const TrackEventRead& event) {
  ++track.depth;
  Call& call = track.call;
  if (track.depth == 2) {
    call.waits.push_back({ns, ns, words_.name(event.name).cause, event.culprit, event.inferred});
    return;
  }
  if (track.depth > 2) return;
  track.named = words_.has_name(event.name);
  if (!track.named) return;
  introduce(event.name);
  call.rank = track.rank;
  call.thread = track.thread;
  call.function = static_cast<std::uint32_t>(event.name);
  call.site = introduce_site(event.site);
  call.collective = event.category == Category::kCollective;
  call.open = false;
  call.begin_ns = ns;
  call.skipped = event.skipped;
  call.context = event.context;
  call.number = event.number;
  call.root = event.root;
  call.bytes = event.bytes;
  call.flow = event.flow;
  call.waits.clear();
  call.messages.clear();
}

void TraceReader::end_slice(Track& track, std::int64_t ns) {
  if (track.depth == 0) return;
  --track.depth;
  Call& call = track.call;
  if (track.depth == 1 && !call.waits.empty()) call.waits.back().end_ns = std::max(ns, call.waits.back().begin_ns);
  if (track.depth > 0 || !track.named) return;
  call.end_ns = std::max(ns, call.begin_ns);
  sink_.call(call);
}

void TraceReader::instant(Track& track, std::int64_t ns, const TrackEventRead& event) {
  constexpr std::size_t kMostOfCall = 1 << 16;
  if (event.category == Category::kTotal) return total(track, ns, event);
  if (event.category != Category::kMessage) return;
  const bool sent = words_.name(event.name).name == Name::kSent;
  const MessageEnd end{ns, event.bytes, event.flow, event.peer, event.tag, event.context, sent};
  if (track.depth > 0 && track.call.messages.size() < kMostOfCall)
    track.call.messages.push_back(end);
  else
    sink_.message(track.rank, track.thread, end);
}

void TraceReader::total(Track& track, std::int64_t ns, const TrackEventRead& event) {
  RankTotals& totals = totals_[track.rank];
  totals.rank = track.rank;
  totals.end_ns = ns;
  switch (words_.name(event.name).name) {
    case Name::kAllToPeer: totals.traffic.push_back({event.peer, event.count, event.bytes}); return;
    case Name::kUsage: totals.usage = event.usage; return;
    case Name::kLost: totals.lost += event.count; return;
    case Name::kAllCalls: break;
    default: return;
  }
  const std::string& name = words_.value(event.function);
  // A function none of whose calls is on the timeline has no number yet: take one that no word has.
  constexpr std::uint32_t kFirstOwn = std::uint32_t{1} << 24;
  const auto [place, added] = functions_.try_emplace(name, kFirstOwn + static_cast<std::uint32_t>(functions_.size()));
  if (added) sink_.function(place->second, name);
  totals.calls.push_back({place->second, event.count});
}

void TraceReader::host_total(std::int64_t ns, const TrackEventRead& event) {
  const auto host = hosts_.find(event.track);
  if (host == hosts_.end() || event.category != Category::kTotal || words_.name(event.name).name != Name::kHost) return;
  HostTotals totals = event.host;
  totals.host = host->second;
  totals.end_ns = ns;
  sink_.totals(totals);
}

void TraceReader::end(std::string_view how) {
  begin_sink();
  for (auto& [uuid, track] : tracks_) {
    if (track.depth == 0 || !track.named) continue;
    track.call.end_ns = std::max(last_ns_, track.call.begin_ns);
    track.call.open = true;
    for (WaitPart& part : track.call.waits) part.end_ns = std::max(part.begin_ns, part.end_ns);
    sink_.call(track.call);
  }
  for (const auto& [rank, totals] : totals_) sink_.totals(totals);
  if (!how.empty()) sink_.note(how);
}

/// Why what is left of a file is no packet: it has been cut there, or is damaged.
std::string what_ends_it(std::string_view rest, std::size_t at) {
  std::uint64_t key = 0, length = 0;
  const bool begins = take_varint(rest, &key) && key == (Trace::kPacket << 3 | static_cast<unsigned>(WireType::kBytes));
  const bool cut = rest.empty() || (begins && (!take_varint(rest, &length) || length > rest.size()));
  if (cut) return "the file ends in the middle: what comes before holds, and the totals at its end are missing";
  return formatted("the file is damaged at byte {}: only what comes before was read", at);
}

}  // namespace

Status read_trace(const std::string& path, TimelineSink& sink) {
  constexpr std::size_t kBetweenReleases = std::size_t{1} << 26;
  Result<std::unique_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file.ok()) return std::move(file).status();
  const std::span<const std::byte> bytes = file.value()->bytes();
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (rest.empty()) return unreadable(path, "it is empty");
  TraceReader reader(sink);
  std::size_t release_at = kBetweenReleases;
  bool good = true;
  while (good && !rest.empty()) {
    Field packet;
    std::string_view after = rest;
    good = take_field(after, &packet) && packet.number == Trace::kPacket && packet.type == WireType::kBytes &&
           reader.packet(packet.bytes);
    if (good) rest = after;
    if (bytes.size() - rest.size() < release_at) continue;
    file.value()->release();
    release_at += kBetweenReleases;
  }
  if (!reader.of_starling()) return unreadable(path, "it is not a trace that mpiexec --trace has written");
  reader.end(good ? std::string() : what_ends_it(rest, bytes.size() - rest.size()));
  return Status();
}

}  // namespace starling::trace::perfetto
