// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/dynamic/name_registry.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "base/descriptor.hpp"
#include "base/format.hpp"

namespace starling::bootstrap {
namespace {

/// The file of a longer name is named by its hash.
constexpr std::size_t kLongestName = 100;

std::string users_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && access(runtime, W_OK) == 0) return std::string(runtime) + "/starling-names";
  return formatted("/tmp/starling-names-{}", getuid());
}

std::string hexadecimal(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (const char byte : text) {
    digits += kDigits[static_cast<unsigned char>(byte) >> 4];
    digits += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return digits;
}

/// Only this user may write in it: others could remove names or publish false ones.
Status make_folder(const std::string& folder) {
  struct stat info {};
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Status::error(ErrorClass::kService,
                         "the folder of published names, " + folder + ", cannot be made: " + std::strerror(errno));
  }
  if (lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == getuid()) return {};
  return Status::error(ErrorClass::kService,
                       folder + " is not a folder of this user, so names cannot be published there");
}

/// Of no other process, on any host that shares the folder.
std::string draft_of(const std::string& path) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return formatted("{}.{}.{}", path, host, getpid());
}

bool write_all(int file, const std::string& text) {
  return write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Whether no process holds the file's lock, so that its publisher is gone. Then the file is removed.
bool is_stale(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid() || flock(file.get(), LOCK_EX | LOCK_NB) != 0) return false;
  unlink(path.c_str());
  return true;
}

}  // namespace

NameRegistry::NameRegistry(std::string folder) : folder_(folder.empty() ? users_folder() : std::move(folder)) {}

void NameRegistry::withdraw() noexcept {
  for (const auto& [name, file] : published_) unlink(file_of(name).c_str());
  published_.clear();
}

std::string NameRegistry::file_of(const std::string& name) const {
  if (name.size() <= kLongestName) return folder_ + "/" + hexadecimal(name);
  return formatted("{}/{}-{}", folder_, hexadecimal(name.substr(0, kLongestName / 2)), std::hash<std::string>()(name));
}

Status NameRegistry::publish(const std::string& name, const std::string& text) {
  STARLING_TRY(make_folder(folder_));
  const std::string path = file_of(name);
  const std::string draft = draft_of(path);
  Descriptor file(open(draft.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.valid() || flock(file.get(), LOCK_EX | LOCK_NB) != 0 || !write_all(file.get(), text)) {
    return Status::error(ErrorClass::kService, "the name cannot be written to " + draft + ": " + std::strerror(errno));
  }
  int linked = link(draft.c_str(), path.c_str());
  if (linked != 0 && errno == EEXIST && is_stale(path)) linked = link(draft.c_str(), path.c_str());
  const int error = errno;
  unlink(draft.c_str());
  if (linked != 0) {
    return Status::error(ErrorClass::kService,
                         error == EEXIST ? "the name \"" + name + "\" is published already; unpublish it first"
                                         : "the name \"" + name + "\" cannot be published: " + std::strerror(error));
  }
  published_.insert_or_assign(name, memory::KeptFile(file.release()));
  return {};
}

Status NameRegistry::unpublish(const std::string& name) {
  if (!published_.contains(name)) {
    return Status::error(ErrorClass::kService, "this process has published no name \"" + name + "\"");
  }
  unlink(file_of(name).c_str());  // while the lock is ours, so that it is not another process's file
  published_.erase(name);
  return {};
}

Result<std::string> NameRegistry::look_up(const std::string& name) const {
  const std::string path = file_of(name);
  const auto nobody = [&] {
    return Status::error(ErrorClass::kName, formatted("no process has published the name \"{}\" in {}", name, folder_));
  };
  if (is_stale(path)) return nobody();
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!file.valid() || fstat(file.get(), &info) != 0 || info.st_uid != getuid()) {
    return nobody();
  }
  char text[4096];
  const ssize_t length = read(file.get(), text, sizeof text);
  return std::string(text, length > 0 ? static_cast<std::size_t>(length) : 0);
}

}  // namespace starling::bootstrap
