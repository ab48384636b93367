// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/program.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/format.hpp"

namespace starling::launch {
namespace {

enum class FileType { kMissing, kFolder, kNotExecutable, kExecutable };

FileType type_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return FileType::kMissing;
  if (S_ISDIR(info.st_mode)) return FileType::kFolder;
  return access(path.c_str(), X_OK) == 0 ? FileType::kExecutable : FileType::kNotExecutable;
}

Program refuse(const std::string& path, FileType type) {
  switch (type) {
    case FileType::kFolder: return {{}, kExitNotExecutable, formatted("'{}' is a folder, not a program", path)};
    case FileType::kNotExecutable:
      return {{},
              kExitNotExecutable,
              formatted("'{}' may not be executed (no permission; chmod +x, or name its interpreter)", path)};
    default: return {{}, kExitNotFound, formatted("there is no program '{}'", path)};
  }
}

std::string from_folder(const std::string& path, const std::string& folder) {
  return path.starts_with('/') || folder.empty() ? path : folder + "/" + path;
}

Program search_folders(std::string_view path, const std::string& name, const std::string& folder) {
  Program refused{{}, kExitNotFound, formatted("there is no program '{}' in any folder of PATH", name)};
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const std::string candidate = (colon == 0 ? "." : std::string(path.substr(0, colon))) + "/" + name;
    const FileType type = type_of(from_folder(candidate, folder));
    if (type == FileType::kExecutable) return {candidate, 0, {}};
    if (type == FileType::kNotExecutable) refused = refuse(candidate, type);
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return refused;
}

Program search_path(const std::string& name, const std::string& folder) {
  const char* variable = std::getenv("PATH");
  Program found = search_folders(variable ? variable : "/usr/local/bin:/usr/bin:/bin", name, folder);
  if (found.exit_code != 0 && type_of(from_folder(name, folder)) == FileType::kExecutable) {
    found.problem += formatted("; did you mean ./{}?", name);
  }
  return found;
}

/// The processor that a program is for, by its ELF header; empty where the file is none.
std::string machine_of(std::istream& file) {
  std::array<unsigned char, 20> head{};
  file.read(reinterpret_cast<char*>(head.data()), head.size());
  constexpr std::array<unsigned char, 4> kMagic{0x7f, 'E', 'L', 'F'};
  if (!file || !std::equal(kMagic.begin(), kMagic.end(), head.begin())) return {};
  constexpr std::size_t kByteOrder = 5;  // 2: the most significant byte first
  constexpr std::size_t kMachine = 18;
  const bool is_big = head[kByteOrder] == 2;
  const int number = head[kMachine + (is_big ? 1 : 0)] + 256 * head[kMachine + (is_big ? 0 : 1)];
  constexpr std::pair<int, const char*> kNames[] = {{3, "i386"},    {21, "ppc64"},     {22, "s390x"},
                                                    {40, "arm"},    {62, "x86_64"},    {183, "aarch64"},
                                                    {243, "riscv"}, {258, "loongarch"}};
  for (const auto& [known, name] : kNames) {
    if (known == number) return name;
  }
  return formatted("another processor (ELF machine {})", number);
}

}  // namespace

Program find_program(const std::string& name, const std::string& folder) {
  if (name.find('/') == std::string::npos) return search_path(name, folder);
  const FileType type = type_of(from_folder(name, folder));
  if (type != FileType::kExecutable) return refuse(name, type);
  return {name, 0, {}};
}

Program find_program_in(const std::string& folders, const std::string& name, const std::string& folder) {
  if (name.find('/') == std::string::npos) {
    Program found = search_folders(folders, name, folder);
    if (found.exit_code == 0) return found;
    found = search_path(name, folder);
    if (found.exit_code == 0) return found;
    found = search_folders(".", name, folder);
    if (found.exit_code == 0) return found;
  }
  return find_program(name, folder);
}

Program find_program_of(const Application& application) {
  const std::string& name = application.command[0];
  return application.search.empty() ? find_program(name, application.folder)
                                    : find_program_in(application.search, name, application.folder);
}

std::string explain_exec_failure(const std::string& path, const std::string& folder, int error) {
  std::string problem = formatted("'{}' cannot be executed: {}", path, std::strerror(error));
  std::ifstream file(from_folder(path, folder), std::ios::binary);
  if (const std::string machine = error == ENOEXEC ? machine_of(file) : ""; !machine.empty()) {
    utsname here{};
    uname(&here);
    if (machine == here.machine) return problem + " (it is damaged, or for another system)";
    return formatted(
        "'{}' cannot be executed: it is a program for {}, and this machine is {}. Compile it here, or run it by an "
        "emulator: mpiexec -n 2 EMULATOR {}",
        path, machine, here.machine, path);
  }
  std::string line;
  if (error == ENOENT && std::getline(file, line) && line.starts_with("#!")) {
    return formatted("'{}' cannot be executed: its interpreter ({}) is missing", path, line.substr(2));
  }
  if (error == ENOENT) return problem + " (the program is there; its dynamic loader is missing, as for another system)";
  return problem;
}

}  // namespace starling::launch
