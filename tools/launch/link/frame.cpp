// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/link/frame.hpp"

#include <sys/utsname.h>

#include <algorithm>

#include "base/byte_stream.hpp"
#include "base/format.hpp"

namespace starling::launch {
namespace {

constexpr std::uint32_t kFrameWord = 0x4b4e4c53;  // "SLNK"

Status end_of_link(std::string why) { return Status::error(ErrorClass::kOther, std::move(why)); }

/// The next word of a line, which loses it.
std::string_view next_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

}  // namespace

void Frame::append_to(std::string& bytes) const {
  ByteWriter header;
  header.put(kFrameWord).put(kind).put(node).put(static_cast<std::uint32_t>(body.size()));
  bytes.append(header.bytes());
  bytes.append(body);
}

Greeting Greeting::of_this_program(std::string version) {
  utsname machine{};
  uname(&machine);
  return {std::move(version), machine.machine};
}

std::string Greeting::line() const { return formatted("{}{} {} {}\n", kWord, kProtocol, version, architecture); }

Status Greeting::understands(std::string_view line) const {
  const std::string_view their_protocol = next_word(line);
  const std::string_view their_version = next_word(line);
  const std::string_view their_architecture = next_word(line);
  if (their_architecture != architecture) {
    return end_of_link(
        formatted("it is another kind of machine ({}) than this one ({}), and all hosts of a job must be of one kind",
                  their_architecture, architecture));
  }
  if (their_protocol != kProtocol || their_version != version) {
    return end_of_link(formatted("it has Starling {} and this machine {}; install the same version on all hosts",
                                 their_version, version));
  }
  return {};
}

Result<std::optional<Frame>> FrameReader::next() {
  if (!greeted_) {
    Result<bool> greeted = skip_to_greeting();
    if (!greeted.ok()) return std::move(greeted).status();
    if (!greeted.value()) return std::optional<Frame>();
  }
  const std::string_view rest = std::string_view(bytes_).substr(taken_);
  if (rest.size() < Frame::kHeaderBytes) return std::optional<Frame>();
  ByteReader header(rest);
  const auto word = header.get<std::uint32_t>();
  Frame frame;
  frame.kind = header.get<FrameKind>();
  frame.node = header.get<std::int32_t>();
  const auto length = header.get<std::uint32_t>();
  if (word != kFrameWord || frame.kind >= FrameKind::kKinds || length > Frame::kLongestBody) {
    return end_of_link(
        "something else than Starling writes to its standard output, or changes what passes (a remote shell with a "
        "terminal does; it must pass bytes on as they are)");
  }
  if (rest.size() - Frame::kHeaderBytes < length) return std::optional<Frame>();
  frame.body = rest.substr(Frame::kHeaderBytes, length);
  drop(Frame::kHeaderBytes + length);
  return std::optional<Frame>(std::move(frame));
}

Result<bool> FrameReader::skip_to_greeting() {
  constexpr std::size_t kLongestBanner = 1024 * 1024;
  constexpr std::size_t kKept = 4096;
  constexpr std::size_t kLongestGreeting = 256;
  const std::string_view rest = std::string_view(bytes_).substr(taken_);
  const std::size_t word = rest.find(Greeting::kWord);
  // The word's beginning may be all that has come of it.
  const std::size_t before =
      word != std::string_view::npos ? word : rest.size() - std::min(rest.size(), Greeting::kWord.size() - 1);
  skipped_ += before;
  banner_.append(rest.substr(0, std::min(before, kKept - std::min(kKept, banner_.size()))));
  const std::string_view line = rest.substr(before);
  const std::size_t end = line.find('\n');
  if (skipped_ > kLongestBanner ||
      (word != std::string_view::npos && end == std::string_view::npos && line.size() > kLongestGreeting)) {
    return end_of_link("its standard output is not Starling's");
  }
  if (word == std::string_view::npos || end == std::string_view::npos) return drop(before), false;
  const Status status = own_.understands(line.substr(Greeting::kWord.size(), end - Greeting::kWord.size()));
  if (!status.ok()) return status.copy();
  drop(before + end + 1);
  greeted_ = true;
  return true;
}

std::string FrameReader::banner() const { return greeted_ ? banner_ : banner_ + bytes_.substr(taken_); }

void FrameReader::drop(std::size_t count) {
  constexpr std::size_t kWorthMoving = 64 * 1024;
  taken_ += count;
  if (taken_ < kWorthMoving && taken_ < bytes_.size()) return;
  bytes_.erase(0, taken_);
  taken_ = 0;
}

}  // namespace starling::launch
