// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ProgramFile: an executable or a library: how to unwind its frames, and what its addresses are called. It is read
// once, however many processes have mapped it. Addresses here are those of the file, as nm shows them.
// Thread safety: none. Source: libdwfl of elfutils (its header documents the calls).
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory_map.hpp"

namespace starling::symbolize {

struct Place {
  std::string function;  ///< without parameters; empty: it has no name
  std::string file;      ///< the source file; empty: not known
  int line = 0;
};

class ProgramFile {
 public:
  /// file: a descriptor, which is closed.
  [[nodiscard]] static std::unique_ptr<ProgramFile> open(const std::string& name, int file);

  /// The address of what lies there in the file.
  [[nodiscard]] std::optional<std::uint64_t> address_of(std::uint64_t file_offset) const;
  /// The address of a variable.
  [[nodiscard]] std::optional<std::uint64_t> address_of(const std::string& symbol) const;

  /// How the callers of its functions are found, first what all programs have; null: it has none.
  [[nodiscard]] Dwarf_CFI* unwind_table(bool of_debug_information) const;

  /// What lies at the address: the function, and before it those that the compiler has put into it there.
  [[nodiscard]] const std::vector<Place>& places(std::uint64_t address);
  /// In hexadecimal digits; empty: it has none.
  [[nodiscard]] std::string build_id() const;
  /// Whether it has no names for its own functions.
  [[nodiscard]] bool is_stripped() const;

 private:
  struct SessionEnd {
    void operator()(Dwfl* session) const { dwfl_end(session); }
  };
  ProgramFile() = default;
  [[nodiscard]] std::vector<Place> find_places(std::uint64_t address) const;

  std::unique_ptr<Dwfl, SessionEnd> session_;
  Dwfl_Module* module_ = nullptr;
  Elf* elf_ = nullptr;
  std::map<std::uint64_t, std::vector<Place>> found_;
};

/// The files that processes have mapped, each opened once.
class ProgramFiles {
 public:
  /// Null: it cannot be opened, or is no program.
  [[nodiscard]] ProgramFile* of(pid_t process, const Mapping& mapping);

 private:
  std::map<std::pair<std::uint64_t, std::string>, std::unique_ptr<ProgramFile>> files_;  ///< by inode and path
};

}  // namespace starling::symbolize
