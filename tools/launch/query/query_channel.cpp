// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/query/query_channel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/byte_stream.hpp"

namespace starling::launch {
namespace {

constexpr std::uint32_t kChannelWord = 0x59525153;  // "SQRY"
/// Raised with each change of what passes, for the two ends may be of different builds.
constexpr std::uint32_t kChannelProtocol = 1;

}  // namespace

SocketAddress SocketAddress::of(std::string_view name) {
  SocketAddress made;
  made.address.sun_family = AF_UNIX;
  const std::size_t count = std::min(name.size(), sizeof made.address.sun_path - 1);
  std::memcpy(made.address.sun_path + 1, name.data(), count);
  made.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + count);
  return made;
}

Descriptor bound_socket(std::string_view name) {
  const SocketAddress address = SocketAddress::of(name);
  Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const bool bound = made.valid() && bind(made.get(), address.get(), address.length) == 0;
  return bound ? std::move(made) : Descriptor();
}

std::string ChannelMessage::framed(std::string_view body) {
  ByteWriter header;
  header.put(kChannelWord).put(kChannelProtocol).put_text(body);
  return header.take();
}

Result<std::optional<std::string_view>> ChannelMessage::body_in(std::string_view bytes, std::size_t longest) {
  if (bytes.size() < kHeaderBytes) return std::optional<std::string_view>();
  ByteReader header(bytes);
  const bool known = header.get<std::uint32_t>() == kChannelWord && header.get<std::uint32_t>() == kChannelProtocol;
  const auto length = header.get<std::uint64_t>();
  if (!known || length > longest) return Status::error(ErrorClass::kOther, "another build of Starling");
  if (bytes.size() - kHeaderBytes < length) return std::optional<std::string_view>();
  return std::optional(bytes.substr(kHeaderBytes, length));
}

}  // namespace starling::launch
