// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/file.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "tuning/words.hpp"

namespace starling::tuning {
namespace {

constexpr std::string_view kHead =
    "# The constants of a machine, by which Starling chooses the algorithms of collective calls, as 'starling tune'\n"
    "# measured them: nanoseconds, and nanoseconds for each byte. Where: 'starling info --collectives' says.\n";
constexpr std::string_view kMachine = "machine";
constexpr std::string_view kHosts = "hosts";
constexpr std::string_view kAll = "all";
constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

/// What stands before '#', unless that is a part of a text.
std::string_view without_remark(std::string_view value) {
  const std::size_t from = value.starts_with('"') ? value.find('"', 1) : 0;
  return trimmed(value.substr(0, value.find('#', from)));
}

std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

const char* sentence_of(std::string_view name) {
  for (const auto& field : link_fields()) {
    if (field.name == name) return field.sentence;
  }
  for (const auto& field : machine_fields()) {
    if (field.name == name) return field.sentence;
  }
  return "";
}

std::string without_quotes(std::string text) {
  std::erase_if(text, [](char letter) { return letter == '"' || letter == '\n'; });
  return text;
}

/// The words between blanks.
std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

/// Those of the network, or the others.
std::string chosen(std::string_view constants, bool network) {
  std::vector<std::string> words = words_in(constants);
  const std::string prefix = std::string(name(Distance::kNetwork)) + ".";
  std::erase_if(words, [&](const std::string& word) { return word.starts_with(prefix) != network; });
  return joined(words);
}

/// The sections of constants.
std::string sections_of(std::string_view constants) {
  std::string text;
  std::string section;
  for (const std::string& entry : words_in(constants)) {
    const std::string_view word = entry;
    const std::size_t dot = word.substr(0, word.find('=')).find('.');
    const std::string_view its = dot == std::string_view::npos ? kAll : word.substr(0, dot);
    const std::string_view line = dot == std::string_view::npos ? word : word.substr(dot + 1);
    if (its != section) text += formatted("\n[{}]\n", its);
    section = its;
    const std::size_t equals = line.find('=');
    const std::string assignment = formatted("{} = {}", line.substr(0, equals), line.substr(equals + 1));
    text += formatted("{:<26}# {}\n", assignment, sentence_of(line.substr(0, equals)));
  }
  return text;
}

/// One line after the other into a file.
class Reader {
 public:
  Result<File> read(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      const Status taken = take(trimmed(line));
      if (taken.ok()) continue;
      return Status::error(ErrorClass::kArg, formatted("line {}: {}", number, taken.message()));
    }
    if (!has_format_) return refuse("it does not say its format");
    const bool is_of_network = file_.of_node().empty() && !file_.of_network().empty();
    if (file_.machine.cpu.empty() && !is_of_network) return refuse("it names no machine");
    return std::move(file_);
  }

 private:
  Status take(std::string_view line) {
    if (line.empty() || line.front() == '#') return {};
    if (line.front() == '[') return open(line);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return refuse(formatted("'{}' is no 'key = value'", line));
    const std::string_view key = trimmed(line.substr(0, equals));
    const std::string_view value = without_remark(trimmed(line.substr(equals + 1)));
    if (section_.empty()) return take_format(key, value);
    if (section_ == kMachine) return take_fact(key, unquoted(value));
    return section_ == kHosts ? take_fact_of_hosts(key, unquoted(value)) : take_constant(key, value);
  }

  Status open(std::string_view line) {
    section_ = line.back() == ']' ? line.substr(1, line.size() - 2) : std::string_view();
    const bool known = section_ == kMachine || section_ == kHosts || section_ == kAll ||
                       std::ranges::find(kDistanceNames, section_) != std::end(kDistanceNames);
    return known ? Status() : refuse(formatted("there is no section {}", line));
  }

  Status take_format(std::string_view key, std::string_view value) {
    if (key != "format") return refuse(formatted("'{}' stands in no section", key));
    if (value != std::to_string(File::kFormat)) {
      return refuse(formatted("it is of format {}, and this version of Starling reads format {}", value,
                              static_cast<int>(File::kFormat)));
    }
    has_format_ = true;
    return {};
  }

  Status take_fact(std::string_view key, std::string_view value) {
    if (key == "cpu") file_.machine.cpu = value;
    if (key == "host") file_.machine.host = value;
    if (key == "measured") file_.measured_at = value;
    if (key != "cores") return {};  // what else people or later versions note of a machine changes nothing
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), file_.machine.cores);
    const bool good = failed == std::errc() && end == value.data() + value.size();
    return good ? Status() : refuse(formatted("'{}' is no number of cores", value));
  }

  Status take_fact_of_hosts(std::string_view key, std::string_view value) {
    if (key == "names") file_.hosts.names = words_in(value);
    if (key == "measured") file_.hosts.measured_at = value;
    if (key == "slowest") file_.hosts.slowest = value;
    if (key == "fastest") file_.hosts.fastest = value;
    return {};
  }

  Status take_constant(std::string_view key, std::string_view value) {
    const std::string prefix = section_ == kAll ? std::string() : std::string(section_) + ".";
    const std::string word = formatted("{}{}={}", prefix, key, value);
    // Blanks divide the words of the text.
    if (word.find(' ') != std::string::npos) return refuse(formatted("'{}' is no number", value));
    if (const Result<Constants> read = parse_constants(word); !read.ok()) return read.status().copy();
    file_.constants += (file_.constants.empty() ? "" : " ") + word;
    return {};
  }

  static Status refuse(const std::string& what) { return Status::error(ErrorClass::kArg, what); }

  File file_;
  std::string_view section_;
  bool has_format_ = false;
};

}  // namespace

std::string File::text() const {
  std::string text(kHead);
  text += formatted("format = {}\n", static_cast<int>(kFormat));
  if (!machine.cpu.empty()) {
    text += formatted("\n[{}]\ncpu = \"{}\"\ncores = {}\nhost = \"{}\"\nmeasured = \"{}\"\n", kMachine,
                      without_quotes(machine.cpu), machine.cores, without_quotes(machine.host),
                      without_quotes(measured_at));
  }
  text += sections_of(of_node());
  if (!hosts.names.empty()) {
    text += formatted("\n[{}]\nnames = \"{}\"\nmeasured = \"{}\"\nslowest = \"{}\"\nfastest = \"{}\"\n", kHosts,
                      without_quotes(joined(hosts.names)), without_quotes(hosts.measured_at),
                      without_quotes(hosts.slowest), without_quotes(hosts.fastest));
  }
  return text + sections_of(of_network());
}

std::string File::of_network() const { return chosen(constants, true); }
std::string File::of_node() const { return chosen(constants, false); }

Result<File> File::parse(std::string_view text) { return Reader().read(text); }

}  // namespace starling::tuning
