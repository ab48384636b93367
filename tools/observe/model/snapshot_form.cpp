// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/model/snapshot_form.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/byte_stream.hpp"
#include "observe/packet_counts.hpp"

namespace starling::observe {
namespace {

constexpr std::uint32_t kFormWord = 0x33504e53;  // "SNP3": raised with each change of the form
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kMostEarlier = 16;  // collectives of a rank

void put_short_text(ByteWriter& writer, const std::string& text) {
  writer.put_text(std::string_view(text).substr(0, kLongestText));
}

template <typename T, typename Put>
void put_optional(ByteWriter& writer, const std::optional<T>& value, Put put) {
  writer.put(static_cast<std::uint8_t>(value.has_value()));
  if (value) put(writer, *value);
}

/// Reads what strangers may have written; each value outside of its range makes the whole damaged.
class FormReader {
 public:
  explicit FormReader(std::string_view bytes) : reader_(bytes) {}

  template <typename T>
  [[nodiscard]] T number() {
    return reader_.get<T>();
  }
  [[nodiscard]] bool flag() { return limited<std::uint8_t>(1) != 0; }
  template <typename T>
  [[nodiscard]] T limited(T most) {
    const T value = reader_.get<T>();
    good_ = good_ && value <= most;
    return good_ ? value : T{};
  }
  template <typename Kind>
  [[nodiscard]] Kind kind(Kind last) {
    return static_cast<Kind>(limited(static_cast<std::uint8_t>(last)));
  }
  [[nodiscard]] std::string text() {
    std::string text = reader_.get_text();
    good_ = good_ && text.size() <= kLongestText;
    return text;
  }
  template <typename Get>
  [[nodiscard]] auto optional(Get get) -> std::optional<decltype(get())> {
    if (!flag()) return std::nullopt;
    return get();
  }
  void refuse() { good_ = false; }
  [[nodiscard]] bool good() const { return good_ && reader_.ok(); }
  [[nodiscard]] bool good_and_at_end() const { return good_ && reader_.ok_and_at_end(); }

 private:
  ByteReader reader_;
  bool good_ = true;
};

void put_wait(ByteWriter& writer, const Wait& wait) {
  writer.put(wait.kind()).put(wait.pending()).put(static_cast<std::uint8_t>(wait.awaited().size()));
  for (const Awaited& each : wait.awaited()) {
    writer.put(each.peer.value).put(each.tag).put(each.context_id).put(each.as);
    writer.put(static_cast<std::uint8_t>(each.under_way));
  }
}

Wait get_wait(FormReader& reader) {
  Wait wait(reader.kind(WaitKind::kConnection));
  const auto pending = reader.number<std::uint32_t>();
  const auto told = reader.limited<std::uint8_t>(Wait::kMost);
  for (std::uint8_t i = 0; i < told; ++i) {
    Awaited each;
    each.peer = PeerId(reader.number<std::int32_t>());
    each.tag = reader.number<std::int32_t>();
    each.context_id = reader.number<std::uint32_t>();
    each.as = reader.kind(AwaitedAs::kWindow);
    each.under_way = reader.flag();
    wait.add(each);
  }
  if (pending < told)
    reader.refuse();
  else
    wait.add_untold(pending - told);
  return wait;
}

void put_collective(ByteWriter& writer, const CollectiveCall& call) {
  put_short_text(writer, call.call);
  writer.put(call.context).put(call.sequence).put(call.root).put(call.bytes);
}

CollectiveCall get_collective(FormReader& reader) {
  CollectiveCall call;
  call.call = reader.text();
  call.context = reader.number<std::uint32_t>();
  call.sequence = reader.number<std::uint64_t>();
  call.root = reader.number<std::int32_t>();
  call.bytes = reader.number<std::uint64_t>();
  return call;
}

void put_rank(ByteWriter& writer, const RankSnapshot& rank) {
  writer.put(rank.activity);
  put_short_text(writer, rank.call);
  put_optional(writer, rank.time_ns, [](ByteWriter& to, std::int64_t time) { to.put(time); });
  put_wait(writer, rank.wait);
  writer.put(static_cast<std::uint8_t>(rank.quiet)).put(static_cast<std::uint8_t>(rank.threaded));
  put_optional(writer, rank.collective, put_collective);
  const auto earlier = std::min(rank.earlier_collectives.size(), kMostEarlier);
  writer.put(static_cast<std::uint8_t>(earlier));
  for (std::size_t i = 0; i < earlier; ++i) put_collective(writer, rank.earlier_collectives[i]);
  writer.put(rank.steps).put(rank.taken);
  put_short_text(writer, rank.position);
}

RankSnapshot get_rank(FormReader& reader) {
  RankSnapshot rank;
  rank.activity = reader.kind(Activity::kElsewhere);
  rank.call = reader.text();
  rank.time_ns = reader.optional([&] { return reader.number<std::int64_t>(); });
  rank.wait = get_wait(reader);
  rank.quiet = reader.flag();
  rank.threaded = reader.flag();
  rank.collective = reader.optional([&] { return get_collective(reader); });
  for (auto left = reader.limited(static_cast<std::uint8_t>(kMostEarlier)); left > 0 && reader.good(); --left)
    rank.earlier_collectives.push_back(get_collective(reader));
  rank.steps = reader.number<std::uint64_t>();
  rank.taken = reader.number<std::uint32_t>();
  rank.position = reader.text();
  return rank;
}

/// Members are written as rows of neighbours, counts only where they are known.
void put_communicator(ByteWriter& writer, const CommunicatorSnapshot& communicator) {
  writer.put(communicator.context).put(static_cast<std::uint8_t>(communicator.inter));
  put_short_text(writer, communicator.name);
  std::vector<std::pair<std::int32_t, std::int32_t>> rows;
  for (const std::int32_t member : communicator.members) {
    if (!rows.empty() && rows.back().second + 1 == member)
      rows.back().second = member;
    else
      rows.emplace_back(member, member);
  }
  writer.put_list(rows, [](ByteWriter& to, const auto& row) { to.put(row.first).put(row.second); });
  const auto known = static_cast<std::uint32_t>(
      std::ranges::count_if(communicator.begun, [](const auto& count) { return count.has_value(); }));
  writer.put(known);
  for (std::uint32_t place = 0; place < communicator.begun.size(); ++place) {
    if (communicator.begun[place]) writer.put(place).put(*communicator.begun[place]);
  }
}

std::vector<std::int32_t> get_members(FormReader& reader, std::size_t ranks) {
  std::vector<std::int32_t> members;
  std::int32_t next = 0;
  for (auto rows = reader.limited<std::uint64_t>(ranks); rows > 0 && reader.good(); --rows) {
    const auto first = reader.number<std::int32_t>();
    const auto last = reader.number<std::int32_t>();
    if (first < next || last < first || static_cast<std::size_t>(last) >= ranks) return reader.refuse(), members;
    for (std::int32_t member = first; member <= last; ++member) members.push_back(member);
    next = last + 1;
  }
  if (members.empty()) reader.refuse();
  return members;
}

CommunicatorSnapshot get_communicator(FormReader& reader, std::size_t ranks) {
  CommunicatorSnapshot communicator;
  communicator.context = reader.number<std::uint32_t>();
  communicator.inter = reader.flag();
  communicator.name = reader.text();
  communicator.members = get_members(reader, ranks);
  communicator.begun.resize(communicator.members.size());
  for (auto known = reader.limited(static_cast<std::uint32_t>(ranks)); known > 0 && reader.good(); --known) {
    const auto place = reader.number<std::uint32_t>();
    if (place >= communicator.begun.size()) return reader.refuse(), communicator;
    communicator.begun[place] = reader.number<std::uint64_t>();
  }
  return communicator;
}

/// As many as are to be written.
std::size_t written_communicators(const Snapshot& snapshot) {
  std::size_t members = 0;
  std::size_t count = 0;
  for (const CommunicatorSnapshot& each : snapshot.communicators) {
    members += each.members.size();
    if (count == kMostCommunicators || members > kMostMembers) break;
    ++count;
  }
  return count;
}

bool read_ranks(FormReader& reader, Snapshot& snapshot) {
  const auto most = static_cast<std::uint32_t>(snapshot.ranks.size());
  for (auto left = reader.limited(most); left > 0 && reader.good(); --left) {
    const auto number = reader.number<std::uint32_t>();
    if (number >= most) return false;
    snapshot.ranks[number] = get_rank(reader);
  }
  return reader.good();
}

bool read_given(FormReader& reader, Snapshot& snapshot) {
  const auto most = static_cast<std::uint64_t>(snapshot.ranks.size());
  for (auto left = reader.limited(most); left > 0 && reader.good(); --left)
    snapshot.given.push_back(reader.number<std::uint32_t>());
  return reader.good();
}

bool read_communicators(FormReader& reader, Snapshot& snapshot) {
  std::size_t members = 0;
  for (auto left = reader.limited<std::uint32_t>(kMostCommunicators); left > 0 && reader.good(); --left) {
    snapshot.communicators.push_back(get_communicator(reader, snapshot.ranks.size()));
    members += snapshot.communicators.back().members.size();
    if (members > kMostMembers) return false;
  }
  return reader.good();
}

void add_communicator(std::map<std::pair<std::uint32_t, std::int32_t>, CommunicatorSnapshot>& all,
                      const CommunicatorSnapshot& part) {
  if (part.members.empty()) return;
  const auto [place, is_new] = all.try_emplace({part.context, part.members.front()}, part);
  CommunicatorSnapshot& whole = place->second;
  // Another one with the same first member: it is being made, or has just been freed, on one of the nodes.
  if (is_new || whole.members != part.members) return;
  if (whole.name.empty()) whole.name = part.name;
  whole.begun.resize(whole.members.size());
  for (std::size_t i = 0; i < part.begun.size() && i < whole.begun.size(); ++i) {
    if (part.begun[i]) whole.begun[i] = std::max(whole.begun[i].value_or(0), *part.begun[i]);
  }
}

}  // namespace

std::string serialised(const Snapshot& snapshot) {
  ByteWriter writer;
  writer.put(kFormWord).put(static_cast<std::uint32_t>(snapshot.ranks.size()));
  writer.put(static_cast<std::uint8_t>(snapshot.one_node)).put(static_cast<std::uint8_t>(snapshot.connected_jobs));
  const auto is_here = [](const RankSnapshot& rank) { return rank.activity != Activity::kElsewhere; };
  writer.put(static_cast<std::uint32_t>(std::ranges::count_if(snapshot.ranks, is_here)));
  for (std::uint32_t number = 0; number < snapshot.ranks.size(); ++number) {
    if (is_here(snapshot.ranks[number])) put_rank(writer.put(number), snapshot.ranks[number]);
  }
  writer.put_list(snapshot.given, [](ByteWriter& to, std::uint32_t packets) { to.put(packets); });
  const std::size_t communicators = written_communicators(snapshot);
  writer.put(static_cast<std::uint32_t>(communicators));
  for (std::size_t i = 0; i < communicators; ++i) put_communicator(writer, snapshot.communicators[i]);
  return writer.take();
}

Result<Snapshot> parse_snapshot(std::string_view bytes, std::size_t ranks) {
  FormReader reader(bytes);
  Snapshot snapshot;
  const bool is_of_job =
      reader.number<std::uint32_t>() == kFormWord && reader.number<std::uint32_t>() == ranks && reader.good();
  if (is_of_job) {
    snapshot.one_node = reader.flag();
    snapshot.connected_jobs = reader.flag();
    snapshot.ranks.resize(ranks);
    for (RankSnapshot& rank : snapshot.ranks) rank.activity = Activity::kElsewhere;
    const bool is_whole =
        read_ranks(reader, snapshot) && read_given(reader, snapshot) && read_communicators(reader, snapshot);
    if (is_whole && reader.good_and_at_end()) return snapshot;
  }
  return Status::error(ErrorClass::kOther, "a damaged description of what ranks do");
}

Snapshot merged(std::size_t ranks, const std::vector<Snapshot>& parts) {
  Snapshot whole;
  whole.ranks.resize(ranks);
  for (RankSnapshot& rank : whole.ranks) rank.activity = Activity::kElsewhere;
  std::map<std::pair<std::uint32_t, std::int32_t>, CommunicatorSnapshot> communicators;
  for (const Snapshot& part : parts) {
    whole.one_node = whole.one_node && part.one_node;
    whole.connected_jobs = whole.connected_jobs || part.connected_jobs;
    for (std::size_t i = 0; i < part.ranks.size() && i < ranks; ++i) {
      if (part.ranks[i].activity != Activity::kElsewhere) whole.ranks[i] = part.ranks[i];
    }
    if (whole.given.size() < part.given.size()) whole.given.resize(std::min(part.given.size(), ranks));
    for (std::size_t i = 0; i < part.given.size() && i < whole.given.size(); ++i) {
      whole.given[i] = (whole.given[i] + part.given[i]) % PacketTable::kModulus;
    }
    for (const CommunicatorSnapshot& each : part.communicators) add_communicator(communicators, each);
  }
  for (auto& [key, communicator] : communicators) whole.communicators.push_back(std::move(communicator));
  return whole;
}

}  // namespace starling::observe
