// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/kept_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.hpp"

namespace starling::memory {

KeptFile::KeptFile(int number) noexcept {
  struct stat file {};
  if (number < 0 || fstat(number, &file) != 0) return;
  device_ = file.st_dev;
  inode_ = file.st_ino;
  number_.store(number, std::memory_order_release);
}

KeptFile::KeptFile(KeptFile&& other) noexcept
    : number_(other.number_.exchange(-1)), device_(other.device_), inode_(other.inode_) {}

KeptFile& KeptFile::operator=(KeptFile&& other) noexcept {
  if (this == &other) return *this;
  if (valid() && is_ours()) close(number());
  device_ = other.device_;
  inode_ = other.inode_;
  number_.store(other.number_.exchange(-1), std::memory_order_release);
  return *this;
}

KeptFile::~KeptFile() {
  if (valid() && is_ours()) close(number());
}

bool KeptFile::stands_for_it(int number) const noexcept {
  struct stat file {};
  return number >= 0 && fstat(number, &file) == 0 && file.st_dev == device_ && file.st_ino == inode_;
}

bool KeptFile::replace(int number) noexcept {
  if (!stands_for_it(number)) return false;
  int before = this->number();
  // Another thread that has replaced it meanwhile has won.
  if (stands_for_it(before) || !number_.compare_exchange_strong(before, number, std::memory_order_acq_rel)) {
    close(number);
  }
  return true;
}

std::string KeptFile::what_became_of_it() const {
  const bool open = fcntl(number(), F_GETFD) >= 0;
  return formatted("descriptor {} {}", number(), open ? "has become another file" : "is closed");
}

}  // namespace starling::memory
