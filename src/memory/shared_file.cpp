// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>

#include "base/format.hpp"
#include "memory/page.hpp"

namespace starling::memory {

int open_unnamed_file(const char* name) noexcept {
  const int memfd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memfd >= 0) {
    fchmod(memfd, S_IRUSR | S_IWUSR);  // the kernel lets everybody
    return memfd;
  }
  for (const char* folder : {"/dev/shm", "/tmp"}) {
    const int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) return file;
  }
  return -1;
}

bool resize_file(int descriptor, std::uint64_t bytes) {
  sigset_t too_large;
  sigset_t before;
  sigemptyset(&too_large);
  sigaddset(&too_large, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &too_large, &before);
  const bool done = ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
  const int reason = errno;
  const timespec no_time{};
  if (!done && reason == EFBIG) sigtimedwait(&too_large, nullptr, &no_time);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = reason;
  return done;
}

Status commit_file(int descriptor, std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t first = begin / kPage * kPage;
  const std::uint64_t end = (begin + bytes + kPage - 1) / kPage * kPage;
  if (first == end) return {};
  int result = 0;
  do {
    result = fallocate(descriptor, 0, static_cast<off_t>(first), static_cast<off_t>(end - first));
  } while (result != 0 && errno == EINTR);
  // A sandbox that refuses the call refuses no memory: the pages become real when they are touched.
  if (result == 0 || errno == EOPNOTSUPP || errno == ENOSYS || errno == EPERM) return {};
  return Status::error(
      ErrorClass::kNoMem,
      formatted("no room for {} more bytes of shared memory (memory limit of the container, or a full /dev/shm): {}",
                end - first, std::strerror(errno)));
}

}  // namespace starling::memory
