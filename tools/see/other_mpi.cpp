// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "see/other_mpi.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "launch/start/self.hpp"

extern char** environ;

namespace starling::see {
namespace {

Status refused(std::string why) { return Status::error(ErrorClass::kArg, std::move(why)); }

/// What 'PROGRAM --version' writes; empty: it cannot be started.
std::string version_text(const std::string& program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, to.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to.get(), STDERR_FILENO);
  std::string option = "--version";
  std::string name = program;
  std::array<char*, 3> words{name.data(), option.data(), nullptr};
  pid_t process = -1;
  const int error = posix_spawnp(&process, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  to.reset();
  if (error != 0) return {};
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = read(from.get(), buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR)) {
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
  }
  waitpid(process, nullptr, 0);
  return text;
}

}  // namespace

Result<std::string> mpi_of_launcher(const std::string& program) {
  const std::string text = version_text(program);
  if (text.empty())
    return refused(
        formatted("'{} --version' says nothing. Is there such a program? 'starling see --mpi openmpi' or "
                  "'--mpi mpich' names the MPI",
                  program));
  const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  if (has("Open MPI") || has("OpenRTE") || has("PRRTE") || has("open-mpi.org")) return std::string("openmpi");
  if (has("HYDRA") || has("MPICH")) return std::string("mpich");
  if (has("Starling") || has("starling"))
    return refused(
        formatted("'{}' is Starling's own: its jobs are seen without this command. Start it by itself", program));
  return refused(
      formatted("'{}' is neither Open MPI's launcher nor MPICH's, as far as its --version tells. 'starling see "
                "--mpi openmpi' or '--mpi mpich' names the MPI of the program",
                program));
}

Result<std::string> library_for(const std::string& mpi) {
  const std::string name = formatted("libstarling_see_{}.so", mpi);
  const std::string self = launch::own_path();
  const std::string folder = self.substr(0, self.rfind('/'));
  for (const char* place : {"/../" STARLING_LIBRARY_FOLDER "/", "/../lib/"}) {
    const std::string path = folder + place + name;
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return refused(
      formatted("there is no {} beside this Starling: it was built where this MPI was not installed. Build "
                "Starling anew with mpicc.{} in the PATH",
                name, mpi));
}

}  // namespace starling::see
