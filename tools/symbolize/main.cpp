// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling-symbolize <address>... < /proc/<process>/maps: names the addresses of a stack, one line each, from the debug
// information of the files that a process had mapped. A helper of mpiexec, which keeps the map of a crashed rank.
// starling-symbolize --stacks and --position read the stacks of running processes (stacks.hpp), --sites names addresses
// of files (sites.hpp).
//
// The first address is the interrupted instruction, the others are return addresses: the call is one byte before.
// Source: libdwfl of elfutils (its header documents the calls).
#include <elfutils/libdwfl.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "names.hpp"
#include "sites.hpp"
#include "stacks.hpp"
#include "units.hpp"

namespace {

struct SessionEnd {
  void operator()(Dwfl* session) const { dwfl_end(session); }
};
using Session = std::unique_ptr<Dwfl, SessionEnd>;

char* g_debug_path = nullptr;  // libdwfl wants the address of a path variable; null: its default

constexpr Dwfl_Callbacks kCallbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, &g_debug_path};

Session read_map() {
  // Only what lies on this machine: a crash report must not wait for a server of debug information.
  unsetenv("DEBUGINFOD_URLS");
  Session session(dwfl_begin(&kCallbacks));
  if (!session || dwfl_linux_proc_maps_report(session.get(), stdin) != 0) return nullptr;
  return dwfl_report_end(session.get(), nullptr, nullptr) == 0 ? std::move(session) : nullptr;
}

/// " at <file>:<line>", empty without line information.
std::string place(Dwfl_Module* module, Dwarf_Addr address) {
  const starling::symbolize::SourceLine line = starling::symbolize::line_at(module, address);
  return line.file.empty() ? std::string() : starling::formatted(" at {}:{}", line.file, line.number);
}

std::string describe(Dwfl* session, Dwarf_Addr address, bool is_return) {
  const Dwarf_Addr looked_up = is_return && address > 0 ? address - 1 : address;
  Dwfl_Module* module = session ? dwfl_addrmodule(session, looked_up) : nullptr;
  if (!module) return starling::formatted("{:#x}{}", address, address == 0 ? " (a call through a null pointer)" : "");
  Dwarf_Addr base = 0;
  const char* file = dwfl_module_info(module, nullptr, &base, nullptr, nullptr, nullptr, nullptr, nullptr);
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(module, looked_up, &offset, &symbol, nullptr, nullptr, nullptr);
  const std::string where = place(module, looked_up);
  const std::string in = where.empty() ? starling::formatted(" in {}+{:#x}", file ? file : "?", address - base) : where;
  return (name ? starling::symbolize::readable_name(name) : starling::formatted("{:#x}", address)) + in;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--position") return starling::symbolize::print_position(argv[2]);
  if (argc == 2 && std::string_view(argv[1]) == "--sites") return starling::symbolize::print_sites();
  if (argc > 1 && std::string_view(argv[1]) == "--stacks")
    return starling::symbolize::print_stacks({argv + 2, static_cast<std::size_t>(argc - 2)});
  if (argc < 2 || argv[1][0] == '-') {
    std::fputs(
        "usage: starling-symbolize <address>... < /proc/<process>/maps\n"
        "       starling-symbolize --position <process>\n"
        "       starling-symbolize --sites\n"
        "       starling-symbolize --stacks <rank>:<process>...\n",
        stderr);
    return 2;
  }
  const Session session = read_map();
  for (int i = 1, last = 1; i < argc; i = last) {
    // A recursion returns to the same place again and again.
    while (last < argc && std::string_view(argv[last]) == argv[i]) ++last;
    const Dwarf_Addr address = std::strtoull(argv[i], nullptr, 16);
    const std::string times = last - i > 1 ? starling::formatted(" ({} times)", last - i) : "";
    std::puts(starling::formatted("  #{} {}{}", i - 1, describe(session.get(), address, i > 1), times).c_str());
  }
  return 0;
}
