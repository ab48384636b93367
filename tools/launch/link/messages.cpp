// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/link/messages.hpp"

#include <cstdlib>

#include "base/byte_stream.hpp"

namespace starling::launch {
namespace {

constexpr auto kPutText = [](ByteWriter& writer, const std::string& text) { writer.put_text(text); };
constexpr auto kGetText = [](ByteReader& reader) { return reader.get_text(); };
constexpr auto kPutNumber = [](ByteWriter& writer, const auto& number) { writer.put(number); };

template <typename Message>
Result<Message> whole(const ByteReader& reader, Message message) {
  if (reader.ok_and_at_end()) return message;
  return Status::error(ErrorClass::kOther, "a damaged message between mpiexec and an agent");
}

void put_application(ByteWriter& writer, const Application& application) {
  writer.put(application.ranks).put_list(application.command, kPutText).put_text(application.folder);
  writer.put_text(application.search);
  writer.put_list(application.environment, [](ByteWriter& to, const EnvironmentSetting& setting) {
    to.put_text(setting.name).put_text(setting.value);
  });
}

Application get_application(ByteReader& reader) {
  Application application;
  application.ranks = reader.get<std::uint32_t>();
  application.command = reader.get_list<std::string>(kGetText);
  application.folder = reader.get_text();
  application.search = reader.get_text();
  application.environment = reader.get_list<EnvironmentSetting>([](ByteReader& from) {
    EnvironmentSetting setting;
    setting.name = from.get_text();
    setting.value = from.get_text();
    return setting;
  });
  return application;
}

}  // namespace

std::string Hello::serialised() const {
  ByteWriter writer;
  writer.put(usable_cores).put_text(core_set).put(boot_ns);
  network.put(writer);
  return writer.take();
}

Result<Hello> Hello::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  Hello hello;
  hello.usable_cores = reader.get<std::uint32_t>();
  hello.core_set = reader.get_text();
  hello.boot_ns = reader.get<std::int64_t>();
  hello.network = transport::tcp::HostNetwork::get(reader);
  return whole(reader, std::move(hello));
}

bool have_same_cores(const Hello& one, const Hello& other) {
  const auto are_same = [](const std::string& a, const std::string& b) { return !a.empty() && a == b; };
  constexpr std::int64_t kMomentNs = 50'000'000;
  return are_same(one.network.machine, other.network.machine) ||
         (are_same(one.core_set, other.core_set) && std::abs(one.boot_ns - other.boot_ns) < kMomentNs);
}

std::string Part::serialised() const {
  ByteWriter writer;
  writer.put_list(spec.applications, put_application)
      .put(spec.quiet)
      .put(spec.survive)
      .put(spec.note_after_ms.value_or(0))
      .put(spec.empty_environment)
      .put(spec.show_places)
      .put(spec.binding);
  writer.put_text(spec.trace.file).put_text(spec.trace.report).put(spec.trace.all_calls).put(spec.trace.limit_mib);
  writer.put(node).put_text(host).put_list(ranks, kPutNumber).put_list(app_numbers, kPutNumber);
  writer.put(usable_cores);
  offered.put(writer);
  writer.put(answers).put(to_terminal).put_text(folder).put_list(environment, kPutText);
  writer.put_text(head_host).put(mpiexec);
  return writer.take();
}

Result<Part> Part::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  Part part;
  part.spec.applications = reader.get_list<Application>(get_application);
  part.spec.quiet = reader.get<bool>();
  part.spec.survive = reader.get<bool>();
  part.spec.note_after_ms = reader.get<std::int64_t>();
  part.spec.empty_environment = reader.get<bool>();
  part.spec.show_places = reader.get<bool>();
  part.spec.binding = reader.get<topology::BindingRequest>();
  part.spec.trace.file = reader.get_text();
  part.spec.trace.report = reader.get_text();
  part.spec.trace.all_calls = reader.get<bool>();
  part.spec.trace.limit_mib = reader.get<std::uint32_t>();
  part.node = reader.get<std::int32_t>();
  part.host = reader.get_text();
  part.ranks = reader.get_list<WorldRank>([](ByteReader& from) { return from.get<WorldRank>(); });
  part.app_numbers = reader.get_list<std::int32_t>([](ByteReader& from) { return from.get<std::int32_t>(); });
  part.usable_cores = reader.get<std::uint32_t>();
  part.offered = transport::tcp::HostNetwork::get(reader);
  part.answers = reader.get<bool>();
  part.to_terminal = reader.get<bool>();
  part.folder = reader.get_text();
  part.environment = reader.get_list<std::string>(kGetText);
  part.head_host = reader.get_text();
  part.mpiexec = reader.get<std::int32_t>();
  return whole(reader, std::move(part));
}

std::string PulseDoors::serialised() const { return ByteWriter().put_list(addresses, kPutText).take(); }

Result<PulseDoors> PulseDoors::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  PulseDoors doors;
  doors.addresses = reader.get_list<std::string>(kGetText);
  return whole(reader, std::move(doors));
}

std::string Listening::serialised() const {
  return ByteWriter()
      .put_list(entrances,
                [](ByteWriter& writer, const std::vector<bootstrap::Entrance>& of_rank) {
                  writer.put_list(of_rank, [](ByteWriter& to, const bootstrap::Entrance& entrance) {
                    to.put_text(entrance.address).put_text(entrance.interface);
                  });
                })
      .put_list(doors.addresses, kPutText)
      .take();
}

Result<Listening> Listening::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  Listening listening;
  listening.entrances = reader.get_list<std::vector<bootstrap::Entrance>>([](ByteReader& of_node) {
    return of_node.get_list<bootstrap::Entrance>([](ByteReader& from) {
      bootstrap::Entrance entrance;
      entrance.address = from.get_text();
      entrance.interface = from.get_text();
      return entrance;
    });
  });
  listening.doors.addresses = reader.get_list<std::string>(kGetText);
  return whole(reader, std::move(listening));
}

std::string RankLines::serialised() const { return ByteWriter().put(rank).put_text(text).take(); }

Result<RankLines> RankLines::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  RankLines lines;
  lines.rank = reader.get<WorldRank>();
  lines.text = reader.get_text();
  return whole(reader, std::move(lines));
}

std::string Room::serialised() const { return ByteWriter().put(errors).put(bytes).take(); }

Result<Room> Room::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  Room room;
  room.errors = reader.get<bool>();
  room.bytes = reader.get<std::uint64_t>();
  return whole(reader, room);
}

std::string EarlyLeaver::serialised() const { return ByteWriter().put(rank).put_text(program).take(); }

Result<EarlyLeaver> EarlyLeaver::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  EarlyLeaver leaver;
  leaver.rank = reader.get<WorldRank>();
  leaver.program = reader.get_text();
  return whole(reader, std::move(leaver));
}

std::string NumberedText::serialised() const { return ByteWriter().put(number).put_text(text).take(); }

Result<NumberedText> NumberedText::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  NumberedText numbered;
  numbered.number = reader.get<std::uint64_t>();
  numbered.text = reader.get_text();
  return whole(reader, std::move(numbered));
}

std::string Over::serialised() const {
  return ByteWriter().put(exit_code).put(joined).put(finished).put_text(note_on_foreign).take();
}

Result<Over> Over::parse(std::string_view bytes) {
  ByteReader reader(bytes);
  Over over;
  over.exit_code = reader.get<std::int32_t>();
  over.joined = reader.get<bool>();
  over.finished = reader.get<bool>();
  over.note_on_foreign = reader.get_text();
  return whole(reader, std::move(over));
}

}  // namespace starling::launch
