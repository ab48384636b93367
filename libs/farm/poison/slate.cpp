// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "slate.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <string>
#include <utility>

#include "base/format.hpp"

namespace starling::farm {
namespace {

void* map(int file, int protection) {
  void* at = ::mmap(nullptr, sizeof(SlateMemory), protection, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : at;
}

}  // namespace

Slate::Slate(Use use) {
  if (use == Use::kNone) return;
  file_ = ::memfd_create("starling_farm", MFD_CLOEXEC);
  if (file_ < 0 || ::ftruncate(file_, sizeof(SlateMemory)) != 0) return;
  memory_ = static_cast<SlateMemory*>(map(file_, PROT_READ | PROT_WRITE));  // zeros are the beginning
  if (memory_ == nullptr) return;
  std::random_device random;
  memory_->token = (std::uint64_t{random()} << 32) | random();
}

Slate::~Slate() {
  if (memory_ != nullptr && !left_) ::munmap(memory_, sizeof *memory_);
  if (file_ >= 0) ::close(file_);
}

SlateName Slate::name() const {
  if (memory_ == nullptr) return {};
  return {static_cast<std::int32_t>(::getpid()), file_, memory_->token};
}

std::atomic<std::uint64_t>* Slate::slot(std::size_t thread) {
  if (memory_ == nullptr) return nullptr;
  if (thread < SlateMemory::kSlots) return &memory_->slots[thread].at;
  memory_->incomplete.store(1, std::memory_order_relaxed);
  return nullptr;
}

OtherSlate::OtherSlate(const SlateName& name) {
  if (name.file < 0) return;
  const std::string path = formatted("/proc/{}/fd/{}", name.process, name.file);
  // Not a device or a pipe that has this number there by chance: opening one may wait or do harm.
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_size != sizeof(SlateMemory)) return;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  memory_ = static_cast<const SlateMemory*>(map(file, PROT_READ));
  ::close(file);
  if (memory_ != nullptr && memory_->token != name.token) *this = OtherSlate();
}

OtherSlate::~OtherSlate() {
  if (memory_ != nullptr) ::munmap(const_cast<SlateMemory*>(memory_), sizeof *memory_);
}

OtherSlate::OtherSlate(OtherSlate&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}

OtherSlate& OtherSlate::operator=(OtherSlate&& other) noexcept {
  std::swap(memory_, other.memory_);
  return *this;
}

std::optional<std::vector<std::uint64_t>> OtherSlate::read() const {
  if (memory_ == nullptr || memory_->incomplete.load(std::memory_order_relaxed) != 0) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const SlateMemory::Slot& slot : memory_->slots) {
    // Relaxed: who wrote is dead, and its death has been heard of.
    if (const std::uint64_t at = slot.at.load(std::memory_order_relaxed); at != 0) numbers.push_back(at - 1);
  }
  return numbers;
}

}  // namespace starling::farm
