// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "base/format.hpp"

namespace starling::farm {
namespace {

constexpr char kMagic[17] = "starling farm 2\n";
constexpr std::size_t kMagicSize = 16;

struct Record {
  TaskName name;
  std::uint64_t mark;
  std::uint64_t check;
};
static_assert(sizeof(Record) == 32);

std::uint64_t check_of(const TaskName& name, std::uint64_t mark) {
  std::uint64_t hash = name.piece * 0x9e3779b97f4a7c15u + 0x51ed270b27a5u;
  hash = (hash ^ (hash >> 29) ^ name.part) * 0x94d049bb133111ebu;
  hash = (hash ^ (hash >> 31) ^ mark) * 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 32);
}

}  // namespace

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

void Journal::fail(const char* what, int error) const {
  throw std::runtime_error(formatted("farm: cannot {} the journal {}: {}", what, path_, std::strerror(error)));
}

void Journal::open(const std::string& path, Start start,
                   const std::function<void(const TaskName&, std::uint64_t)>& each) {
  path_ = path;
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) fail("open", errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    throw std::runtime_error(
        formatted("farm: the journal {} is in use by another run; wait for it or name another journal", path));
  }
  std::array<char, kMagicSize> magic{};
  const ssize_t got = ::pread(file_, magic.data(), magic.size(), 0);
  if (got < 0) fail("read", errno);
  if (got < static_cast<ssize_t>(kMagicSize)) {  // new, or killed before it began
    if (::pwrite(file_, kMagic, kMagicSize, 0) != static_cast<ssize_t>(kMagicSize)) fail("write", errno);
    end_ = kMagicSize;
    return;
  }
  if (std::memcmp(magic.data(), kMagic, kMagicSize) != 0) {
    throw std::runtime_error(formatted("farm: {} is not a farm's journal; name another file", path));
  }
  end_ = replay(each);
  if (start == Start::kFresh && end_ > kMagicSize) {
    throw std::runtime_error(
        formatted("farm: the journal {} has the results of an earlier run: --resume goes on with it; remove it to "
                  "begin afresh",
                  path));
  }
  if (::ftruncate(file_, static_cast<off_t>(end_)) != 0) fail("truncate", errno);
}

std::uint64_t Journal::replay(const std::function<void(const TaskName&, std::uint64_t)>& each) {
  std::uint64_t at = kMagicSize;
  std::vector<Record> block(4096);
  for (;;) {
    const ssize_t got = ::pread(file_, block.data(), block.size() * sizeof(Record), static_cast<off_t>(at));
    if (got < 0) fail("read", errno);
    const std::size_t whole = static_cast<std::size_t>(got) / sizeof(Record);
    for (std::size_t i = 0; i < whole; ++i) {
      if (block[i].check != check_of(block[i].name, block[i].mark)) return at;
      each(block[i].name, block[i].mark);
      at += sizeof(Record);
    }
    if (whole < block.size()) return at;
  }
}

void Journal::note(const TaskName& name, std::uint64_t mark) {
  const Record record{name, mark, check_of(name, mark)};
  const ssize_t written = ::pwrite(file_, &record, sizeof record, static_cast<off_t>(end_));
  if (written != static_cast<ssize_t>(sizeof record)) {
    const int error = written < 0 ? errno : ENOSPC;
    if (written > 0 && ::ftruncate(file_, static_cast<off_t>(end_)) != 0) fail("truncate", errno);
    fail("write", error);
  }
  end_ += sizeof record;
  const Clock::time_point now = Clock::now();
  if (s_between(synced_, now) > 1) {
    synced_ = now;
    sync();
  }
}

void Journal::sync() {
  if (file_ >= 0 && ::fdatasync(file_) != 0 && errno != EINVAL) fail("sync", errno);
}

}  // namespace starling::farm
