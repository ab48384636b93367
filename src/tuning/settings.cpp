// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "base/small_files.hpp"
#include "tuning/file.hpp"
#include "tuning/words.hpp"

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

Result<File> read_file(const Found& found) {
  if (access(found.path.c_str(), R_OK) != 0) {
    return Status::error(ErrorClass::kArg, "it cannot be read");
  }
  return File::parse(read_whole_file(found.path));
}

/// Why the node's constants do not hold here; empty: they do, or there are none.
std::string node_trouble(const File& file) {
  const Machine here = this_machine();
  if (file.of_node().empty() && file.machine.cpu.empty()) return {};
  if (file.machine.is_like(here)) return {};
  return formatted("it was measured on {}, and this is {}", file.machine.text(), here.text());
}

/// Why the network's do not hold between these hosts.
std::string network_trouble(const File& file, const std::vector<std::string>& hosts) {
  const std::vector<std::string>& measured = file.hosts.names;
  if (file.of_network().empty() || measured.empty()) return {};
  for (const std::string& host : hosts) {
    if (std::ranges::find(measured, host) != measured.end()) continue;
    return formatted("its network was measured between {}, and {} is none of them", joined(measured, ","), host);
  }
  return {};
}

/// What of a file holds, and the warning that says why the rest does not.
struct Held {
  std::string constants;
  std::string warning;
};

Held held_of(const Found& found, const std::vector<std::string>& hosts) {
  constexpr const char* kAnew = "Write it anew by 'starling tune{} -o {}', or set STARLING_TUNE_FILE=none.";
  const auto anew = [&](const std::string& options) { return formatted(kAnew, options, found.path); };
  const Result<File> file = read_file(found);
  if (!file.ok()) {
    return {"", formatted("the tuning file {} does not hold: {}. Collective calls go by the defaults. {}", found.path,
                          file.status().message(), anew(""))};
  }
  const std::string node = node_trouble(file.value());
  const std::string network = network_trouble(file.value(), hosts);
  const std::string constants = joined({node.empty() ? file.value().of_node() : std::string(),
                                        network.empty() ? file.value().of_network() : std::string()});
  if (node.empty() && network.empty()) return {constants, ""};
  if (network.empty() && constants.empty()) {
    return {"", formatted("the tuning file {} does not hold: {}. Collective calls go by the defaults. {}", found.path,
                          node, anew(""))};
  }
  const std::string why = joined({node, network}, "; ");
  const char* const where = node.empty() ? " between hosts" : network.empty() ? " on a host" : "";
  return {constants,
          formatted("the tuning file {} does not hold{}: {}. There collective calls go by the defaults. {}", found.path,
                    where, why, anew(network.empty() ? std::string() : " --host " + joined(hosts, ",")))};
}

}  // namespace

void take_file(config::Store& config, std::vector<std::string>* warnings, const std::vector<std::string>& hosts) {
  if (!config.get(tuning_text).empty()) return;
  const Found found = find_file(config);
  if (found.path.empty()) return;
  Held held = held_of(found, hosts);
  if (!held.constants.empty()) take_told(config, held.constants);
  if (warnings != nullptr && !held.warning.empty()) warnings->push_back(std::move(held.warning));
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
  if (File{{}, "", config.get(tuning_text)}.of_node().empty()) return "the defaults";
  if (std::string_view(config.origin(tuning_text)) != kFileOrigin) return tuning_text.environment_name();
  const Found found = find_file(config);
  const Result<File> file = read_file(found);
  if (!file.ok()) return "a tuning file";
  return formatted("{}, measured {}", found.path, file.value().measured_at);
}

bool knows_network(const config::Store& config) { return !File{{}, "", config.get(tuning_text)}.of_network().empty(); }

std::string network_origin_of(const config::Store& config) {
  if (!knows_network(config)) return "the defaults";
  if (std::string_view(config.origin(tuning_text)) != kFileOrigin) return tuning_text.environment_name();
  const Found found = find_file(config);
  const Result<File> file = read_file(found);
  if (!file.ok()) return "a tuning file";
  const MeasuredHosts& hosts = file.value().hosts;
  if (hosts.names.empty()) return found.path;
  const std::string text =
      formatted("{}, measured {} between {}", found.path, hosts.measured_at, joined(hosts.names, ", "));
  if (hosts.slowest == hosts.fastest) return formatted("{} ({})", text, hosts.slowest);
  return formatted("{} (slowest {}; fastest {})", text, hosts.slowest, hosts.fastest);
}

std::string usual_path() {
  const std::string folder = users_folder();
  return (folder.empty() ? std::string("/etc") : folder) + kUnderFolder;
}

}  // namespace starling::tuning
