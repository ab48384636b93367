// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What processes of a farm tell each other.
//
// Layout: a MessageHeader; then, for kTasks and kResults, `count` times a TaskHeader and its bytes; for kBack,
// kSuspects and kOverdue the same without the bytes; for kHello, the number of threads below, the sender's slate and
// `count` numbers of tasks that the sender still holds; for kBye, `count` NodeReports; for kReady, `count` TaskNames;
// for kTaken and kMissing, `count` numbers; for kLost, one place and its deaths before; for kPlaces, `count`
// Replacements; for kRoom, one number; for kTrouble, `count` letters; for kMeet, a place, its deaths and Depot::What;
// for kAsk and kRelease, `count` keys; for kHere as kTasks, by keys. kStop has no list: the count is how the run ended,
// and whether anybody died. The bytes of a task in kDeliver begin with its TaskName; those of a task that is away are a
// Parcel.
//
// Thread safety: functions of their arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <starling/farm/buffer.hpp>
#include <starling/farm/options.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "poison/slate.hpp"
#include "task/task.hpp"

namespace starling::farm {

enum class MessageKind : std::uint32_t {
  kHello,     ///< Up, first and whenever the number of threads changes.
  kTasks,     ///< Down.
  kResults,   ///< Up.
  kDrain,     ///< Up: this process was asked to end.
  kStop,      ///< Down, last.
  kBye,       ///< Up, last.
  kGrow,      ///< Up: one more process is wanted.
  kLost,      ///< Up: a process has died.
  kBack,      ///< Up: tasks that nobody below can calculate.
  kSuspects,  ///< Up: the same, and one of them was the end of a process.
  kOverdue,   ///< Up: the same, and they took longer than a task may.
  kPlaces,    ///< Down: which spares have taken the places of dead processes, all so far.
  // Between the server and a process with an Input or Output, directly:
  kReady,     ///< To the server, first: what its Output took in an earlier run.
  kRoom,      ///< From it: how many pieces may be given in all.
  kPieces,    ///< To it: pieces of the Input.
  kEnough,    ///< From it: Input shall end.
  kInputEnd,  ///< To it.
  kDeliver,   ///< From it: results for the Output.
  kTaken,     ///< To it: what Output has taken.
  kMissing,   ///< To it: results that Output cannot get, as who had them has died.
  kTrouble,   ///< To it: what Input or Output threw.
  kNoMore,    ///< From it: the Output is given nothing more.
  kClose,     ///< From it, last.
  kClosed,    ///< To it, last.
  // Large data, between any two processes that the server has introduced:
  kMeet,     ///< From the server: who may ask.
  kAsk,      ///< For data.
  kHere,     ///< They are here; or gone.
  kPart,     ///< Who asked for results asks no more.
  kRelease,  ///< From the server: nobody needs these data any more.
};

struct MessageHeader {
  MessageKind kind;
  std::uint32_t count;
};

struct TaskHeader {
  std::uint64_t number;
  std::uint64_t cost_ns;
  std::uint32_t size;
  std::uint16_t failures;
  TaskState state;
  bool away;
};
static_assert(sizeof(TaskHeader) == 24);

/// In the count of kStop, beside how the run ended.
inline constexpr std::uint32_t kAfterDeaths = 16;

/// Bytes from which on a message of tasks is sent, and the next one begun.
inline constexpr std::size_t kLargeMessage = 4 * 1024 * 1024;

/// A message that grows task by task.
class Message {
 public:
  explicit Message(MessageKind kind);

  /// Adds a task whose bytes `write(Buffer&)` appends; returns where they are.
  template <class Write>
  Slice add(const Task& task, Write&& write) {
    const std::size_t header_at = begin_task(task);
    const std::size_t offset = bytes_->size();
    write(*bytes_);
    return end_task(header_at, offset);
  }
  void append(const void* from, std::size_t size) { bytes_->append(from, size); }
  void set_count(std::size_t count);

  std::size_t count() const { return count_; }
  std::size_t size() const { return bytes_->size(); }
  std::shared_ptr<const Buffer> finish();

 private:
  std::size_t begin_task(const Task& task);
  Slice end_task(std::size_t header_at, std::size_t offset);

  MessageKind kind_;
  std::size_t count_ = 0;
  std::shared_ptr<Buffer> bytes_ = std::make_shared<Buffer>();
};

/// Behind the tasks that a process still has of a parent that died: it has said all.
inline constexpr std::uint64_t kNoTask = ~std::uint64_t{0};

struct Hello {
  std::uint64_t threads;
  SlateName slate;
  std::vector<std::uint64_t> held;
};

MessageHeader header_of(const Buffer& message);
/// Tasks whose values are slices of the message.
Tasks tasks_of(const std::shared_ptr<const Buffer>& message);
Hello hello_of(const Buffer& message);

std::shared_ptr<const Buffer> make_hello(const Hello& hello);
std::shared_ptr<const Buffer> make_word(MessageKind kind);  ///< What needs no more: kStop, kDrain...

/// The kinds that are a list of one type.
template <class T>
std::shared_ptr<const Buffer> make_list(MessageKind kind, const std::vector<T>& list) {
  Message message(kind);
  message.append(list.data(), list.size() * sizeof(T));
  message.set_count(list.size());
  return message.finish();
}
template <class T>
std::vector<T> list_of(const Buffer& message) {
  std::vector<T> list(header_of(message).count);
  if (message.size() < sizeof(MessageHeader) + list.size() * sizeof(T))
    throw std::runtime_error("farm: a message ends too early");
  if (!list.empty()) std::memcpy(list.data(), message.data() + sizeof(MessageHeader), list.size() * sizeof(T));
  return list;
}
std::shared_ptr<const Buffer> make_text(MessageKind kind, const std::string& text);
std::string text_of(const Buffer& message);

}  // namespace starling::farm
