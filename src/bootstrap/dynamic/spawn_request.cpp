// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/dynamic/spawn_request.hpp"

#include <charconv>
#include <string_view>

#include "base/format.hpp"

namespace starling::bootstrap {
namespace {

/// Takes words off the front; once a word is missing or wrong, everything is.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  std::string word() {
    const std::size_t end = rest_.find('\0');
    good_ = good_ && end != std::string_view::npos;
    if (!good_) return {};
    std::string taken(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return taken;
  }
  std::uint32_t number() {
    const std::string text = word();
    std::uint32_t value = 0;
    good_ = good_ && std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
    return good_ ? value : 0;
  }
  [[nodiscard]] bool good() const noexcept { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

void append(std::string* bytes, const std::string& word) {
  bytes->append(word);
  bytes->push_back('\0');
}

SpawnCommand read_command(Reader& reader) {
  SpawnCommand command;
  command.ranks = reader.number();
  command.host = reader.word();
  command.folder = reader.word();
  command.path = reader.word();
  command.errhandler = reader.word();
  const std::uint32_t words = reader.number();
  for (std::uint32_t i = 0; i < words && reader.good(); ++i) command.argv.push_back(reader.word());
  return command;
}

}  // namespace

std::string SpawnRequest::serialised() const {
  std::string bytes;
  append(&bytes, kFormat);
  append(&bytes, meeting.text());
  append(&bytes, door);
  append(&bytes, std::to_string(commands.size()));
  for (const SpawnCommand& command : commands) {
    append(&bytes, std::to_string(command.ranks));
    append(&bytes, command.host);
    append(&bytes, command.folder);
    append(&bytes, command.path);
    append(&bytes, command.errhandler);
    append(&bytes, std::to_string(command.argv.size()));
    for (const std::string& word : command.argv) append(&bytes, word);
  }
  return bytes;
}

Result<SpawnRequest> SpawnRequest::parse(const std::string& bytes) {
  Reader reader(bytes);
  SpawnRequest request;
  if (const std::string format = reader.word(); format != kFormat) {
    return Status::error(
        ErrorClass::kArg,
        formatted("the request to spawn has the format '{}', and this mpiexec reads {}: it is of another build "
                  "of Starling than the program's libmpi_abi.so.1. Use an mpiexec and a library that were "
                  "installed together",
                  format, kFormat));
  }
  Result<SegmentAddress> meeting = SegmentAddress::parse(reader.word());
  if (!meeting.ok()) return std::move(meeting).status();
  request.meeting = meeting.value();
  request.door = reader.word();
  const std::uint32_t count = reader.number();
  for (std::uint32_t i = 0; i < count && reader.good(); ++i) request.commands.push_back(read_command(reader));
  if (reader.good() && !request.commands.empty()) return request;
  return Status::error(ErrorClass::kArg, "the request to spawn is cut off or empty");
}

}  // namespace starling::bootstrap
