// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "landings.hpp"

#include <cstddef>
#include <cstring>

namespace starling::array::detail {

namespace {

constexpr std::size_t kFull = 2048;  // bytes; more go at once

}  // namespace

std::vector<char>& Landings::bytes_for(int to) {
  if (bytes_.empty()) bytes_.resize(static_cast<std::size_t>(host_.size()));
  if (bytes_[static_cast<std::size_t>(to)].size() > kFull) send_to(to);
  std::vector<char>& bytes = bytes_[static_cast<std::size_t>(to)];
  if (bytes.empty()) waiting_.push_back(to);
  host_.has_landings = true;
  return bytes;
}

void Landings::add(int to, const Index& index, std::uint32_t epoch, const Landing& landing) {
  std::vector<char>& bytes = bytes_for(to);
  const Head head{epoch, static_cast<std::uint32_t>(index.size()), landing};
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof head + padded(index.size()));
  std::memcpy(bytes.data() + at, &head, sizeof head);
  std::memcpy(bytes.data() + at + sizeof head, index.data(), index.size());
}

/// Those in a row that carry one number are one entry.
void Landings::add_creation(int to, std::uint32_t broadcast) {
  std::vector<char>& bytes = bytes_for(to);
  if (!bytes.empty() && to == last_creator_ && broadcast == last_.broadcast) {
    ++last_.counts;
    std::memcpy(bytes.data() + last_at_ + offsetof(Head, landing), &last_, sizeof last_);
    return;
  }
  last_creator_ = to;
  last_at_ = bytes.size();
  last_ = {broadcast, 1};
  const Head head{0, 0, last_};
  bytes.resize(last_at_ + sizeof head);
  std::memcpy(bytes.data() + last_at_, &head, sizeof head);
}

void Landings::send_to(int to) {
  std::vector<char>& bytes = bytes_[static_cast<std::size_t>(to)];
  RecordHeader header;
  header.kind = RecordKind::kLanded;
  header.array = array_;
  host_.records().post_bytes(to, header, bytes.data(), bytes.size());
  bytes.clear();
  if (to == last_creator_) last_creator_ = -1;
}

void Landings::send() {
  for (const int to : waiting_) {
    if (!bytes_[static_cast<std::size_t>(to)].empty()) send_to(to);
  }
  waiting_.clear();
}

void Landings::forget() {
  bytes_.clear();
  waiting_.clear();
  last_creator_ = -1;
}

}  // namespace starling::array::detail
