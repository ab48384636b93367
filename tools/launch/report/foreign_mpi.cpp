// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/foreign_mpi.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "base/foreign_mpi.hpp"
#include "base/format.hpp"

namespace starling::launch {
namespace {

/// An executable of this machine's kind, read piece by piece.
class Executable {
 public:
  explicit Executable(const std::string& path) : file_(path, std::ios::binary) {
    good_ = read(0, &header_) && std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
            header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_phentsize == sizeof(Elf64_Phdr);
    for (unsigned i = 0; good_ && i < header_.e_phnum; ++i) {
      Elf64_Phdr segment{};
      good_ = read(header_.e_phoff + i * sizeof segment, &segment);
      segments_.push_back(segment);
    }
  }

  /// The names of the libraries that it asks for.
  std::vector<std::string> needed() {
    std::vector<std::uint64_t> names;
    std::uint64_t strings = 0;
    for (const Elf64_Phdr& segment : segments_) {
      if (!good_ || segment.p_type != PT_DYNAMIC) continue;
      Elf64_Dyn entry{};
      for (std::uint64_t at = 0; at < segment.p_filesz && read(segment.p_offset + at, &entry); at += sizeof entry) {
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
        if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
      }
    }
    std::vector<std::string> libraries;
    const std::optional<std::uint64_t> table = place_of(strings);
    for (const std::uint64_t name : names) {
      if (table) libraries.push_back(text_at(*table + name));
    }
    return libraries;
  }

 private:
  template <typename Value>
  bool read(std::uint64_t at, Value* value) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(file_.read(reinterpret_cast<char*>(value), sizeof *value));
  }

  /// Where in the file lies what the loader puts at this address.
  [[nodiscard]] std::optional<std::uint64_t> place_of(std::uint64_t address) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address < segment.p_vaddr + segment.p_filesz) {
        return address - segment.p_vaddr + segment.p_offset;
      }
    }
    return std::nullopt;
  }

  std::string text_at(std::uint64_t at) {
    constexpr std::size_t kLongest = 256;
    char text[kLongest] = {};
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(text, kLongest - 1);
    return text;
  }

  std::ifstream file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  bool good_ = false;
};

}  // namespace

std::string foreign_mpi_needed_by(const std::string& program) {
  for (const std::string& library : Executable(program).needed()) {
    if (is_foreign_mpi(library)) return library;
  }
  return {};
}

std::string foreign_mpi_loaded_by(pid_t process) {
  std::ifstream maps(formatted("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.rfind('/');
    if (slash != std::string::npos && is_foreign_mpi(std::string_view(line).substr(slash + 1))) {
      return line.substr(line.find('/'));
    }
  }
  return {};
}

void ForeignMpi::look_at(pid_t process) {
  constexpr int kLooks = 5;
  if (looks_ >= kLooks || !library_.empty()) return;
  ++looks_;
  library_ = foreign_mpi_loaded_by(process);
}

std::string ForeignMpi::note(const JobSpec& spec, std::span<const std::string> programs, const std::string& shown) {
  for (std::size_t i = 0; i < programs.size() && library_.empty(); ++i) {
    const std::string& folder = spec.applications[i].folder;
    const bool relative = !programs[i].starts_with('/') && !folder.empty();
    library_ = foreign_mpi_needed_by(relative ? folder + "/" + programs[i] : programs[i]);
  }
  if (library_.empty()) return {};
  return formatted(
      "starling: note: no rank has called this MPI, and {} runs on another one ({}): each of the {} ranks was "
      "rank 0 of 1. Start it with the mpiexec of that MPI, or compile it with the mpicc beside this one.\n",
      shown, library_, spec.ranks());
}

}  // namespace starling::launch
