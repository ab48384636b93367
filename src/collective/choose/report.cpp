// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What `starling info --collectives [OPERATION [BYTES [RANKS [NODES [CORES]]]]]` prints: the algorithms, and which of
// them a call would run.
#include "config/report.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

#include "base/format.hpp"
#include "base/small_files.hpp"
#include "base/usable_cores.hpp"
#include "collective/choose/learnt_algorithms.hpp"
#include "collective/choose/policy.hpp"
#include "collective/choose/shape.hpp"
#include "tuning/machine.hpp"
#include "tuning/settings.hpp"

namespace starling::collective {
namespace {

Status refuse(const std::string& what) { return Status::error(ErrorClass::kArg, what); }

Result<Operation> operation_named(const std::string& word) {
  for (std::int32_t i = 0; i < kOperationCount; ++i) {
    if (word == name(static_cast<Operation>(i))) return static_cast<Operation>(i);
  }
  return refuse(formatted("there is no collective '{}'; 'starling info --collectives' lists them", word));
}

Result<std::int64_t> number(const std::string& word, std::int64_t least, std::int64_t most, const char* what) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool good = failed == std::errc() && end == word.data() + word.size() && value >= least && value <= most;
  if (good) return value;
  return refuse(formatted("'{}' is not a number of {}", word, what));
}

std::string list_all() {
  std::string text;
  for (std::int32_t i = 0; i < kOperationCount; ++i) text += list(static_cast<Operation>(i));
  return text +
         "\np ranks, n neighbours, m bytes of the vector, b bytes of a block; alpha, next, beta, gamma, line,\n"
         "copy and turn are the machine's constants, which 'starling tune' measures and STARLING_COLL_*_NS set.\n"
         "'starling info --collectives allreduce 8192 4' says what a call of 4 ranks would run, and\n"
         "'starling info --collectives allreduce 8192 16 4' what one of 16 ranks on 4 nodes; a fifth number says how\n"
         "many cores a node has, else as many as this one.\n";
}

/// Which variables set constants over those of the file.
std::string overridden(const config::Store& config) {
  std::string names;
  for (const config::Declaration* variable : config::declarations()) {
    const std::string_view name = variable->name();
    const bool is_constant = name.starts_with("COLL_") && name.ends_with("_NS");
    if (is_constant && config.text(*variable) != variable->default_text()) names += ", " + variable->environment_name();
  }
  return names;
}

/// What calls of this shape find out while a program runs.
std::string learning(const Shape& shape, const Policy& policy) {
  const Algorithm* const rival = policy.selector().rival(shape);
  if (!policy.selector().learns() || rival == nullptr || !LearntAlgorithms::is_learnt(shape)) return {};
  return formatted("  calls find out whether {} is quicker (STARLING_COLL_LEARN)\n", rival->name);
}

Result<std::string> write(const config::Store& config, std::span<const std::string> words) {
  if (words.empty()) return list_all();
  Result<Operation> operation = operation_named(words[0]);
  if (!operation.ok()) return std::move(operation).status();
  if (words.size() == 1) return list(operation.value());
  Result<std::int64_t> bytes = number(words[1], 0, std::int64_t{1} << 50, "bytes");
  if (!bytes.ok()) return std::move(bytes).status();
  Result<std::int64_t> ranks = number(words.size() > 2 ? words[2] : "2", 1, 1 << 20, "ranks");
  if (!ranks.ok()) return std::move(ranks).status();
  Result<std::int64_t> nodes = number(words.size() > 3 ? words[3] : "1", 1, ranks.value(), "nodes");
  if (!nodes.ok()) return std::move(nodes).status();
  const std::string cores_here = formatted("{}", usable_cores());
  Result<std::int64_t> cores = number(words.size() > 4 ? words[4] : cores_here, 1, 1 << 20, "cores of a node");
  if (!cores.ok()) return std::move(cores).status();
  Result<Policy> policy = Policy::create(config, static_cast<std::int32_t>(cores.value()));
  if (!policy.ok()) return std::move(policy).status();
  const Selector& selector = policy.value().selector();
  Shape shape = usual_shape(operation.value(), static_cast<std::int32_t>(ranks.value()), bytes.value(),
                            static_cast<std::int32_t>(nodes.value()));
  shape.reproducible = selector.reproducible();
  if (nodes.value() == 1) shape.distance = tuning::spread_of(affinity_threads());
  if (!selector.goes_in_levels()) shape.levels &= ~kTwoLevels;
  const std::string network = nodes.value() > 1 ? "network: from " + tuning::network_origin_of(config) + "\n" : "";
  return selector.explain(shape) + learning(shape, policy.value()) + "\n" + selector.explain(shape.distance) + "from " +
         tuning::origin_of(config) + overridden(config) + "\n" + network;
}

const config::Report report("collectives", &write);

}  // namespace
}  // namespace starling::collective
