// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "message.hpp"

#include <cstring>
#include <limits>
#include <starling/farm/pack.hpp>
#include <stdexcept>

#include "base/format.hpp"

namespace starling::farm {
namespace {

Reader body_of(const Buffer& message) {
  Reader reader(message.data(), message.size());
  reader.skip(sizeof(MessageHeader));
  return reader;
}

}  // namespace

Message::Message(MessageKind kind) : kind_(kind) { bytes_->extend(sizeof(MessageHeader)); }

std::size_t Message::begin_task(const Task& task) {
  const std::size_t at = bytes_->size();
  const TaskHeader header{task.number, task.cost_ns, 0, task.failures, task.state, task.away};
  bytes_->append(&header, sizeof header);
  return at;
}

Slice Message::end_task(std::size_t header_at, std::size_t offset) {
  const std::size_t size = bytes_->size() - offset;
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error(formatted("farm: one piece of data has {} bytes packed; the most is 4 GiB", size));
  }
  const auto narrow = static_cast<std::uint32_t>(size);
  std::memcpy(bytes_->data() + header_at + offsetof(TaskHeader, size), &narrow, sizeof narrow);
  ++count_;
  return {bytes_, offset, size};
}

void Message::set_count(std::size_t count) { count_ = count; }

std::shared_ptr<const Buffer> Message::finish() {
  const MessageHeader header{kind_, static_cast<std::uint32_t>(count_)};
  std::memcpy(bytes_->data(), &header, sizeof header);
  return bytes_;
}

MessageHeader header_of(const Buffer& message) {
  MessageHeader header{};
  Reader{message.data(), message.size()}(header);
  return header;
}

Tasks tasks_of(const std::shared_ptr<const Buffer>& message) {
  Reader reader = body_of(*message);
  Tasks tasks(header_of(*message).count);
  for (Task& task : tasks) {
    TaskHeader header{};
    reader(header);
    task.number = header.number;
    task.cost_ns = header.cost_ns;
    task.failures = header.failures;
    task.state = header.state;
    task.away = header.away;
    const std::byte* bytes = reader.skip(header.size);
    task.value = Value(Slice{message, static_cast<std::size_t>(bytes - message->data()), header.size});
  }
  return tasks;
}

Hello hello_of(const Buffer& message) {
  Reader reader = body_of(message);
  Hello hello{};
  reader(hello.threads);
  reader(hello.slate);
  hello.held.resize(header_of(message).count);
  for (std::uint64_t& number : hello.held) reader(number);
  return hello;
}

std::shared_ptr<const Buffer> make_hello(const Hello& hello) {
  Message message(MessageKind::kHello);
  message.append(&hello.threads, sizeof hello.threads);
  message.append(&hello.slate, sizeof hello.slate);
  message.append(hello.held.data(), hello.held.size() * sizeof(std::uint64_t));
  message.set_count(hello.held.size());
  return message.finish();
}

std::shared_ptr<const Buffer> make_text(MessageKind kind, const std::string& text) {
  return make_list(kind, std::vector<char>(text.begin(), text.end()));
}

std::string text_of(const Buffer& message) {
  const std::vector<char> letters = list_of<char>(message);
  return {letters.begin(), letters.end()};
}

std::shared_ptr<const Buffer> make_word(MessageKind kind) { return Message(kind).finish(); }

}  // namespace starling::farm
