// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where a job has its constants from: STARLING_TUNING (text that all ranks need alike), or else the tuning file that
// STARLING_TUNE_FILE names, or the first of the usual places that has one. The launcher reads the file once and tells
// its ranks; a process without a launcher of ours reads it itself, and what the first of a node has read holds for all
// of the node, as with every setting that all need alike.
// Thread safety: reads files and the environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "config/config.hpp"
#include "tuning/constants.hpp"

namespace starling::tuning {

/// What the file says becomes STARLING_TUNING, unless that is set. A file that is broken or of another version adds a
/// warning that says what to do, and the defaults stay. Where only the node's constants do not hold, for it is another
/// machine, or only the network's, for a host of the job was not measured, that is one warning, and the others hold.
/// hosts: of a job over several, as they are named; none: nobody knows, and the network's hold.
void take_file(config::Store& config, std::vector<std::string>* warnings, const std::vector<std::string>& hosts = {});

/// What somebody else has read, the launcher or the first rank of a job, in place of a file of one's own.
void take_told(config::Store& config, const std::string& text);

/// STARLING_TUNING as it stands; empty: the defaults.
[[nodiscard]] const std::string& told_to_others(const config::Store& config);

/// The constants in force. kArg when STARLING_TUNING is set to what cannot be read.
[[nodiscard]] Result<Constants> constants_of(const config::Store& config);

/// For what is not of the network, in words: "the defaults", "STARLING_TUNING", or the path of the file and when it was
/// measured.
[[nodiscard]] std::string origin_of(const config::Store& config);

/// The same for the network alone; of a file also between which hosts it was measured, and how much they differ.
[[nodiscard]] std::string network_origin_of(const config::Store& config);
/// Whether anything but the defaults holds for the network.
[[nodiscard]] bool knows_network(const config::Store& config);

/// Where `starling tune` writes without -o: the first of the usual places.
[[nodiscard]] std::string usual_path();

}  // namespace starling::tuning
