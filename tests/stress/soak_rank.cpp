// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stress/soak_rank.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "support/pattern.hpp"

namespace starling::stress {
namespace {

// The strided layout: 8 bytes of every 24.
constexpr int kBlock = 8;
constexpr int kStride = 24;
constexpr unsigned char kGap = 0x5a;
constexpr int kSlack = 64;  // checked behind a message
constexpr std::size_t kNoReceive = static_cast<std::size_t>(-1);

int blocks_of(int bytes) { return (bytes + kBlock - 1) / kBlock; }

std::size_t place_of(int byte, bool strided) {
  return static_cast<std::size_t>(strided ? byte / kBlock * kStride + byte % kBlock : byte);
}

/// Strided messages are whole blocks; others may be received into strided room all the same.
bool sends_strided(const Message& message) { return message.strided && message.bytes % kBlock == 0; }

}  // namespace

SoakRank::SoakRank(const SoakOptions& options) : options_(options) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  random_.seed(tests::key_of(options.seed, 77, rank_));
  for (MPI_Comm& comm : comms_) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(kBlock, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, kStride, &strided_);
  MPI_Type_commit(&strided_);
  MPI_Type_free(&block);
  attached_.resize(static_cast<std::size_t>(window_size(size_)) * (kLargestBuffered + MPI_BSEND_OVERHEAD + 64));
  MPI_Buffer_attach(attached_.data(), static_cast<int>(attached_.size()));
}

SoakRank::~SoakRank() {
  void* buffer = nullptr;
  int size = 0;
  MPI_Buffer_detach(&buffer, &size);
  MPI_Type_free(&strided_);
  for (MPI_Comm& comm : comms_) MPI_Comm_free(&comm);
}

void SoakRank::play(std::int64_t window_index) {
  window_index_ = window_index;
  const Window window = make_window(options_, size_, window_index);
  plan_receives(window);
  if (below(64) == 0) std::this_thread::sleep_for(std::chrono::microseconds(below(3000)));

  post_receives(static_cast<std::size_t>(below(static_cast<int>(receives_.size()) + 1)));
  for (const Message& message : window.messages) {
    if (message.source == rank_ && !is_blocking(message.mode)) start_send(message);
  }
  post_receives(receives_.size());
  for (const Message& message : window.messages) {
    if (message.source == rank_ && is_blocking(message.mode)) block_in_send(message);
  }
  probe_all(window);
  wait_for_all();
  drain_buffer();
  check_receives();
  if (window.wild) MPI_Barrier(MPI_COMM_WORLD);
}

void SoakRank::plan_receives(const Window& window) {
  expected_.clear();
  receives_.clear();
  posted_ = 0;
  std::array<int, kDisciplines> largest{};
  std::vector<const Message*> mine;
  for (const Message& message : window.messages) {
    if (message.destination != rank_) continue;
    expected_[{static_cast<int>(message.discipline), message.source, message.tag}].push_back(&message);
    int& most = largest[static_cast<std::size_t>(message.discipline)];
    most = std::max(most, message.bytes);
    if (!is_probed(message.discipline)) mine.push_back(&message);
  }
  std::shuffle(mine.begin(), mine.end(), random_);
  std::map<Stream, std::size_t> posted;
  for (const Message* message : mine) {
    // The n-th receive of a stream meets its n-th message; a wildcard may meet the largest of all.
    const Stream stream{static_cast<int>(message->discipline), message->source, message->tag};
    const int exact = expected_[stream][posted[stream]++]->bytes;
    const bool specific = message->discipline == Discipline::kSpecific;
    add_receive(*message, specific ? exact + below(kSlack) : largest[static_cast<std::size_t>(message->discipline)]);
  }
}

void SoakRank::add_receive(const Message& message, int room) {
  const Discipline discipline = message.discipline;
  const bool any_source = discipline == Discipline::kAnySource || discipline == Discipline::kAny;
  const bool any_tag = discipline == Discipline::kAnyTag || discipline == Discipline::kAny;
  Receive receive{discipline,
                  any_source ? MPI_ANY_SOURCE : message.source,
                  any_tag ? MPI_ANY_TAG : message.tag,
                  room,
                  below(4) == 0,
                  {},
                  {}};
  receive.buffer.assign(
      receive.strided ? static_cast<std::size_t>(blocks_of(room)) * kStride : static_cast<std::size_t>(room), kGap);
  receives_.push_back(std::move(receive));
}

void SoakRank::post_receives(std::size_t end) {
  for (; posted_ < end; ++posted_) {
    Receive& receive = receives_[posted_];
    receive_of_.push_back(posted_);
    MPI_Irecv(receive.buffer.data(), receive.strided ? blocks_of(receive.capacity) : receive.capacity,
              receive.strided ? strided_ : MPI_BYTE, receive.source, receive.tag, comm(receive.discipline),
              &requests_.emplace_back());
  }
}

unsigned char* SoakRank::lay_out(const Message& message) {
  std::vector<unsigned char>& buffer = sent_.emplace_back();
  if (!sends_strided(message)) {
    buffer = tests::pattern(static_cast<std::size_t>(message.bytes), message.key);
    return buffer.data();
  }
  const auto data = tests::pattern(static_cast<std::size_t>(message.bytes), message.key);
  buffer.assign(static_cast<std::size_t>(message.bytes / kBlock) * kStride, kGap);
  for (int i = 0; i < message.bytes; i += kBlock) {
    std::memcpy(&buffer[place_of(i, true)], &data[static_cast<std::size_t>(i)], kBlock);
  }
  return buffer.data();
}

void SoakRank::start_send(const Message& message) {
  const void* data = lay_out(message);
  const int count = sends_strided(message) ? message.bytes / kBlock : message.bytes;
  const MPI_Datatype type = sends_strided(message) ? strided_ : MPI_BYTE;
  const int to = message.destination;
  const MPI_Comm on = comm(message.discipline);
  receive_of_.push_back(kNoReceive);
  MPI_Request& request = requests_.emplace_back();
  switch (message.mode) {
    case Mode::kIssend: MPI_Issend(data, count, type, to, message.tag, on, &request); break;
    case Mode::kIbsend: MPI_Ibsend(data, count, type, to, message.tag, on, &request); break;
    case Mode::kPersistent:
      MPI_Send_init(data, count, type, to, message.tag, on, &request);
      MPI_Start(&request);
      persistent_.push_back(request);
      break;
    case Mode::kPersistentSynchronous:
      MPI_Ssend_init(data, count, type, to, message.tag, on, &request);
      MPI_Start(&request);
      persistent_.push_back(request);
      break;
    default: MPI_Isend(data, count, type, to, message.tag, on, &request); break;
  }
}

void SoakRank::block_in_send(const Message& message) {
  const void* data = lay_out(message);
  const int count = sends_strided(message) ? message.bytes / kBlock : message.bytes;
  const MPI_Datatype type = sends_strided(message) ? strided_ : MPI_BYTE;
  const int to = message.destination;
  const MPI_Comm on = comm(message.discipline);
  switch (message.mode) {
    case Mode::kSsend: MPI_Ssend(data, count, type, to, message.tag, on); break;
    case Mode::kBsend: MPI_Bsend(data, count, type, to, message.tag, on); break;
    case Mode::kSendrecvHalf:
      MPI_Sendrecv(data, count, type, to, message.tag, nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, on, MPI_STATUS_IGNORE);
      break;
    default: MPI_Send(data, count, type, to, message.tag, on); break;
  }
}

void SoakRank::probe_all(const Window& window) {
  for (const Message& message : window.messages) {
    if (message.destination == rank_ && is_probed(message.discipline)) probe_one(message.discipline);
  }
}

void SoakRank::probe_one(Discipline discipline) {
  Receive receive{discipline, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false, {}, {}};
  const MPI_Comm on = comm(discipline);
  MPI_Message matched = MPI_MESSAGE_NULL;
  const bool polls = below(2) == 0;
  int found = polls ? 0 : 1;
  if (discipline == Discipline::kMatched) {
    if (!polls) MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, on, &matched, &receive.status);
    while (!found) {
      MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, on, &found, &matched, &receive.status);
      std::this_thread::yield();  // more ranks than cores, here and below: the message's sender needs one
    }
  } else {
    if (!polls) MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, on, &receive.status);
    while (!found) {
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, on, &found, &receive.status);
      std::this_thread::yield();
    }
  }
  MPI_Get_count(&receive.status, MPI_BYTE, &receive.capacity);
  receive.buffer.assign(static_cast<std::size_t>(receive.capacity), kGap);
  receives_.push_back(std::move(receive));
  Receive& kept = receives_.back();
  if (discipline == Discipline::kMatched && below(2) == 0) {
    receive_of_.push_back(receives_.size() - 1);
    MPI_Imrecv(kept.buffer.data(), kept.capacity, MPI_BYTE, &matched, &requests_.emplace_back());
  } else if (discipline == Discipline::kMatched) {
    MPI_Mrecv(kept.buffer.data(), kept.capacity, MPI_BYTE, &matched, &kept.status);
  } else {
    const MPI_Status probed = kept.status;
    MPI_Recv(kept.buffer.data(), kept.capacity, MPI_BYTE, probed.MPI_SOURCE, probed.MPI_TAG, on, &kept.status);
  }
}

void SoakRank::keep_status(int request, const MPI_Status& status) {
  const std::size_t receive = receive_of_[static_cast<std::size_t>(request)];
  if (receive != kNoReceive) receives_[receive].status = status;
}

void SoakRank::wait_for_all() {
  const int count = static_cast<int>(requests_.size());
  std::vector<MPI_Status> statuses(requests_.size());
  std::vector<int> indices(requests_.size());
  const int way = below(5);
  int done = 0;
  int index = 0;
  while (way == 0 && done < count) {
    MPI_Waitany(count, requests_.data(), &index, &statuses[0]);
    if (index == MPI_UNDEFINED) break;
    keep_status(index, statuses[0]);
    ++done;
  }
  while ((way == 1 || way == 2) && done < count) {
    int some = 0;
    (way == 1 ? MPI_Waitsome : MPI_Testsome)(count, requests_.data(), &some, indices.data(), statuses.data());
    if (some == MPI_UNDEFINED) break;
    if (some == 0) std::this_thread::yield();
    for (int i = 0; i < some; ++i)
      keep_status(indices[static_cast<std::size_t>(i)], statuses[static_cast<std::size_t>(i)]);
    done += some;
  }
  int all = way == 3 ? 0 : 1;
  while (!all) {
    MPI_Testall(count, requests_.data(), &all, statuses.data());
    if (!all) std::this_thread::yield();
  }
  if (way == 4) MPI_Waitall(count, requests_.data(), statuses.data());
  for (int i = 0; way >= 3 && i < count; ++i) keep_status(i, statuses[static_cast<std::size_t>(i)]);
  for (MPI_Request& request : persistent_) MPI_Request_free(&request);
  persistent_.clear();
  requests_.clear();
  receive_of_.clear();
}

void SoakRank::drain_buffer() {
  void* buffer = nullptr;
  int size = 0;
  MPI_Buffer_detach(&buffer, &size);
  MPI_Buffer_attach(attached_.data(), static_cast<int>(attached_.size()));
  sent_.clear();
}

void SoakRank::check_receives() {
  for (const Receive& receive : receives_) check(receive);
  for (const auto& [stream, left] : expected_) {
    if (left.empty()) continue;
    errors_ += static_cast<std::int64_t>(left.size());
    std::fprintf(stderr, "soak: rank %d, window %lld: %zu messages of source %d with tag %d never came\n", rank_,
                 static_cast<long long>(window_index_), left.size(), std::get<1>(stream), std::get<2>(stream));
  }
}

void SoakRank::check(const Receive& receive) {
  int bytes = -1;
  MPI_Get_count(&receive.status, MPI_BYTE, &bytes);
  const Stream stream{static_cast<int>(receive.discipline), receive.status.MPI_SOURCE, receive.status.MPI_TAG};
  const auto found = expected_.find(stream);
  if (found == expected_.end() || found->second.empty()) {
    complain(receive, "message that nobody sent, bytes", bytes, 0);
    return;
  }
  const Message& message = *found->second.front();
  found->second.pop_front();
  received_ += 1;
  bytes_ += message.bytes;
  if (bytes != message.bytes) return complain(receive, "bytes", bytes, message.bytes);
  if (!receive.strided) {
    const auto wrong = tests::first_wrong_byte(receive.buffer.data(), static_cast<std::size_t>(bytes), message.key);
    if (wrong >= 0) return complain(receive, "first wrong byte", wrong, -1);
  }
  for (int i = 0; i < bytes && receive.strided; ++i) {
    if (receive.buffer[place_of(i, true)] != tests::pattern_byte(message.key, static_cast<std::size_t>(i))) {
      return complain(receive, "first wrong byte", i, -1);
    }
  }
  check_untouched(receive, bytes);
}

void SoakRank::check_untouched(const Receive& receive, int bytes) {
  const std::size_t end = place_of(bytes, receive.strided);
  const std::size_t first = receive.strided ? 0 : end;
  const std::size_t last = std::min(receive.buffer.size(), end + kSlack);
  for (std::size_t i = first; i < last; ++i) {
    const bool message = receive.strided && i < end && i % kStride < kBlock;
    if (!message && receive.buffer[i] != kGap) {
      return complain(receive, "touched a place between or behind", static_cast<long long>(i), -1);
    }
  }
}

void SoakRank::complain(const Receive& receive, const char* what, long long got, long long expected) {
  errors_ += 1;
  if (errors_ > 20) return;
  std::fprintf(stderr,
               "soak: rank %d of %d, seed %llu, window %lld, discipline %d, message from %d with tag %d: "
               "%s: got %lld, expected %lld\n",
               rank_, size_, static_cast<unsigned long long>(options_.seed), static_cast<long long>(window_index_),
               static_cast<int>(receive.discipline), receive.status.MPI_SOURCE, receive.status.MPI_TAG, what, got,
               expected);
}

}  // namespace starling::stress
