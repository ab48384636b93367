// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/program.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

namespace starling::launch {
namespace {

enum class Kind { kMissing, kFolder, kNotExecutable, kExecutable };

Kind kind_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return Kind::kMissing;
  if (S_ISDIR(info.st_mode)) return Kind::kFolder;
  return access(path.c_str(), X_OK) == 0 ? Kind::kExecutable : Kind::kNotExecutable;
}

Program refuse(const std::string& path, Kind kind) {
  switch (kind) {
    case Kind::kFolder: return {{}, kExitNotExecutable, "'" + path + "' is a folder, not a program"};
    case Kind::kNotExecutable:
      return {{},
              kExitNotExecutable,
              "'" + path + "' may not be executed (no permission; chmod +x, or name its interpreter)"};
    default: return {{}, kExitNotFound, "there is no program '" + path + "'"};
  }
}

std::string from_folder(const std::string& path, const std::string& folder) {
  return path.starts_with('/') || folder.empty() ? path : folder + "/" + path;
}

Program search_folders(std::string_view path, const std::string& name, const std::string& folder) {
  Program refused{{}, kExitNotFound, "there is no program '" + name + "' in any folder of PATH"};
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const std::string candidate = (colon == 0 ? "." : std::string(path.substr(0, colon))) + "/" + name;
    const Kind kind = kind_of(from_folder(candidate, folder));
    if (kind == Kind::kExecutable) return {candidate, 0, {}};
    if (kind == Kind::kNotExecutable) refused = refuse(candidate, kind);
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  return refused;
}

Program search_path(const std::string& name, const std::string& folder) {
  const char* variable = std::getenv("PATH");
  Program found = search_folders(variable ? variable : "/usr/local/bin:/usr/bin:/bin", name, folder);
  if (found.exit_code != 0 && kind_of(from_folder(name, folder)) == Kind::kExecutable) {
    found.problem += "; did you mean ./" + name + "?";
  }
  return found;
}

}  // namespace

Program find_program(const std::string& name, const std::string& folder) {
  if (name.find('/') == std::string::npos) return search_path(name, folder);
  const Kind kind = kind_of(from_folder(name, folder));
  if (kind != Kind::kExecutable) return refuse(name, kind);
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

std::string explain_exec_failure(const std::string& path, int error) {
  std::string problem = "'" + path + "' cannot be executed: " + std::strerror(error);
  std::ifstream file(path);
  std::string line;
  if (error == ENOENT && std::getline(file, line) && line.starts_with("#!")) {
    return "'" + path + "' cannot be executed: its interpreter (" + line.substr(2) + ") is missing";
  }
  if (error == ENOENT) return problem + " (the program is there; its dynamic loader is missing, as for another system)";
  return problem;
}

}  // namespace starling::launch
