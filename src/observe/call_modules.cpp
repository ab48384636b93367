// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/call_modules.hpp"

#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include "observe/module_record.hpp"

namespace starling::observe {
namespace {

struct Search {
  std::uint64_t site = 0;
  bool found = false;
  ModuleRecord module;
  std::string path;
};

/// Notes lie one behind another, each padded to a multiple of 4.
void read_build_id(const std::byte* notes, std::size_t bytes, ModuleRecord* module) {
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const std::size_t name_at = sizeof note;
    const std::size_t text_at = name_at + padded(note.n_namesz);
    const std::size_t size = text_at + padded(note.n_descsz);
    if (size > bytes) return;
    const bool is_gnu = note.n_namesz == 4 && std::memcmp(notes + name_at, "GNU", 4) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= ModuleRecord::kMostIdBytes) {
      std::memcpy(module->id, notes + text_at, note.n_descsz);
      module->id_bytes = static_cast<std::uint16_t>(note.n_descsz);
      return;
    }
    notes += size;
    bytes -= size;
  }
}

/// As it can be opened by others: the program has no name here, and a library may have one that depends on the folder.
std::string path_of(const char* name) {
  char path[PATH_MAX];
  if (name == nullptr || *name == '\0') {
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return {path, static_cast<std::size_t>(length > 0 ? length : 0)};
  }
  return realpath(name, path) != nullptr ? path : name;
}

int look_at_module(dl_phdr_info* info, std::size_t /*size*/, void* wanted) {
  Search& search = *static_cast<Search*>(wanted);
  ModuleRecord module;
  module.bias = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uint64_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_NOTE) read_build_id(reinterpret_cast<const std::byte*>(begin), part.p_memsz, &module);
    if (part.p_type != PT_LOAD || search.site - begin >= part.p_memsz) continue;
    module.begin = begin;
    module.end = begin + part.p_memsz;
    search.found = true;
  }
  if (!search.found) return 0;
  search.module = module;
  search.path = path_of(info->dlpi_name);
  return 1;
}

}  // namespace

void CallModules::find(std::uint64_t site) {
  constexpr std::uint32_t kMostInVain = 64;  // a program that makes its code while it runs
  for (const Range& range : known_) {
    if (site - range.begin >= range.size) continue;
    last_ = range;
    return;
  }
  if (site == 0 || in_vain_ >= kMostInVain) return;
  Search search;
  search.site = site;
  dl_iterate_phdr(look_at_module, &search);
  if (!search.found || search.path.size() >= PATH_MAX) {
    ++in_vain_;
    return;
  }
  search.module.path_bytes = static_cast<std::uint16_t>(search.path.size());
  std::vector<std::byte> record(sizeof(ModuleRecord) + search.module.padded_path_bytes());
  std::memcpy(record.data(), &search.module, sizeof(ModuleRecord));
  std::memcpy(record.data() + sizeof(ModuleRecord), search.path.data(), search.path.size());
  (void)ring_.add_module(record);  // without room its calls have no names
  last_ = {search.module.begin, search.module.end - search.module.begin};
  known_.push_back(last_);
}

}  // namespace starling::observe
