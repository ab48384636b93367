// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Options of the examples: "--steps 400" sets what was declared as "steps"; --help lists what was declared.
//
// **Thread safety**: as values. **Invariants**: an unknown name or a value of another kind ends the program with
// that list and status 2.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace starling::examples {

class Options {
 public:
  explicit Options(std::string program) : program_(std::move(program)) {}

  /// Declares --name with its place, which holds the default.
  Options& add(const char* name, int& value, const char* help) {
    return add({name, help + (" (" + std::to_string(value) + ")"), &value, nullptr, nullptr});
  }
  Options& add(const char* name, std::string& value, const char* help) {
    return add({name, value.empty() ? help : help + (" (" + value + ")"), nullptr, &value, nullptr});
  }
  /// A switch, which takes no value.
  Options& add(const char* name, bool& value, const char* help) { return add({name, help, nullptr, nullptr, &value}); }

  void read(int argc, char** argv) const {
    for (int i = 1; i < argc; ++i) {
      if (argv[i] == std::string("--help")) {
        list(stdout);
        std::exit(0);
      }
      const Option* option = find(argv[i]);
      if (option == nullptr || (option->yes == nullptr && i + 1 == argc)) refuse(argv[i]);
      if (option->yes != nullptr) {
        *option->yes = true;
      } else if (option->text != nullptr) {
        *option->text = argv[++i];
      } else {
        std::istringstream in(argv[++i]);
        if (!(in >> *option->number) || !in.eof()) refuse(argv[i]);
      }
    }
  }
  /// Prints what is wrong and the options, and ends the program.
  [[noreturn]] void refuse(const std::string& what) const {
    std::fprintf(stderr, "%s: cannot use '%s'\n", program_.c_str(), what.c_str());
    list(stderr);
    std::exit(2);
  }

 private:
  struct Option {
    const char* name;
    std::string help;  // with the default
    int* number;
    std::string* text;
    bool* yes;
  };
  Options& add(const Option& option) {
    options_.push_back(option);
    return *this;
  }
  void list(std::FILE* out) const {
    std::fprintf(out, "%s takes\n", program_.c_str());
    for (const Option& each : options_) std::fprintf(out, "  --%-15s %s\n", each.name, each.help.c_str());
  }
  const Option* find(const std::string& argument) const {
    for (const Option& each : options_) {
      if (argument == std::string("--") + each.name) return &each;
    }
    return nullptr;
  }

  std::string program_;
  std::vector<Option> options_;
};

}  // namespace starling::examples
