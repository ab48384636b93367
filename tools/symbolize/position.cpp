// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "position.hpp"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <limits.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/format.hpp"

namespace {

struct Search {
  Dwfl* session;
  std::string executable;
  std::string found;
};

std::string last_part(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

/// The place of an address; empty where nothing is known of it.
std::string place_of(Dwfl_Module* module, Dwarf_Addr address) {
  Dwfl_Line* const line = dwfl_module_getsrc(module, address);
  int number = 0;
  const char* const file = line ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
  if (file) return starling::formatted("{}:{}", last_part(file), number);
  const char* const name = dwfl_module_addrname(module, address);
  if (!name) return {};
  int failure = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &failure), std::free);
  const std::string readable = failure == 0 ? text.get() : name;
  return readable.ends_with(')') ? readable : readable + "()";
}

int look_at_frame(Dwfl_Frame* frame, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  Dwarf_Addr address = 0;
  bool is_interrupted = false;
  if (!dwfl_frame_pc(frame, &address, &is_interrupted)) return DWARF_CB_ABORT;
  // A return address stands behind its call.
  const Dwarf_Addr looked_up = is_interrupted ? address : address - 1;
  Dwfl_Module* const module = dwfl_addrmodule(search.session, looked_up);
  if (!module) return DWARF_CB_OK;
  const char* const name = dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  if (!name || search.executable != name) return DWARF_CB_OK;
  search.found = place_of(module, looked_up);
  return search.found.empty() ? DWARF_CB_OK : DWARF_CB_ABORT;
}

int refuse(const std::string& why) {
  std::fputs((why + "\n").c_str(), stderr);
  return EXIT_FAILURE;
}

}  // namespace

int print_position(const std::string& process) {
  static char* debug_path = nullptr;  // libdwfl wants the address of a path variable; null: its default
  constexpr Dwfl_Callbacks kLive = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, &debug_path};
  unsetenv("DEBUGINFOD_URLS");  // only what lies on this machine
  const pid_t number = std::atoi(process.c_str());
  const std::unique_ptr<Dwfl, void (*)(Dwfl*)> session(dwfl_begin(&kLive), dwfl_end);
  if (!session || dwfl_linux_proc_report(session.get(), number) != 0 ||
      dwfl_report_end(session.get(), nullptr, nullptr) != 0)
    return refuse("its memory map cannot be read");
  char path[PATH_MAX];
  const ssize_t length = readlink(starling::formatted("/proc/{}/exe", number).c_str(), path, sizeof path);
  if (length <= 0) return refuse("its program cannot be read");
  if (dwfl_linux_proc_attach(session.get(), number, false) != 0) return refuse("it cannot be attached to");
  Search search{session.get(), std::string(path, static_cast<std::size_t>(length)), {}};
  const int outcome = dwfl_getthread_frames(session.get(), number, look_at_frame, &search);
  if (!search.found.empty()) {
    std::puts(search.found.c_str());
    return EXIT_SUCCESS;
  }
  if (outcome < 0) {
    return refuse(starling::formatted(
        "its stack may not be read ({}): that takes the same user and /proc/sys/kernel/yama/ptrace_scope 0, or root",
        dwfl_errmsg(-1)));
  }
  return refuse("no frame of its stack is in its program");
}
