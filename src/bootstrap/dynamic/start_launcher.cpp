// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Starts a launcher from inside a rank.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "bootstrap/dynamic/spawn_request.hpp"
#include "memory/shared_file.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks the program to declare it

namespace starling::bootstrap {
namespace {

/// The number of the descriptor under which the launcher finds the request.
constexpr int kRequestDescriptor = 3;

std::string link_target(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = readlink(path.c_str(), target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : std::string();
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// The launcher that started us, as the system has it: also where its file has been replaced or removed meanwhile, as
/// by an update.
std::string running_launcher(std::int32_t launcher_pid) { return formatted("/proc/{}/exe", launcher_pid); }

bool are_same_file(const std::string& one, const std::string& other) {
  struct stat first {};
  struct stat second {};
  return stat(one.c_str(), &first) == 0 && stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/// The launcher that started us, else the one that was installed or built beside this library.
std::string find_launcher(std::int32_t launcher_pid) {
  if (launcher_pid != 0) {
    std::string running = running_launcher(launcher_pid);
    std::string file = link_target(running);
    if (are_same_file(file, running) && access(file.c_str(), X_OK) == 0) return file;
    if (access(running.c_str(), X_OK) == 0) return running;
  }
  std::vector<std::string> folders{folder_of(link_target("/proc/self/exe"))};
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&find_launcher), &library) != 0 && library.dli_fname != nullptr) {
    const std::string folder = folder_of(library.dli_fname);
    // lib/, or lib/<triplet>/
    folders.insert(folders.begin(), {folder + "/../bin", folder + "/../../bin"});
  }
  for (const std::string& folder : folders) {
    if (std::string found = folder + "/starling"; access(found.c_str(), X_OK) == 0) return found;
  }
  return {};
}

Status failed(const std::string& what, int error) {
  return Status::error(ErrorClass::kSpawn, what + ": " + std::strerror(error));
}

Result<Descriptor> write_request(const std::string& bytes) {
  Descriptor file(memory::open_unnamed_file("starling-spawn"));
  if (!file.valid()) return failed("no file for the request to spawn", errno);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = write(file.get(), bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("the request to spawn cannot be written", errno);
    done += static_cast<std::size_t>(written);
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

/// The attributes of the launcher's process: no input, our output, the request, no other descriptor and no blocked
/// signal; and a process group of its own, so that a signal to this rank's group does not reach it.
class Plan {
 public:
  explicit Plan(int request) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, request, kRequestDescriptor);
    close_others();
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~Plan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  int start(const std::string& program, pid_t* pid) {
    const std::string number = std::to_string(kRequestDescriptor);
    char* const arguments[] = {const_cast<char*>("mpiexec"), const_cast<char*>(kSpawnOption),
                               const_cast<char*>(number.c_str()), nullptr};
    return posix_spawn(pid, program.c_str(), &actions_, &attributes_, arguments, environ);
  }

 private:
  void close_others() {
#if defined(__GLIBC__)
    posix_spawn_file_actions_addclosefrom_np(&actions_, kRequestDescriptor + 1);
#else
    // musl has no such action: those that are open now, one by one.
    if (DIR* const open_ones = opendir("/proc/self/fd")) {
      while (const dirent* const entry = readdir(open_ones)) {
        const int descriptor = std::atoi(entry->d_name);
        if (descriptor > kRequestDescriptor) posix_spawn_file_actions_addclose(&actions_, descriptor);
      }
      closedir(open_ones);
    }
#endif
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

Status start_launcher(const SpawnRequest& request, std::int32_t launcher_pid) {
  const std::string launcher = find_launcher(launcher_pid);
  if (launcher.empty()) {
    return Status::error(ErrorClass::kSpawn,
                         "the launcher cannot be found: there is no program 'starling' in ../bin beside this library. "
                         "Start the program with mpiexec, or install both together");
  }
  Result<Descriptor> file = write_request(request.serialised());
  if (!file.ok()) return std::move(file).status();
  pid_t pid = 0;
  int error = Plan(file.value().get()).start(launcher, &pid);
  // Its file is being replaced in this moment.
  if (error != 0 && launcher_pid != 0) error = Plan(file.value().get()).start(running_launcher(launcher_pid), &pid);
  if (error != 0) return failed("the launcher '" + launcher + "' cannot be started", error);
  // It hands over to a child of its own and ends. In a program that ignores SIGCHLD the kernel has reaped it already.
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {};
}

}  // namespace starling::bootstrap
