// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/settings.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/format.hpp"
#include "base/small_files.hpp"
#include "tuning/file.hpp"

namespace starling::tuning {
namespace {

STARLING_CONFIG(tune_file, "TUNE_FILE", std::string, "", kCollectives, kProcess,
                "File of this machine's constants that 'starling tune' has written; empty: starling/tune.conf in "
                "$XDG_CONFIG_HOME (or ~/.config), then in /etc; none: the defaults.");
STARLING_CONFIG(tuning_text, "TUNING", std::string, "", kCollectives, kAllAlike,
                "The machine's constants as words such as near.line_ns=180; empty: those of the tuning file, or the "
                "defaults. 'starling info --collectives' shows them.");

constexpr const char* kFileOrigin = "file";
constexpr const char* kUnderFolder = "/starling/tune.conf";

/// Empty: there is none.
std::string users_folder() {
  const char* const configured = std::getenv("XDG_CONFIG_HOME");
  if (configured != nullptr && *configured == '/') return configured;  // others do not count, by its specification
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::string(home) + "/.config" : std::string();
}

struct Found {
  std::string path;  ///< empty: no file
  bool named;        ///< by the setting, so it has to be there
};

Found find_file(const config::Store& config) {
  const std::string& named = config.get(tune_file);
  if (named == "none") return {"", false};
  if (!named.empty()) return {named, true};
  const std::string folder = users_folder();
  for (const std::string& path :
       {folder.empty() ? std::string() : folder + kUnderFolder, std::string("/etc") + kUnderFolder}) {
    if (!path.empty() && access(path.c_str(), F_OK) == 0) return {path, false};
  }
  return {"", false};
}

/// The file's constants, or what is wrong with it.
Result<File> read_file(const Found& found) {
  if (access(found.path.c_str(), R_OK) != 0) {
    return Status::error(ErrorClass::kArg, "it cannot be read");
  }
  Result<File> file = File::parse(read_whole_file(found.path));
  if (!file.ok()) return file;
  const Machine here = this_machine();
  if (!file.value().machine.is_like(here)) {
    return Status::error(ErrorClass::kArg,
                         formatted("it was measured on {}, and this is {}", file.value().machine.text(), here.text()));
  }
  return file;
}

}  // namespace

void take_file(config::Store& config, std::vector<std::string>* warnings) {
  if (!config.get(tuning_text).empty()) return;
  const Found found = find_file(config);
  if (found.path.empty()) return;
  const Result<File> file = read_file(found);
  if (file.ok()) return take_told(config, file.value().constants);
  if (warnings == nullptr) return;
  warnings->push_back(formatted(
      "the tuning file {} does not hold: {}. Collective calls go by the defaults. Write it anew by 'starling tune -o "
      "{}', or set STARLING_TUNE_FILE=none.",
      found.path, file.status().message(), found.path));
}

void take_told(config::Store& config, const std::string& text) {
  const bool is_from_file = std::string_view(config.origin(tuning_text)) == kFileOrigin;
  if (!config.get(tuning_text).empty() && !is_from_file) return;
  // Whoever read it has checked it.
  static_cast<void>(config.set(tuning_text.name(), text, kFileOrigin));
}

const std::string& told_to_others(const config::Store& config) { return config.get(tuning_text); }

Result<Constants> constants_of(const config::Store& config) {
  Result<Constants> constants = parse_constants(config.get(tuning_text));
  if (constants.ok()) return constants;
  return Status::error(ErrorClass::kArg,
                       formatted("{}: {}", tuning_text.environment_name(), constants.status().message()));
}

std::string origin_of(const config::Store& config) {
  if (config.get(tuning_text).empty()) return "the defaults";
  if (std::string_view(config.origin(tuning_text)) != kFileOrigin) return tuning_text.environment_name();
  const Found found = find_file(config);
  const Result<File> file = read_file(found);
  if (!file.ok()) return "a tuning file";
  return formatted("{}, measured {}", found.path, file.value().measured_at);
}

std::string usual_path() {
  const std::string folder = users_folder();
  return (folder.empty() ? std::string("/etc") : folder) + kUnderFolder;
}

}  // namespace starling::tuning
