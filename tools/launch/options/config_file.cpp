// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/options/config_file.hpp"

#include <algorithm>
#include <string_view>

#include "base/format.hpp"
#include "launch/hosts/user_file.hpp"

namespace starling::launch {
namespace {

Status wrong(const std::string& path, const std::string& what) {
  return Status::error(ErrorClass::kArg, formatted("-configfile {}: {}", path, what));
}

/// Divides a text into words and lines.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  /// False: a quote is not closed.
  bool run() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\n') {
        end_word();
        end_line();
      } else if (c == ' ' || c == '\t' || c == '\r') {
        end_word();
      } else if (c == '#' && !in_word_) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\'' || c == '"') {
        if (!take_quoted(c)) return false;
      } else if (c == '\\' && at_ < text_.size()) {
        if (text_[at_] != '\n') add(text_[at_]);
        ++at_;
      } else {
        add(c);
      }
    }
    end_word();
    end_line();
    return true;
  }
  std::vector<std::string> take() && { return std::move(words_); }

 private:
  void add(char c) {
    in_word_ = true;
    word_ += c;
  }
  bool take_quoted(char quote) {
    in_word_ = true;
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) return false;
    word_.append(text_.substr(at_, end - at_));
    at_ = end + 1;
    return true;
  }
  void end_word() {
    if (!in_word_) return;
    if (first_of_line_ && !words_.empty()) words_.emplace_back(":");
    first_of_line_ = false;
    words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }
  void end_line() { first_of_line_ = true; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;
  bool first_of_line_ = true;
  std::vector<std::string> words_;
};

}  // namespace

std::optional<std::string> config_file_in(std::span<const char* const> words) {
  constexpr std::string_view kName = "configfile";
  if (words.empty()) return std::nullopt;
  std::string_view first = words[0];
  first.remove_prefix(std::min(first.find_first_not_of('-'), first.size()));
  if (words[0][0] != '-' || !first.starts_with(kName)) return std::nullopt;
  first.remove_prefix(kName.size());
  if (first.starts_with('=') && words.size() == 1) return std::string(first.substr(1));
  if (first.empty() && words.size() == 2) return words[1];
  return std::nullopt;
}

Result<std::vector<std::string>> read_config_file(const std::string& path) {
  const Result<std::string> text = read_user_file(path);
  if (!text.ok()) return wrong(path, "the file " + text.status().message());
  Splitter splitter(text.value());
  if (!splitter.run()) return wrong(path, "a quote is not closed");
  std::vector<std::string> words = std::move(splitter).take();
  if (words.empty()) return wrong(path, "the file names no program; it has a line for each, as: -n 4 ./program");
  return words;
}

}  // namespace starling::launch
