// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/file/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.hpp"

namespace starling::trace {

Status unreadable(const std::string& path, const std::string& why) {
  return Status::error(ErrorClass::kIo, formatted("{} cannot be read: {}", path, why));
}

Result<std::unique_ptr<MappedFile>> MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unreadable(path, std::strerror(errno));
  struct stat facts {};
  std::span<const std::byte> bytes;
  Status status;
  if (::fstat(file, &facts) != 0) {
    status = unreadable(path, std::strerror(errno));
  } else if (!S_ISREG(facts.st_mode)) {
    status = unreadable(path, S_ISDIR(facts.st_mode) ? "it is a folder" : "it is no file");
  } else if (facts.st_size > 0) {
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
      status = unreadable(path, std::strerror(errno));
    else
      bytes = {static_cast<const std::byte*>(memory), size};
  }
  ::close(file);
  if (!status.ok()) return status;
  return std::unique_ptr<MappedFile>(new MappedFile(bytes));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release() const {
  if (!bytes_.empty()) ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace starling::trace
