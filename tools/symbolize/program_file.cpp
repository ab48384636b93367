// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "program_file.hpp"

#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "names.hpp"
#include "units.hpp"

namespace starling::symbolize {
namespace {

char* g_debug_path = nullptr;  // libdwfl wants the address of a path variable; null: its default

constexpr Dwfl_Callbacks kCallbacks = {nullptr, dwfl_standard_find_debuginfo, nullptr, &g_debug_path};

/// The kernel's own library, which is the same in all processes.
int open_vdso() {
  const auto* const image = reinterpret_cast<const char*>(getauxval(AT_SYSINFO_EHDR));
  if (image == nullptr) return -1;
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(image);
  const std::size_t size = header->e_shoff + std::size_t{header->e_shentsize} * header->e_shnum;
  const int file = memfd_create("vdso", MFD_CLOEXEC);
  if (file >= 0 && write(file, image, size) != static_cast<ssize_t>(size)) {
    close(file);
    return -1;
  }
  return file;
}

/// Opens the path if it leads to the mapped file.
int open_if_same(const std::string& path, std::uint64_t inode) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info {};
  if (file >= 0 && (fstat(file, &info) != 0 || info.st_ino != inode || !S_ISREG(info.st_mode))) {
    close(file);
    return -1;
  }
  return file;
}

/// The mapped file, though it has been replaced or the process sees other folders.
int open_mapped(pid_t process, const Mapping& mapping) {
  if (mapping.path == "[vdso]") return open_vdso();
  if (mapping.inode == 0) return -1;
  int file = mapping.is_deleted ? -1 : open_if_same(formatted("/proc/{}/root{}", process, mapping.path), mapping.inode);
  if (file < 0) file = open_if_same(formatted("/proc/{}/exe", process), mapping.inode);
  if (file < 0 && !mapping.is_deleted) file = open_if_same(mapping.path, mapping.inode);
  if (file < 0) {  // for root only
    file = open_if_same(formatted("/proc/{}/map_files/{:x}-{:x}", process, mapping.start, mapping.end), mapping.inode);
  }
  return file;
}

std::string name_of(Dwarf_Die* function) {
  Dwarf_Attribute attribute;
  Dwarf_Attribute* found = dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute);
  if (found == nullptr) found = dwarf_attr_integrate(function, DW_AT_name, &attribute);
  const char* const name = found != nullptr ? dwarf_formstring(found) : nullptr;
  return name != nullptr ? without_parameters(readable_name(name)) : std::string();
}

std::string file_of(Dwarf_Die* unit, Dwarf_Word number) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count) return {};
  const char* const name = dwarf_filesrc(files, number, nullptr, nullptr);
  return name != nullptr ? name : "";
}

Dwarf_Word attribute_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

/// The functions that the compiler has put into another one at this address, the innermost first. place: of the
/// address; afterwards, of the call in the function that holds them all.
std::vector<Place> inlined_at(Dwarf_Die* unit, Dwarf_Addr address, Place* place) {
  std::vector<Place> inlined;
  Dwarf_Die* scopes = nullptr;
  if (dwarf_getscopes(unit, address, &scopes) <= 0) return inlined;
  Dwarf_Die innermost = scopes[0];
  std::free(scopes);
  scopes = nullptr;
  const int count = dwarf_getscopes_die(&innermost, &scopes);
  for (int i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; ++i) {
    if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine) continue;
    place->function = name_of(&scopes[i]);
    inlined.push_back(*place);
    place->file = file_of(unit, attribute_of(&scopes[i], DW_AT_call_file));
    place->line = static_cast<int>(attribute_of(&scopes[i], DW_AT_call_line));
  }
  std::free(scopes);
  return inlined;
}

}  // namespace

std::unique_ptr<ProgramFile> ProgramFile::open(const std::string& name, int file) {
  unsetenv("DEBUGINFOD_URLS");  // only what lies on this machine
  std::unique_ptr<ProgramFile> program(new ProgramFile);
  program->session_.reset(dwfl_begin(&kCallbacks));
  if (!program->session_) return nullptr;
  // At 0, so that the addresses are those of the file.
  program->module_ = dwfl_report_elf(program->session_.get(), name.c_str(), name.c_str(), file, 0, true);
  dwfl_report_end(program->session_.get(), nullptr, nullptr);
  Dwarf_Addr bias = 0;
  if (program->module_ != nullptr) program->elf_ = dwfl_module_getelf(program->module_, &bias);
  return program->elf_ != nullptr ? std::move(program) : nullptr;
}

std::optional<std::uint64_t> ProgramFile::address_of(std::uint64_t file_offset) const {
  std::size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr part;
    if (gelf_getphdr(elf_, static_cast<int>(i), &part) == nullptr || part.p_type != PT_LOAD) continue;
    if (file_offset >= part.p_offset && file_offset - part.p_offset < part.p_filesz)
      return file_offset - part.p_offset + part.p_vaddr;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ProgramFile::address_of(const std::string& symbol) const {
  const int count = dwfl_module_getsymtab(module_);
  for (int i = 0; i < count; ++i) {
    GElf_Sym found;
    GElf_Addr address = 0;
    const char* const name = dwfl_module_getsym_info(module_, i, &found, &address, nullptr, nullptr, nullptr);
    if (name != nullptr && found.st_shndx != SHN_UNDEF && symbol == name) return address;
  }
  return std::nullopt;
}

Dwarf_CFI* ProgramFile::unwind_table(bool of_debug_information) const {
  Dwarf_Addr bias = 0;
  return of_debug_information ? dwfl_module_dwarf_cfi(module_, &bias) : dwfl_module_eh_cfi(module_, &bias);
}

const std::vector<Place>& ProgramFile::places(std::uint64_t address) {
  const auto [entry, is_new] = found_.try_emplace(address);
  if (is_new) entry->second = find_places(address);
  return entry->second;
}

std::vector<Place> ProgramFile::find_places(std::uint64_t address) const {
  Place place;
  SourceLine source = line_at(module_, address);
  place.file = std::move(source.file);
  place.line = source.number;
  std::vector<Place> places;
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* const unit = unit_at(module_, address, &bias)) places = inlined_at(unit, address - bias, &place);
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name = dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
  place.function = name != nullptr ? without_parameters(readable_name(name)) : std::string();
  places.push_back(place);
  return places;
}

std::string ProgramFile::build_id() const {
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int count = dwfl_module_build_id(module_, &bits, &address);
  std::string digits;
  for (int i = 0; i < count; ++i) digits += formatted("{:02x}", bits[i]);
  return digits;
}

bool ProgramFile::is_stripped() const {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf_, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr && header.sh_type == SHT_SYMTAB) return false;
  }
  return true;
}

ProgramFile* ProgramFiles::of(pid_t process, const Mapping& mapping) {
  if (mapping.inode == 0 && mapping.path != "[vdso]") return nullptr;
  const auto [entry, is_new] = files_.try_emplace({mapping.inode, mapping.path});
  if (is_new) {
    const int file = open_mapped(process, mapping);
    if (file >= 0) entry->second = ProgramFile::open(mapping.path, file);
  }
  return entry->second.get();
}

}  // namespace starling::symbolize
