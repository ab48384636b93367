// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/launcher_socket.hpp"

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

#include "base/format.hpp"
#include "base/random_bytes.hpp"

namespace starling::observe {
namespace {

// starling-head/<random>, starling-part/<pid>/<random>/<host>
constexpr std::string_view kHeadPrefix = "starling-head/";
constexpr std::string_view kPartPrefix = "starling-part/";
constexpr std::string_view kSeePrefix = "starling-see/";

std::string random_word() {
  std::uint64_t number = 0;
  if (!fill_randomly(std::as_writable_bytes(std::span(&number, 1))).ok()) number = static_cast<std::uint64_t>(getpid());
  return formatted("{:016x}", number);
}

std::string target_of(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t length = readlink(link.c_str(), target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : std::string();
}

/// The inodes of the sockets that a process has open, as /proc writes them.
std::set<std::string> sockets_of(pid_t process) {
  constexpr std::string_view kBegin = "socket:[";
  const std::string folder = formatted("/proc/{}/fd", process);
  std::set<std::string> inodes;
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) return inodes;
  while (const dirent* const entry = readdir(entries)) {
    const std::string target = target_of(formatted("{}/{}", folder, entry->d_name));
    if (target.starts_with(kBegin)) inodes.insert(target.substr(kBegin.size(), target.size() - kBegin.size() - 1));
  }
  closedir(entries);
  return inodes;
}

}  // namespace

std::string head_socket_name() { return formatted("{}{}", kHeadPrefix, random_word()); }

std::string see_socket_name() { return formatted("{}{}", kSeePrefix, random_word()); }

std::string part_socket_name(const std::string& host, pid_t mpiexec) {
  constexpr std::size_t kLongestHost = 64;  // as the system has it, so that all fits into an address
  return formatted("{}{}/{}/{}", kPartPrefix, mpiexec, random_word(), host.substr(0, kLongestHost));
}

std::optional<LauncherSocket> parse_socket_name(const std::string& name) {
  LauncherSocket socket;
  socket.name = name;
  socket.is_head = name.starts_with(kHeadPrefix);
  if (socket.is_head) return socket;
  if (!name.starts_with(kPartPrefix)) return std::nullopt;
  const std::string rest = name.substr(kPartPrefix.size());
  const std::size_t behind_number = rest.find('/');
  const std::size_t behind_random =
      behind_number == std::string::npos ? behind_number : rest.find('/', behind_number + 1);
  if (behind_random == std::string::npos) return std::nullopt;
  socket.mpiexec = std::atoi(rest.c_str());
  socket.host = rest.substr(behind_random + 1);
  return socket;
}

std::optional<LauncherSocket> socket_of(pid_t process) {
  const std::set<std::string> inodes = sockets_of(process);
  if (inodes.empty()) return std::nullopt;
  // Num RefCount Protocol Flags Type St Inode Path; an abstract name begins with '@'.
  std::ifstream table(formatted("/proc/{}/net/unix", process));
  for (std::string line; std::getline(table, line);) {
    const std::size_t at = line.find('@');
    if (at == std::string::npos) continue;
    std::istringstream words(line.substr(0, at));
    std::string inode;
    for (std::string word; words >> word;) inode = word;
    if (!inodes.contains(inode)) continue;
    if (std::optional<LauncherSocket> found = parse_socket_name(line.substr(at + 1))) return found;
  }
  return std::nullopt;
}

bool shares_network_with(pid_t process) {
  const std::string ours = target_of("/proc/self/ns/net");
  const std::string theirs = target_of(formatted("/proc/{}/ns/net", process));
  return ours.empty() || theirs.empty() || ours == theirs;
}

}  // namespace starling::observe
