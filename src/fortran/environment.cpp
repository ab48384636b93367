// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Start and end, and text whose length the program gives. Source: MPI-5.0, chapters 10, 11 and 20.
#include <vector>

#include "fortran/entry.hpp"
#include "fortran/facts.hpp"

using namespace starling::fortran;

extern "C" {

STARLING_PUBLIC void pmpi_init_(int* ierror) {
  tell_facts();
  give(ierror, MPI_Init(nullptr, nullptr));
}
STARLING_SAME(mpi_init, (int* ierror))

STARLING_PUBLIC void pmpi_init_thread_(const int* required, int* provided, int* ierror) {
  tell_facts();
  give(ierror, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
STARLING_SAME(mpi_init_thread, (const int* required, int* provided, int* ierror))

STARLING_PUBLIC void pmpi_finalize_(int* ierror) {
  forget_section_types();
  give(ierror, MPI_Finalize());
}
STARLING_SAME(mpi_finalize, (int* ierror))

STARLING_PUBLIC void pmpi_pcontrol_(const int* level) { MPI_Pcontrol(*level); }
STARLING_SAME(mpi_pcontrol, (const int* level))

STARLING_PUBLIC void pmpi_info_create_env_(int* info, int* ierror) {
  MPI_Info made = MPI_INFO_NULL;
  const int code = MPI_Info_create_env(0, nullptr, &made);
  if (code == MPI_SUCCESS) *info = to(made);
  give(ierror, code);
}
STARLING_SAME(mpi_info_create_env, (int* info, int* ierror))

STARLING_PUBLIC void pmpi_info_get_(const int* info, const char* key, const int* valuelen, char* value, int* flag,
                                    int* ierror, std::size_t key_length, std::size_t value_length) {
  std::vector<char> found(*valuelen < 0 ? 1 : static_cast<std::size_t>(*valuelen) + 1);
  const int code =
      MPI_Info_get(from<MPI_Info>(*info), trimmed_text(key, key_length).c_str(), *valuelen, found.data(), flag);
  if (code == MPI_SUCCESS && *flag != 0) give_text(found.data(), value, value_length);
  give(ierror, code);
}
STARLING_SAME(mpi_info_get, (const int* info, const char* key, const int* valuelen, char* value, int* flag, int* ierror,
                             std::size_t key_length, std::size_t value_length))

/// C counts the terminating null into buflen, Fortran has none.
STARLING_PUBLIC void pmpi_info_get_string_(const int* info, const char* key, int* buflen, char* value, int* flag,
                                           int* ierror, std::size_t key_length, std::size_t value_length) {
  const int asked = *buflen;
  int length = asked > 0 ? asked + 1 : 0;
  std::vector<char> found(static_cast<std::size_t>(length) + 1);
  const int code =
      MPI_Info_get_string(from<MPI_Info>(*info), trimmed_text(key, key_length).c_str(), &length, found.data(), flag);
  if (code == MPI_SUCCESS && *flag != 0) {
    if (asked > 0) give_text(found.data(), value, value_length);
    *buflen = length - 1;
  }
  give(ierror, code);
}
STARLING_SAME(mpi_info_get_string, (const int* info, const char* key, int* buflen, char* value, int* flag, int* ierror,
                                    std::size_t key_length, std::size_t value_length))

STARLING_PUBLIC void pmpi_session_get_nth_pset_(const int* session, const int* info, const int* n, int* pset_len,
                                                char* name, int* ierror, std::size_t name_length) {
  const int asked = *pset_len;
  int length = asked > 0 ? asked + 1 : 0;
  std::vector<char> found(static_cast<std::size_t>(length) + 1);
  const int code =
      MPI_Session_get_nth_pset(from<MPI_Session>(*session), from<MPI_Info>(*info), *n, &length, found.data());
  if (code == MPI_SUCCESS) {
    if (asked > 0) give_text(found.data(), name, name_length);
    *pset_len = length - 1;
  }
  give(ierror, code);
}
STARLING_SAME(mpi_session_get_nth_pset, (const int* session, const int* info, const int* n, int* pset_len, char* name,
                                         int* ierror, std::size_t name_length))

// What only Fortran has.

STARLING_PUBLIC void pmpi_sizeof_(const CFI_cdesc_t* variable, int* size, int* ierror) {
  *size = static_cast<int>(variable->elem_len);
  give(ierror, MPI_SUCCESS);
}
STARLING_SAME(mpi_sizeof, (const CFI_cdesc_t* variable, int* size, int* ierror))

/// The compiler must take its buffer for changed, as it cannot see what happens here.
STARLING_PUBLIC void pmpi_f_sync_reg_(void*) {}
STARLING_SAME(mpi_f_sync_reg, (void*))
STARLING_PUBLIC void pmpi_f_sync_reg_f08ts_(const CFI_cdesc_t*) {}
STARLING_PUBLIC void mpi_f_sync_reg_f08ts_(const CFI_cdesc_t*) __attribute__((weak, alias("pmpi_f_sync_reg_f08ts_")));

/// A status is the same in mpi_f08 and in mpi.
STARLING_PUBLIC void pmpi_status_f2f08_(const MPI_Status* from_status, MPI_Status* to_status, int* ierror) {
  *to_status = *from_status;
  give(ierror, MPI_SUCCESS);
}
STARLING_SAME(mpi_status_f2f08, (const MPI_Status* from_status, MPI_Status* to_status, int* ierror))
STARLING_PUBLIC void pmpi_status_f082f_(const MPI_Status* from_status, MPI_Status* to_status, int* ierror) {
  *to_status = *from_status;
  give(ierror, MPI_SUCCESS);
}
STARLING_SAME(mpi_status_f082f, (const MPI_Status* from_status, MPI_Status* to_status, int* ierror))

}  // extern "C"
