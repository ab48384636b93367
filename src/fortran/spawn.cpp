// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Programs to start, with their arguments in arrays of text: a blank one ends the list, and blanks around any are
// dropped. Source: MPI-5.0, 11.8.
#include <deque>
#include <string>
#include <vector>

#include "fortran/entry.hpp"

using namespace starling::fortran;

namespace {

/// Strings as C has them.
class Strings {
 public:
  void add(std::string string) {
    strings_.push_back(std::move(string));
    pointers_.back() = strings_.back().data();
    pointers_.push_back(nullptr);
  }
  /// Every step-th element from the first, up to a blank one.
  void add_until_blank(const char* first, std::size_t step, std::size_t length) {
    for (std::string next = trimmed_text(first, length); !next.empty(); next = trimmed_text(first, length)) {
      add(std::move(next));
      first += step * length;
    }
  }
  char** data() { return pointers_.data(); }

 private:
  std::deque<std::string> strings_;  // they stay where they are
  std::vector<char*> pointers_{nullptr};
};

int* codes_or_ignored(int* codes) { return codes == &mpi_fortran_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : codes; }

}  // namespace

extern "C" {

STARLING_PUBLIC void pmpi_comm_spawn_(const char* command, const char* argv, const int* maxprocs, const int* info,
                                      const int* root, const int* comm, int* intercomm, int* codes, int* ierror,
                                      std::size_t command_length, std::size_t argv_length) {
  const auto parent = from<MPI_Comm>(*comm);
  Strings arguments;
  const bool given = is_root(parent, *root) && argv != &mpi_fortran_argv_null_;
  if (given) arguments.add_until_blank(argv, 1, argv_length);
  MPI_Comm made = MPI_COMM_NULL;
  const int code =
      MPI_Comm_spawn(trimmed_text(command, command_length).c_str(), given ? arguments.data() : MPI_ARGV_NULL, *maxprocs,
                     from<MPI_Info>(*info), *root, parent, &made, codes_or_ignored(codes));
  *intercomm = to(made);
  give(ierror, code);
}
STARLING_SAME(mpi_comm_spawn, (const char* command, const char* argv, const int* maxprocs, const int* info,
                               const int* root, const int* comm, int* intercomm, int* codes, int* ierror,
                               std::size_t command_length, std::size_t argv_length))

STARLING_PUBLIC void pmpi_comm_spawn_multiple_(const int* count, const char* commands, const char* argvs,
                                               const int* maxprocs, const int* infos, const int* root, const int* comm,
                                               int* intercomm, int* codes, int* ierror, std::size_t command_length,
                                               std::size_t argv_length) {
  const auto parent = from<MPI_Comm>(*comm);
  const int programs = is_root(parent, *root) ? *count : 0;
  Strings names;
  Handles<MPI_Info> info_handles(infos, programs);
  std::deque<Strings> arguments;
  std::vector<char**> argument_lists;
  for (int i = 0; i < programs; ++i) {
    const auto at = static_cast<std::size_t>(i);
    names.add(trimmed_text(commands + at * command_length, command_length));
    if (argvs == &mpi_fortran_argvs_null_) continue;
    arguments.emplace_back().add_until_blank(argvs + at * argv_length, static_cast<std::size_t>(programs), argv_length);
    argument_lists.push_back(arguments.back().data());
  }
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Comm_spawn_multiple(
      *count, names.data(), argument_lists.empty() ? MPI_ARGVS_NULL : argument_lists.data(), const_cast<int*>(maxprocs),
      info_handles.data(), *root, parent, &made, codes_or_ignored(codes));
  *intercomm = to(made);
  give(ierror, code);
}
STARLING_SAME(mpi_comm_spawn_multiple, (const int* count, const char* commands, const char* argvs, const int* maxprocs,
                                        const int* infos, const int* root, const int* comm, int* intercomm, int* codes,
                                        int* ierror, std::size_t command_length, std::size_t argv_length))

}  // extern "C"
