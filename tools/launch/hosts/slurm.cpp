// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/hosts/slurm.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/format.hpp"
#include "launch/hosts/host_merge.hpp"
#include "launch/hosts/host_name.hpp"

namespace starling::launch {
namespace {

constexpr std::size_t kMostNodes = 1'000'000;

using Names = std::vector<std::string>;

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// The first piece of a list before a ',' that is in no brackets; it leaves the list.
std::string_view take_piece(std::string_view& list) {
  std::size_t end = 0;
  for (int depth = 0; end < list.size() && (list[end] != ',' || depth > 0); ++end) {
    depth += list[end] == '[' ? 1 : list[end] == ']' ? -1 : 0;
  }
  const std::string_view piece = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return piece;
}

/// "1-3" or "07", with the zeros in front that the first number has.
bool append_range(std::string_view range, Names& numbers) {
  const std::size_t dash = range.find('-');
  const std::string_view first_text = range.substr(0, dash);
  const std::string_view last_text = dash == std::string_view::npos ? first_text : range.substr(dash + 1);
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (!read_number(first_text, first) || !read_number(last_text, last)) return false;
  if (last < first || last - first >= kMostNodes) return false;
  for (std::uint64_t number = first; number <= last; ++number) {
    const std::string digits = std::to_string(number);
    numbers.push_back(std::string(first_text.size() - std::min(first_text.size(), digits.size()), '0') + digits);
  }
  return numbers.size() <= kMostNodes;
}

/// Replaces each name by as many as there are endings.
bool append_to_each(Names& names, const Names& endings) {
  if (names.size() * endings.size() > kMostNodes) return false;
  Names longer;
  for (const std::string& name : names) {
    for (const std::string& ending : endings) longer.push_back(name + ending);
  }
  names = std::move(longer);
  return true;
}

/// One name with any number of brackets.
bool append_names(std::string_view piece, Names& all) {
  Names names{""};
  while (!piece.empty()) {
    const std::size_t open = std::min(piece.find('['), piece.size());
    append_to_each(names, {std::string(piece.substr(0, open))});
    piece.remove_prefix(open);
    if (piece.empty()) break;
    const std::size_t close = piece.find(']');
    if (close == std::string_view::npos) return false;
    Names numbers;
    for (std::string_view ranges = piece.substr(1, close - 1); !ranges.empty();) {
      if (!append_range(take_piece(ranges), numbers)) return false;
    }
    if (numbers.empty() || !append_to_each(names, numbers)) return false;
    piece.remove_prefix(close + 1);
  }
  all.insert(all.end(), names.begin(), names.end());
  return all.size() <= kMostNodes;
}

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

}  // namespace

Result<std::vector<std::string>> expand_node_list(std::string_view list) {
  Names names;
  bool understood = !list.empty();
  for (std::string_view rest = list; understood && !rest.empty();) {
    const std::string_view piece = take_piece(rest);
    understood = !piece.empty() && append_names(piece, names);
  }
  if (understood) return names;
  return Status::error(
      ErrorClass::kArg,
      formatted("the list of Slurm's nodes '{}' is not understood; name the hosts with --host", shown_word(list)));
}

std::vector<std::uint32_t> expand_node_counts(std::string_view counts) {
  std::vector<std::uint32_t> numbers;
  while (!counts.empty()) {
    const std::string_view piece = take_piece(counts);
    const std::size_t bracket = piece.find('(');
    std::uint32_t number = 0;
    std::uint32_t times = 1;
    if (!read_number(piece.substr(0, bracket), number)) return {};
    if (bracket != std::string_view::npos) {
      const std::string_view repeat = piece.substr(bracket);
      if (!repeat.starts_with("(x") || !repeat.ends_with(')')) return {};
      if (!read_number(repeat.substr(2, repeat.size() - 3), times) || times > kMostNodes) return {};
    }
    numbers.insert(numbers.end(), times, number);
  }
  return numbers;
}

Result<std::vector<Host>> slurm_hosts(std::string_view node_list, std::string_view tasks_per_node,
                                      std::string_view cpus_per_node) {
  Result<Names> names = expand_node_list(node_list);
  if (!names.ok()) return std::move(names).status();
  std::vector<std::uint32_t> slots = expand_node_counts(tasks_per_node);
  if (slots.size() != names.value().size()) slots = expand_node_counts(cpus_per_node);
  const bool slots_fit = slots.size() == names.value().size();
  std::vector<Host> hosts;
  HostMerge merge(hosts);
  for (std::size_t i = 0; i < names.value().size(); ++i) {
    // Through the check of names: Slurm allows no strange ones, but whoever sets the variable by hand might.
    Result<Host> host = parse_host(names.value()[i]);
    if (!host.ok()) return std::move(host).status();
    if (slots_fit && slots[i] > 0) host.value().slots = slots[i];
    STARLING_TRY(merge.add(host.value()));
  }
  return hosts;
}

bool in_slurm_here() { return !variable("SLURM_JOB_ID").empty() && !variable("SLURM_JOB_NODELIST").empty(); }

Result<std::vector<Host>> slurm_hosts_here() {
  return slurm_hosts(variable("SLURM_JOB_NODELIST"), variable("SLURM_TASKS_PER_NODE"),
                     variable("SLURM_JOB_CPUS_PER_NODE"));
}

}  // namespace starling::launch
